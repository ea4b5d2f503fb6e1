import { Context, DateTime, Duration, Effect, Layer, Metric } from "effect"
import { invalidatedOnSetBack } from "../../adapters/postgres/connection/TtlCache.ts"
import { lateOutcomes } from "../../core/domain/AuditAction.ts"
import { Environment } from "../../core/domain/Company.ts"
import { toPesos } from "../../core/domain/Money.ts"
import { unresolvedStatuses } from "../../core/domain/Status.ts"
import type { UnresolvedSales, Vitals } from "../../core/ports/VitalSigns.ts"
import { seriesOf } from "../../core/telemetry/Metrics.ts"

/** Minimum interval between two reads of the database, regardless of how often metrics are scraped. */
const cacheTtl = Duration.seconds(5)

/** Timeout for reading the database. */
const readTimeout = Duration.seconds(2)

const gauge = <Labels extends string>(name: string, labels: ReadonlyArray<Labels>, description: string) =>
  seriesOf(labels, (attributes) => Metric.gauge(name, { description, attributes }))

const databaseUp = Metric.gauge("saldo_database_up", { description: "Whether the database answers: 1 or 0" })

const archiveFailing = Metric.gauge("saldo_archive_failing", {
  description: "Whether Postgres's last attempt to archive its log (WAL) failed: 1 or 0"
})

const closedUntil = Metric.gauge("saldo_closed_until_timestamp_seconds", {
  description: "Unix time up to which the days of all companies are closed; NaN if no company has ledger entries"
})

const environmentLabel = ["ambiente"] as const
const held = gauge("saldo_held_pesos", environmentLabel, "Money held by unresolved sales, in pesos")
const pending = gauge("saldo_pending_sales", ["ambiente", "status"], "Unresolved sales")
const oldest = gauge("saldo_pending_oldest_seconds", environmentLabel, "Age of the oldest unresolved sale, in seconds")
const cellLabels = ["ambiente", "cell"] as const
const cellPending = gauge("saldo_cell_pending_sales", cellLabels, "Unresolved sales of a cell")
const cellOldest = gauge(
  "saldo_cell_pending_oldest_seconds",
  cellLabels,
  "Age of the oldest unresolved sale of a cell, in seconds"
)
const cellUp = gauge(
  "saldo_cell_up",
  ["cell"],
  "Whether a cell answers: 1 or 0. It does not while its server is down or its tables are locked"
)
const reversals = gauge("saldo_pending_reversals", environmentLabel, "Unresolved reversals")
const oldestReversal = gauge(
  "saldo_pending_reversal_oldest_seconds",
  environmentLabel,
  "Age of the oldest unresolved reversal, in seconds"
)
const sms = gauge("saldo_sms_undelivered", environmentLabel, "Undelivered SMS of the last 24 hours")
const late = gauge(
  "saldo_late_outcomes",
  ["kind"],
  "Firm provider answers in the last hour that contradict a settlement"
)
const lowBalances = gauge(
  "saldo_companies_low_balance",
  environmentLabel,
  "Companies with a balance below their low-balance threshold"
)
const disabledWebhooks = gauge(
  "saldo_webhooks_disabled",
  environmentLabel,
  "Webhooks that the service or the operator has disabled"
)

/** The state of a webhook's last attempt, as a label. */
const receivers = ["ok", "failing"] as const

const dueDeliveries = gauge(
  "saldo_webhook_deliveries_due",
  ["ambiente", "receiver"],
  "Due deliveries of events to webhooks, at most 1000 counted for each webhook; by whether the webhook's last attempt failed"
)
const oldestDelivery = gauge(
  "saldo_webhook_due_oldest_seconds",
  ["ambiente", "receiver"],
  "Time since the oldest due delivery became due, in seconds"
)
const connections = gauge("saldo_pool_connections", ["state"], "Database connections of all processes, by state")

const connectionStates = ["active", "idle", "idle in transaction"]

const set = (series: Metric.Metric<number, unknown>, value: number) => Metric.update(series, value)

const sumOf = <A>(items: ReadonlyArray<A>, value: (item: A) => number): number =>
  items.reduce((total, item) => total + value(item), 0)

/** Age of the oldest item. 0 without items. */
const oldestAge_s = (items: ReadonlyArray<{ readonly oldest: DateTime.Utc }>, now: DateTime.Utc): number =>
  Math.max(0, ...items.map((each) => Duration.toSeconds(DateTime.distance(each.oldest, now))))

/** Sets the gauges of one cell. */
const setCellGauges = Effect.fnUntraced(function* (
  labels: { readonly ambiente: Environment; readonly cell: string },
  unresolved: ReadonlyArray<UnresolvedSales>,
  now: DateTime.Utc
) {
  const ofCell = unresolved.filter(({ cell }) => cell === labels.cell)
  yield* set(
    cellPending(labels),
    sumOf(ofCell, ({ sales }) => sales)
  )
  yield* set(cellOldest(labels), oldestAge_s(ofCell, now))
})

const markCellUnknown = Effect.fnUntraced(function* (labels: {
  readonly ambiente: Environment
  readonly cell: string
}) {
  for (const each of [cellPending, cellOldest]) yield* set(each(labels), Number.NaN)
})

/** Sets all gauges. A gauge without a row is set to 0. */
const setGauges = Effect.fnUntraced(function* (vitals: Vitals, now: DateTime.Utc) {
  yield* set(databaseUp, 1)
  yield* set(archiveFailing, vitals.archiveFailing ? 1 : 0)
  for (const cell of vitals.cells) yield* set(cellUp({ cell }), vitals.cellsDown.includes(cell) ? 0 : 1)
  const { closedUntil: until } = vitals
  yield* set(closedUntil, until === null ? Number.NaN : DateTime.toEpochMillis(until) / 1000)
  for (const ambiente of Environment.literals) {
    const here = <A extends { readonly environment: Environment }>(items: ReadonlyArray<A>) =>
      items.filter(({ environment }) => environment === ambiente)
    const unresolved = here(vitals.unresolved)
    for (const status of unresolvedStatuses) {
      const those = unresolved.filter((each) => each.status === status)
      yield* set(
        pending({ ambiente, status }),
        sumOf(those, ({ sales }) => sales)
      )
    }
    yield* set(
      held({ ambiente }),
      sumOf(unresolved, (each) => toPesos(each.held))
    )
    yield* set(oldest({ ambiente }), oldestAge_s(unresolved, now))
    for (const cell of vitals.cells) {
      if (vitals.cellsDown.includes(cell)) yield* markCellUnknown({ ambiente, cell })
      else yield* setCellGauges({ ambiente, cell }, unresolved, now)
    }
    const unresolvedReversals = here(vitals.unresolvedReversals)
    yield* set(
      reversals({ ambiente }),
      sumOf(unresolvedReversals, (each) => each.reversals)
    )
    yield* set(oldestReversal({ ambiente }), oldestAge_s(unresolvedReversals, now))
    yield* set(
      sms({ ambiente }),
      sumOf(here(vitals.undeliveredSms), ({ messages }) => messages)
    )
    yield* set(
      lowBalances({ ambiente }),
      sumOf(here(vitals.lowBalances), ({ companies }) => companies)
    )
    yield* set(
      disabledWebhooks({ ambiente }),
      sumOf(here(vitals.disabledWebhooks), ({ webhooks }) => webhooks)
    )
    for (const receiver of receivers) {
      const due = here(vitals.dueDeliveries).filter(({ failing }) => failing === (receiver === "failing"))
      yield* set(
        dueDeliveries({ ambiente, receiver }),
        sumOf(due, ({ deliveries }) => deliveries)
      )
      yield* set(oldestDelivery({ ambiente, receiver }), oldestAge_s(due, now))
    }
  }
  for (const kind of lateOutcomes) {
    const those = vitals.lateOutcomes.filter((each) => each.kind === kind)
    yield* set(
      late({ kind }),
      sumOf(those, (each) => each.outcomes)
    )
  }
  for (const state of connectionStates) {
    const those = vitals.connections.filter((each) => each.state === state)
    yield* set(
      connections({ state }),
      sumOf(those, (each) => each.connections)
    )
  }
})

/** Sets all gauges to NaN, because an outdated value would look current. */
const markUnknown = Effect.fnUntraced(function* (cells: ReadonlyArray<string>) {
  yield* set(databaseUp, 0)
  yield* set(archiveFailing, Number.NaN)
  yield* set(closedUntil, Number.NaN)
  for (const cell of cells) yield* set(cellUp({ cell }), Number.NaN)
  for (const ambiente of Environment.literals) {
    for (const each of [held, oldest, reversals, oldestReversal, sms, lowBalances, disabledWebhooks])
      yield* set(each({ ambiente }), Number.NaN)
    for (const status of unresolvedStatuses) yield* set(pending({ ambiente, status }), Number.NaN)
    for (const cell of cells) yield* markCellUnknown({ ambiente, cell })
    for (const receiver of receivers) {
      for (const each of [dueDeliveries, oldestDelivery]) yield* set(each({ ambiente, receiver }), Number.NaN)
    }
  }
  for (const kind of lateOutcomes) yield* set(late({ kind }), Number.NaN)
  for (const state of connectionStates) yield* set(connections({ state }), Number.NaN)
})

/** The metrics that are read from the database. */
export class Gauges extends Context.Service<
  Gauges,
  {
    /** Sets the effect that reads the values. Before that, the values are NaN. */
    readonly readBy: (read: Effect.Effect<Vitals>) => Effect.Effect<void>
    /** Reads the values again. If the read fails or takes longer than the timeout, sets them to NaN. */
    readonly refresh: Effect.Effect<void>
    /** The cells that do not answer. Empty if the database of the directory does not answer. */
    readonly cellsDown: Effect.Effect<ReadonlyArray<string>>
  }
>()("saldo/facade/Gauges") {
  static readonly layer = Layer.sync(Gauges, () => {
    let cells: ReadonlyArray<string> = []
    let cellsDown: ReadonlyArray<string> = []
    let refresh = markUnknown(cells)
    const reading = (read: Effect.Effect<Vitals>) =>
      read.pipe(
        Effect.timeout(readTimeout),
        Effect.tap((vitals) =>
          Effect.sync(() => {
            cells = vitals.cells
            cellsDown = vitals.cellsDown
          })
        ),
        Effect.flatMap((vitals) => Effect.flatMap(DateTime.now, (now) => setGauges(vitals, now))),
        Effect.catchCause((cause) => {
          cellsDown = []
          return Effect.andThen(Effect.logWarning("the gauges could not be read", cause), markUnknown(cells))
        }),
        Effect.cachedInvalidateWithTTL(cacheTtl)
      )
    return Gauges.of({
      readBy: (read) =>
        Effect.map(reading(read), ([cached, invalidate]) => {
          refresh = invalidatedOnSetBack(invalidate)(cached)
        }),
      refresh: Effect.suspend(() => refresh),
      cellsDown: Effect.map(
        Effect.suspend(() => refresh),
        () => cellsDown
      )
    })
  })
}
