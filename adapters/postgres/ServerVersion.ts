import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** The Postgres that everything was tried on. */
const oldest = 18

/** An earlier Postgres takes the functions of the money, and does not understand them when a sale is to be settled. */
export class PostgresTooOld extends Schema.TaggedError<PostgresTooOld>()("PostgresTooOld", {
  message: Schema.String
}) {}

/** What a server says of itself: in words, and as 180004. */
export interface ServerVersion {
  readonly version: string
  readonly number: number
}

export const serverVersion = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<ServerVersion>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number`
  return row ?? { version: "of no version", number: 0 }
})

/** What is wrong with a server of that version, and what to do; null for nothing. */
export const faultOf = ({ number, version }: ServerVersion): string | null =>
  number >= oldest * 10_000
    ? null
    : `it is Postgres ${version}, and Saldo needs ${oldest} or later: move the data to one`

/** Ends before anything is kept in a database that could not settle what it takes. */
export const notTooOld = Effect.flatMap(serverVersion, (version) => {
  const fault = faultOf(version)
  return fault === null
    ? Effect.void
    : Effect.fail(new PostgresTooOld({ message: `the database cannot be used: ${fault}` }))
})
