import { PgClient, PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer, Stream } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { CaseKind } from "../../../core/domain/Case.ts"
import { instantsOf } from "../../../core/domain/LocalTime.ts"
import { StatementWithoutDates } from "../../../core/domain/OperatorErrors.ts"
import type { StatementLine } from "../../../core/domain/ProviderStatement.ts"
import { type ComparedStatement, type Comparison, ProviderStatements } from "../../../core/ports/ProviderStatements.ts"
import { everyCell } from "../connection/Cell.ts"
import { advisoryLocks, instant } from "../connection/Sql.ts"
import {
  analyzeTables,
  makeTables,
  pairLines,
  readSales,
  type Span,
  storeCases,
  storeDifferences
} from "./StatementTables.ts"

const { int4, int8, text, timestamptz } = PgTypes.OID

const epochOf = (at: DateTime.Utc | undefined) => (at === undefined ? null : DateTime.toEpochMillis(at))

interface LoadedRow {
  readonly lines: number
  readonly since: Date | null
  readonly until: Date | null
}

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const readCells = yield* everyCell

  // An array for each column, because Postgres reads arrays faster than rows.
  const load = Effect.fnUntraced(function* (lines: ReadonlyArray<StatementLine>) {
    const array = (oid: number, valueOf: (line: StatementLine) => unknown) =>
      Effect.orDie(Effect.fromResult(PgTypes.array(lines.map(valueOf), oid)))
    yield* sql`
      insert into pg_temp.compared_line (line, xid, external_id, status, amount, since, until)
      select *
      from unnest(
        ${yield* array(int4, ({ line }) => line)}, ${yield* array(text, ({ xid }) => xid)},
        ${yield* array(text, ({ externalId }) => externalId)}, ${yield* array(text, ({ status }) => status)},
        ${yield* array(int8, ({ amount }) => (amount === null ? null : BigInt(amount)))},
        ${yield* array(timestamptz, ({ dated }) => epochOf(dated?.since))},
        ${yield* array(timestamptz, ({ dated }) => epochOf(dated?.until))}
      )`
  })

  const spanOf = (days: ComparedStatement<never>["days"], { since, until }: LoadedRow) => {
    if (days !== null) return Effect.succeed(instantsOf(days) as Span)
    return since === null || until === null
      ? Effect.fail(new StatementWithoutDates())
      : Effect.succeed({ since: DateTime.fromDateUnsafe(since), until: DateTime.fromDateUnsafe(until) })
  }

  // The time of a comparison. It is later than the times of all earlier comparisons, even if the clocks of two machines
  // differ.
  const instantOf = Effect.fnUntraced(function* ({ at, provider }: Pick<ComparedStatement<never>, "at" | "provider">) {
    yield* sql`select pg_advisory_xact_lock(${advisoryLocks.statements})`
    const [row] = yield* sql<{ at: Date }>`
      select greatest(${instant(at)}::timestamptz, max(seen_at) + interval '1 ms') as at
      from directory.statement_case
      where provider = ${provider}`
    return row === undefined ? at : DateTime.fromDateUnsafe(row.at)
  })

  const compare = <E>({ days, file, lines, provider, ...statement }: ComparedStatement<E>) =>
    Effect.gen(function* () {
      yield* makeTables(sql)
      yield* Stream.runForEach(lines, load)
      const [loaded = { lines: 0, since: null, until: null }] = yield* sql<LoadedRow>`
        select count(*)::int as lines, min(since) as since, max(until) as until from pg_temp.compared_line`
      const span = yield* spanOf(days, loaded)
      const at = yield* instantOf({ at: statement.at, provider })
      const environment = provider === "simulador" ? "development" : "production"
      for (const cell of yield* readCells) yield* readSales(sql, cell, environment, span)
      yield* analyzeTables(sql)
      yield* pairLines(sql)
      const { matched, ...counts } = yield* storeDifferences(sql, span)
      const differences = Object.fromEntries(CaseKind.literals.map((kind) => [kind, counts[kind]]))
      const comparison: Comparison = {
        at,
        ...span,
        lines: loaded.lines,
        matched,
        differences: differences as Comparison["differences"],
        cases: yield* storeCases(sql, { provider, file, span, at })
      }
      yield* statement.record(comparison)
      return comparison
    }).pipe(sql.withTransaction, Effect.catchIf(isSqlError, Effect.die))

  return ProviderStatements.of({ compare })
})

/**
 * `ProviderStatements` in Postgres. One transaction reads the lines into temporary tables, pairs them with the sales and
 * stores the cases. It locks no row that a sale needs.
 */
export const layer = Layer.effect(ProviderStatements, make)
