import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"

/** The address of another database on the same server. */
const onServer = (url: string, database: string): string => {
  const address = new URL(url)
  address.pathname = `/${database}`
  return address.href
}

/**
 * Makes a database that starts as a copy of another on the server of `url`, which nobody has open.
 *
 * @returns its address.
 */
export const copyDatabase = (url: string, template: string, name: string): Effect.Effect<string> =>
  PgClient.makeClient({ url: Redacted.make(onServer(url, "postgres")) }).pipe(
    Effect.flatMap((sql) => sql`create database ${sql(name)} template ${sql(template)}`.unprepared),
    Effect.as(onServer(url, name)),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.orDie
  )
