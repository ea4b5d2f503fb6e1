import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import { inject } from "vitest"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import type { Procedure } from "../../facade/console/api/Procedure.ts"
import { DatabaseServer } from "../../facade/settings/DatabaseServer.ts"
import { runStatement } from "../support/EmbeddedDatabases.ts"
import { type Scan, scansOfStatements } from "../support/ExplainedScans.ts"
import { loadSalesHistory, setBlockLength } from "../support/SalesHistory.ts"
import { everyProcedure, testConsole } from "./TestConsole.ts"

const companies = [
  { company: 1, sales: 200, days: 30 },
  { company: 2, sales: 40_000, days: 30 }
]
const auditEvents = 20_000

const companyRows = `
  insert into directory.company (legal_name, code, environment, created_at)
  select 'Colmado ' || n, 'COLMADO-' || n, 'development', 'epoch' from generate_series(1, ${companies.length}) as n`

const auditRows = `
  insert into directory.audit_event (at, action, company_id, details, actor, via)
  select timestamptz '2026-01-01' + n * interval '1 minute', 'foreign_company', 1 + n % 2, '{}', 'server', 'server'
  from generate_series(1, ${auditEvents}) as n`

/** Writes a long history as the owner of the console's database. */
const History = Layer.effectDiscard(
  Effect.gen(function* () {
    const { url } = yield* DatabaseServer
    const owner = new URL(inject("postgresUrl"))
    owner.pathname = new URL(Redacted.value(url)).pathname
    yield* runStatement(owner.href, companyRows)
    yield* runStatement(owner.href, auditRows)
    yield* Effect.all([setBlockLength(1_000), ...companies.map(loadSalesHistory)], { discard: true }).pipe(
      Effect.provide(Database.layer({ url: Redacted.make(owner.href), connections_max: 1 }))
    )
    yield* runStatement(owner.href, "analyze")
  })
)

/** Values for the fields of procedures. A procedure ignores the fields that it does not have. */
const values = {
  empresa_id: "2",
  transaction_id: "30000",
  webhook_id: "1",
  caso_id: "1",
  seguro_id: "1",
  dia: "2026-01-31",
  buscar: "c-100"
}

// Leaves out panorama.ver, because one call may use the statements of another call. panoramaPlans.test.ts tests it.
const queries: ReadonlyArray<{ readonly name: string; readonly procedure: Procedure }> = everyProcedure.filter(
  ({ name, procedure }) => procedure.kind === "query" && procedure.gate !== "public" && name !== "panorama.ver"
)

/**
 * Maximum number of rows of a table that a query may read through an index. A page needs fewer, and the long tables have far
 * more.
 */
const rows_max = 10_000

/** Maximum number of rows of a table that a query may read without an index. */
const scanned_max = 2_000

layer(Layer.provideMerge(History, testConsole()), { excludeTestServices: true, timeout: "2 minutes" })(
  "a query of the console on a long history",
  (it) => {
    it.effect.each(queries)("reads no long table as a whole: $name", ({ procedure }) =>
      Effect.gen(function* () {
        assert.isTrue(Result.isSuccess(procedure.input.read(values)), "values has no value for a required field")
        const scans: Array<Scan> = []
        for (const given of [values, {}]) {
          const input = procedure.input.read(given)
          // Some procedures require a field.
          if (Result.isFailure(input)) continue
          const call = { input: input.success, session: null, address: "127.0.0.1", keepSession: () => {} }
          scans.push(...(yield* scansOfStatements(Effect.exit(procedure.handle(call)))))
        }
        assert.isNotEmpty(scans)
        assert.deepStrictEqual(
          scans.filter(({ kind, rows }) => rows > (kind === "Seq Scan" ? scanned_max : rows_max)),
          []
        )
      })
    )
  }
)
