import { Effect } from "effect"
import type { DatabaseRole } from "../../facade/settings/DatabaseServer.ts"
import { runStatement } from "./EmbeddedDatabases.ts"

/** Database roles that get a login. Each login is a member of its role and of no other role. */
const logins: ReadonlyArray<DatabaseRole> = ["saldo_server", "saldo_operator"]
const password = "of-the-tests"
const loginIn = (role: DatabaseRole) => `test_${role}`

/** Creates the logins. The roles must exist already. */
export const makeLogins = (url: string) =>
  Effect.forEach(logins, (role) =>
    runStatement(url, `create role ${loginIn(role)} login password '${password}' in role ${role}`)
  )

/** URL of the same database with the login of a role. */
export const asLoginIn = (role: DatabaseRole, url: string): string => {
  const address = new URL(url)
  address.username = loginIn(role)
  address.password = password
  return address.href
}
