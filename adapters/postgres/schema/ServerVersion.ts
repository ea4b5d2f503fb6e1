import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** The oldest supported Postgres, the version that everything is tested with. */
const oldest = 18

/** The server is too old. Earlier versions accept the money functions but fail when a sale is settled. */
export class PostgresTooOld extends Schema.TaggedError<PostgresTooOld>()("PostgresTooOld", {
  message: Schema.String
}) {}

/** The server's version as text and as a number, for example 180004. */
export interface ServerVersion {
  readonly version: string
  readonly number: number
}

export const serverVersion = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<ServerVersion>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number`
  return row ?? { version: "of unknown version", number: 0 }
})

/** The problem with a server version and its remedy. Null if the version is supported. */
export const faultOf = ({ number, version }: ServerVersion): string | null =>
  number >= oldest * 10_000
    ? null
    : `it runs Postgres ${version}, but Saldo needs version ${oldest} or later: move the data to a newer server`

/** Fails if the server is too old, before anything is stored in it. */
export const notTooOld = Effect.flatMap(serverVersion, (version) => {
  const fault = faultOf(version)
  return fault === null
    ? Effect.void
    : Effect.fail(new PostgresTooOld({ message: `the database cannot be used: ${fault}` }))
})
