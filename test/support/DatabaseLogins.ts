import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import type { DatabaseRole } from "../../facade/settings/DatabaseServer.ts"

/** Logins as an operator makes them: members of a role, and nothing else. */
const logins: ReadonlyArray<DatabaseRole> = ["saldo_server", "saldo_operator"]
const password = "of-the-tests"
const loginIn = (role: DatabaseRole) => `test_${role}`

/** Makes the logins of a server, once the roles are there. */
export const makeLogins = (url: string) =>
  PgClient.makeClient({ url: Redacted.make(url) }).pipe(
    Effect.flatMap((sql) =>
      Effect.forEach(
        logins,
        (role) => sql.unsafe(`create role ${loginIn(role)} login password '${password}' in role ${role}`).unprepared
      )
    ),
    Effect.scoped,
    Effect.provide(Reactivity.layer)
  )

/** The same database by the login that is in a role. */
export const asLoginIn = (role: DatabaseRole, url: string): string => {
  const address = new URL(url)
  address.username = loginIn(role)
  address.password = password
  return address.href
}
