import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import type { DatabaseRole } from "../../facade/settings/DatabaseServer.ts"

/** Database roles that get a login. Each login is a member of its role and of no other role. */
const logins: ReadonlyArray<DatabaseRole> = ["saldo_server", "saldo_operator"]
const password = "of-the-tests"
const loginIn = (role: DatabaseRole) => `test_${role}`

/** Creates the logins. The roles must exist already. */
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

/** URL of the same database with the login of a role. */
export const asLoginIn = (role: DatabaseRole, url: string): string => {
  const address = new URL(url)
  address.username = loginIn(role)
  address.password = password
  return address.href
}
