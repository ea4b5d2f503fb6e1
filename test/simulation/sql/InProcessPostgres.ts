import { readFileSync } from "node:fs"
import { PgClient } from "@effect/sql-pg"
import { PGlite } from "@electric-sql/pglite"
import { type Effect, Layer, ManagedRuntime } from "effect"
import * as InsurancesMemory from "../../../adapters/memory/InsurancesMemory.ts"
import * as EventsOfCells from "../../../adapters/postgres/cells/EventsOfCells.ts"
import { anyRoleReaderLayer } from "../../../adapters/postgres/connection/CompanyReads.ts"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import { migrate } from "../../../adapters/postgres/schema/Migrations.ts"
import { setBlockLength, testBlockLength } from "../../support/SalesHistory.ts"
import { addCell, uniteCellsSql } from "../../support/SeveralCells.ts"
import { companies, simulatedCells } from "../process/CompaniesAndCatalogue.ts"
import { begunLogSql } from "./ClosedCells.ts"
import { commitLogSql } from "./CommitLog.ts"
import { allCellsLayer } from "./ProductionAdapters.ts"
import { type ConnectionHandler, greeting, WireSocket } from "./WireProtocol.ts"

/** A file of `sql/functions`, changed in one place. */
export interface FunctionPatch {
  readonly file: string
  readonly from: string
  readonly to: string
}

/** A planted bug in the database: a changed function, or a statement that runs in the empty database. */
export interface DatabaseBug {
  readonly patch?: FunctionPatch
  readonly statement?: string
}

/** The original text of a file. */
const functionText = (file: string): string =>
  readFileSync(new URL(`../../../sql/functions/${file}.sql`, import.meta.url), "utf8")

/** The changed text. Throws unless the original contains `from` exactly once. */
export const patchedFunction = ({ file, from, to }: FunctionPatch): string => {
  const text = functionText(file)
  if (text.split(from).length !== 2)
    throw new Error(`sql/functions/${file}.sql does not contain this text exactly once: ${from}`)
  return text.replace(from, () => to)
}

/**
 * Removes all data of a run. It also resets the sequences, so that equal seeds draw equal ids. It drops the prepared
 * statements, because all connections share one session.
 */
const resetSqlOf = (tables: ReadonlyArray<string>, sequences: ReadonlyArray<string>): string => `
  deallocate all;
  discard plans;
  set session_replication_role = replica;
  truncate ${tables.join(", ")}, directory.audit_event, directory.phone_quota cascade;
  truncate simulation.change, simulation.begun restart identity;
  update directory.cell set state = 'open';
  ${sequences.map((name) => `alter sequence ${name} restart;`).join("\n")}
  set session_replication_role = origin;
`

/** Names of the tables, or of the sequences, that a run changes in the cells. */
const namesInCells = async (postgres: PGlite, kind: "r" | "S"): Promise<ReadonlyArray<string>> => {
  const { rows } = await postgres.query<{ name: string }>(
    `select c.oid::regclass::text as name
     from directory.cell as d
     join pg_class as c on c.relnamespace = d.name::regnamespace
     where c.relkind = $1 and c.relname <> 'schema_file'`,
    [kind]
  )
  return rows.map(({ name }) => name)
}

/** A Postgres in this process, and a fault-free connection to observe it. */
export interface InProcessPostgres {
  /** Runs a statement to its end, synchronously. */
  readonly run: (statement: Uint8Array) => Uint8Array
  readonly observe: <A, E>(effect: Effect.Effect<A, E, Layer.Success<Observer>>) => Promise<A>
  /** Empties the tables, restores the functions and sequences, and plants a bug. */
  readonly reset: (bug: DatabaseBug) => Promise<void>
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
  return Layer.mergeAll(AuditPostgres.layer, EventsOfCells.layer).pipe(
    Layer.provide([anyRoleReaderLayer, allCellsLayer, InsurancesMemory.vaultLayer]),
    Layer.provideMerge(PgClient.layerFrom(connection))
  )
}

export const startPostgres = async (): Promise<InProcessPostgres> => {
  const postgres = await PGlite.create()
  const run: InProcessPostgres["run"] = (statement) => postgres.execProtocolRawSync(statement)
  const observer = () => ManagedRuntime.make(Layer.fresh(observerOf(run)))
  let runtime = observer()
  await runtime.runPromise(migrate)
  const [first = "", ...others] = simulatedCells
  for (const cell of others) await runtime.runPromise(addCell(cell))
  await runtime.runPromise(setBlockLength(testBlockLength, first))
  await postgres.exec(uniteCellsSql)
  await postgres.exec(commitLogSql)
  await postgres.exec(begunLogSql)
  for (const { cell, code, environment, id, legalName } of companies)
    await postgres.query(
      `insert into directory.company (id, legal_name, code, environment, created_at, cell)
       overriding system value values ($1, $2, $3, $4, 'epoch', $5)`,
      [id, legalName, code, environment, cell]
    )
  const resetSql = resetSqlOf(await namesInCells(postgres, "r"), await namesInCells(postgres, "S"))
  // The generic plan is reused. The tables of a run are so small that planning a statement would take longer than
  // running it.
  await postgres.exec("set plan_cache_mode = force_generic_plan")
  let changed: string | null = null
  const install = async (functions: string) => {
    for (const cell of simulatedCells) {
      await postgres.exec(`set search_path = ${cell}, pg_temp`)
      await postgres.exec(functions)
      await postgres.exec("reset search_path")
      await runtime.runPromise(setBlockLength(testBlockLength, cell))
    }
  }
  return {
    run,
    observe: (effect) => runtime.runPromise(effect),
    reset: async ({ patch, statement }) => {
      const before = changed
      changed = patch?.file ?? null
      if (before !== null) await install(functionText(before))
      if (patch !== undefined) await install(patchedFunction(patch))
      await runtime.dispose()
      await postgres.exec(resetSql)
      if (statement !== undefined) await postgres.exec(statement)
      runtime = observer()
    }
  }
}
