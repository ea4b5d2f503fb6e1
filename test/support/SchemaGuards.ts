import { PgClient } from "@effect/sql-pg"
import { Data, Effect, Predicate, Result } from "effect"

class RolledBack extends Data.TaggedError("RolledBack") {}

const constraintOf = (cause: unknown): unknown =>
  Predicate.hasProperty(cause, "constraint") && cause.constraint !== undefined
    ? cause.constraint
    : Predicate.hasProperty(cause, "cause")
      ? constraintOf(cause.cause)
      : String(cause)

/**
 * Runs statements, rolls them back, and returns the name of the constraint or trigger that refused them; null if no
 * constraint or trigger refused them.
 */
export const refusedBy = Effect.fnUntraced(function* (statements: ReadonlyArray<string>) {
  const sql = yield* PgClient.PgClient
  const run = Effect.forEach(statements, (statement) => sql.unsafe(statement).unprepared, { discard: true })
  const result = yield* Effect.result(sql.withTransaction(Effect.andThen(run, Effect.fail(new RolledBack()))))
  if (Result.isSuccess(result)) return yield* Effect.die(new Error("the transaction was not rolled back"))
  return result.failure._tag === "RolledBack" ? null : constraintOf(result.failure.reason.cause)
})

/** Whether a table stores insurances or their messages. */
export const isOfInsurance = (table: string): boolean => table === "insurance" || table === "sms"

/** Whether a table stores events, webhooks or deliveries. */
export const isOfEvents = (table: string): boolean => ["delivery", "event", "webhook"].includes(table)

/** Whether a table stores our balances with providers, or differences between a provider's statement and our sales. */
export const isOfProviders = (table: string): boolean => /^(?:statement_case|provider_)/.test(table)
/** Whether a table stores closings. */
export const isOfClosings = (table: string): boolean => table === "closing"

/** Whether a table stores proposals of deposits and adjustments. */
export const isOfFunding = (table: string): boolean => table === "funding_proposal"

/**
 * Names of all checks, foreign keys, unique keys and triggers of a schema that can refuse a statement. Primary keys are
 * left out, and so are the triggers that keep closed companies unchanged (closedGuards.test.ts).
 */
export const guardsIn = Effect.fnUntraced(function* (
  schema: string,
  isWanted: (table: string) => boolean = () => true
) {
  const sql = yield* PgClient.PgClient
  const guards = yield* sql<{ table: string; name: string }>`
    with guard as (
      select conrelid as of, conname as name from pg_constraint where contype in ('c', 'f')
      union all
      select x.indrelid, i.relname
      from pg_index as x
      join pg_class as i on i.oid = x.indexrelid
      where x.indisunique and not x.indisprimary
      union all
      select t.tgrelid, t.tgname
      from pg_trigger as t
      join pg_proc as p on p.oid = t.tgfoid
      where not t.tgisinternal and p.proname like 'refuse\\_%' and p.proname <> 'refuse_closed'
    )
    select c.relname as table, g.name
    from guard as g
    join pg_class as c on c.oid = g.of
    where c.relnamespace = ${schema}::regnamespace and c.relkind = 'r'`
  return guards
    .filter(({ table }) => isWanted(table))
    .map(({ name }) => name)
    .sort()
})

/** Builds insert statements for a table. `usual` has the values for columns that a row does not state. */
export const rowsOf =
  (table: string, usual: Readonly<Record<string, string | number>>) =>
  (changes: Readonly<Record<string, string | number>> = {}): string => {
    const columns = { ...usual, ...changes }
    return `insert into ${table} (${Object.keys(columns).join()}) values (${Object.values(columns).join()})`
  }
