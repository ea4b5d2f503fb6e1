import { readFileSync } from "node:fs"
import { PgClient } from "@effect/sql-pg"
import { PGlite } from "@electric-sql/pglite"
import { type Effect, Layer, ManagedRuntime } from "effect"
import { anyRoleReaderLayer } from "../../../adapters/postgres/connection/CompanyReads.ts"
import * as EventsPostgres from "../../../adapters/postgres/events/EventsPostgres.ts"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import { migrate } from "../../../adapters/postgres/schema/Migrations.ts"
import { setBlockLength } from "../../support/SalesHistory.ts"
import { companies } from "../process/CompaniesAndCatalogue.ts"
import { commitLogSql } from "./CommitLog.ts"
import { type ConnectionHandler, greeting, WireSocket } from "./WireProtocol.ts"

/** A file of `sql/functions`, changed in one place. */
export interface FunctionPatch {
  readonly file: string
  readonly from: string
  readonly to: string
}

/** The original text of a file. */
const functionText = (file: string): string =>
  readFileSync(new URL(`../../../sql/functions/${file}.sql`, import.meta.url), "utf8")

/** The changed text. Throws unless the original contains `from` exactly once. */
export const patchedFunction = ({ file, from, to }: FunctionPatch): string => {
  const text = functionText(file)
  if (text.split(from).length !== 2) throw new Error(`sql/functions/${file}.sql does not say once: ${from}`)
  return text.replace(from, () => to)
}

/**
 * Removes all data of a run. It also resets the sequences, so that equal seeds draw equal ids. It drops the prepared
 * statements, because all connections share one session.
 */
const resetSql = `
  deallocate all;
  discard plans;
  set session_replication_role = replica;
  truncate cell.adjustment, cell.balance, cell.block, cell.closing, cell.consumption, cell.deposit_reference, cell.entry,
    cell.delivery, cell.event, cell.funding_proposal, cell.idempotency, cell.insurance, cell.option, cell.resolution, cell.reversal, cell.sms,
    cell.sublist_block, cell.transaction, cell.webhook, directory.audit_event, cell.follow_up,
    directory.phone_quota cascade;
  truncate simulation.change restart identity;
  alter sequence cell.transaction_id restart;
  alter sequence cell.entry_id restart;
  alter sequence cell.funding_proposal_number restart;
  alter sequence cell.reversal_id restart;
  alter sequence cell.insurance_id restart;
  alter sequence cell.webhook_id restart;
  set session_replication_role = origin;
`

/** Length of a list block. It is short, so that the few sales of a run fill some blocks. */
const blockLength = 4

/** A Postgres in this process, and a fault-free connection to observe it. */
export interface InProcessPostgres {
  /** Runs a statement to its end, synchronously. */
  readonly run: (statement: Uint8Array) => Uint8Array
  readonly observe: <A, E>(effect: Effect.Effect<A, E, Layer.Success<Observer>>) => Promise<A>
  /** Empties the tables and installs the functions again, either with the original text or with a mutant. */
  readonly reset: (patch: FunctionPatch | null) => Promise<void>
}

type Observer = ReturnType<typeof observerOf>

const observerOf = (run: InProcessPostgres["run"]) => {
  const say = (wire: WireSocket, bytes: Uint8Array) => {
    wire.send(bytes)
    wire.arrive()
  }
  const answerer: ConnectionHandler = {
    greet: (wire) => say(wire, greeting),
    respond: (wire, { bytes }) => say(wire, run(bytes))
  }
  const connection = PgClient.make({ stream: () => new WireSocket(answerer), username: "saldo", maxConnections: 1 })
  return Layer.mergeAll(AuditPostgres.layer, EventsPostgres.layer).pipe(
    Layer.provide(anyRoleReaderLayer),
    Layer.provideMerge(PgClient.layerFrom(connection))
  )
}

export const startPostgres = async (): Promise<InProcessPostgres> => {
  const postgres = await PGlite.create()
  const run: InProcessPostgres["run"] = (statement) => postgres.execProtocolRawSync(statement)
  const observer = () => ManagedRuntime.make(Layer.fresh(observerOf(run)))
  let runtime = observer()
  await runtime.runPromise(migrate)
  await postgres.exec(commitLogSql)
  const shorten = () => runtime.runPromise(setBlockLength(blockLength))
  await shorten()
  for (const { code, environment, id, legalName } of companies)
    await postgres.query(
      `insert into directory.company (id, legal_name, code, environment, created_at)
       overriding system value values ($1, $2, $3, $4, 'epoch')`,
      [id, legalName, code, environment]
    )
  // The generic plan is reused. The tables of a run are so small that planning a statement would take longer than
  // running it.
  await postgres.exec("set plan_cache_mode = force_generic_plan")
  let changed: string | null = null
  const install = async (functions: string) => {
    await postgres.exec("set search_path = cell, pg_temp")
    await postgres.exec(functions)
    await postgres.exec("reset search_path")
  }
  return {
    run,
    observe: (effect) => runtime.runPromise(effect),
    reset: async (patch) => {
      await runtime.dispose()
      const before = changed
      changed = patch?.file ?? null
      if (before !== null) await install(functionText(before))
      if (patch !== null) await install(patchedFunction(patch))
      await postgres.exec(resetSql)
      runtime = observer()
      if (before !== null || patch !== null) await shorten()
    }
  }
}
