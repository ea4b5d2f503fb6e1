import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Scope } from "effect"
import * as AccountsPostgres from "../../../adapters/postgres/AccountsPostgres.ts"
import * as AdjustmentsPostgres from "../../../adapters/postgres/AdjustmentsPostgres.ts"
import * as AuditLogPostgres from "../../../adapters/postgres/AuditLogPostgres.ts"
import { readingInAnyRole } from "../../../adapters/postgres/CompanyReads.ts"
import * as InsurancesPostgres from "../../../adapters/postgres/InsurancesPostgres.ts"
import * as LedgerPostgres from "../../../adapters/postgres/LedgerPostgres.ts"
import * as OptionsPostgres from "../../../adapters/postgres/OptionsPostgres.ts"
import * as OutboxPostgres from "../../../adapters/postgres/OutboxPostgres.ts"
import * as ResolutionsPostgres from "../../../adapters/postgres/ResolutionsPostgres.ts"
import * as ReversalsPostgres from "../../../adapters/postgres/ReversalsPostgres.ts"
import * as TransactionsPostgres from "../../../adapters/postgres/TransactionsPostgres.ts"
import * as UnresolvedPostgres from "../../../adapters/postgres/UnresolvedPostgres.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { type Ports, portsIn } from "../../process/Ports.ts"
import type { Machine } from "../../process/Process.ts"
import { type Answerer, Wire } from "./Wire.ts"

const adapters = Layer.mergeAll(
  AccountsPostgres.layer,
  AdjustmentsPostgres.layer,
  AuditLogPostgres.layer,
  InsurancesPostgres.layer,
  LedgerPostgres.layer,
  OptionsPostgres.layer,
  OutboxPostgres.layer,
  ResolutionsPostgres.layer,
  ReversalsPostgres.layer,
  TransactionsPostgres.layer,
  UnresolvedPostgres.layer
)

/**
 * The production driver, connected to this process over one in-process connection. The first statement opens it, so the
 * layer is built without waiting.
 */
const driver = (answerer: Answerer) =>
  PgClient.layerFrom(
    PgClient.make({
      stream: () => new Wire(answerer),
      username: "saldo",
      minConnections: 0,
      maxConnections: 1,
      // Without multiplexing, an interrupted statement waits on the timer of the machine instead of simulated time.
      multiplex: true,
      // Longer than any run.
      idleTimeout: "3650 days"
    })
  )

/** The production adapters for one process, with its own clock, random numbers and connection. */
export const adaptersFor = (machine: Context.Context<Machine>, answerer: Answerer): Ports => {
  const layer = Layer.fresh(adapters.pipe(Layer.provide(readingInAnyRole), Layer.provide(driver(answerer))))
  const context = Effect.runSyncWith(machine)(Layer.buildWithScope(layer, Scope.makeUnsafe()))
  return {
    ...portsIn(context),
    record: Context.get(context, AuditLog).record
  }
}
