import { type Effect, Metric } from "effect"
import type { ServiceType } from "../domain/Service.ts"
import type { Status } from "../domain/Status.ts"
import { seriesOf } from "./Series.ts"

const sales = seriesOf(["status", "tipo"], (attributes) =>
  Metric.counter("saldo_sales_total", {
    description: "Sales that came to a status, by type of service",
    incremental: true,
    attributes
  })
)

/** Counts a sale that has just reached a status. */
export const countSale = (status: Status, type: ServiceType): Effect.Effect<void> =>
  Metric.update(sales({ status, tipo: type }), 1)
