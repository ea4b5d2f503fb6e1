import { fileURLToPath } from "node:url"
import { Effect, Redacted } from "effect"
import { EmbeddedPostgres } from "../../../adapters/embedded/EmbeddedPostgres.ts"
import * as Database from "../../../adapters/postgres/connection/Database.ts"
import { copyDatabase } from "../../support/EmbeddedDatabases.ts"
import { listening, saldo, serving, startProgram } from "../../support/SaldoProcess.ts"

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** A server process that takes calls. */
export interface Service {
  readonly url: string
  readonly pid: number
}

type Started = Effect.Success<ReturnType<typeof listening>>

const serviceOf = ({ process, url }: Started): Service => ({ url, pid: process.pid ?? 0 })

/** The address of a new empty database on the server that all of them share. */
export const newDatabase = (name: string) =>
  EmbeddedPostgres.use(({ url }) => copyDatabase(Redacted.value(url), "template0", name))

/** A connection to a database, beside those of the servers. */
export const connectedTo = (database: string) => Database.layer({ url: Redacted.make(database), connections_max: 1 })

// More calls than a caller may make in a minute; they are counted all the same.
const environmentOf = (database: string) => ({
  DATABASE_URL: database,
  RATE_LIMIT_PER_MINUTE: "1000000",
  RATE_LIMIT_ADDRESS_PER_MINUTE: "1000000"
})

/** The Node flags of `npm start`. */
const startFlags = ["--max-semi-space-size=32", "--heap-growing-percent=30", "--no-allocation-site-pretenuring"]

/**
 * `saldo serve` on a database.
 *
 * @param profile a directory for a CPU profile that the process writes when it ends; null for none.
 */
export const startSaldo = (database: string, profile: string | null) =>
  Effect.map(
    serving(environmentOf(database), [
      ...startFlags,
      ...(profile === null ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`])
    ]),
    serviceOf
  )

/** A command of `saldo` on a database. */
export const command = (database: string, ...args: ReadonlyArray<string>) =>
  saldo([...args, "--json"], environmentOf(database))

/** What people would usually write, on an empty database. */
export const startPeer = (database: string) =>
  Effect.flatMap(startProgram(fileOf("../peer/main.ts"), [], { DATABASE_URL: database }), listening).pipe(
    Effect.map(serviceOf)
  )

/** A server that says "ok". */
export const startBare = Effect.flatMap(startProgram(fileOf("../bare.ts"), [], {}), listening).pipe(
  Effect.map(serviceOf)
)
