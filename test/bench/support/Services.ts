import { fileURLToPath } from "node:url"
import { Effect, Redacted } from "effect"
import { EmbeddedPostgres } from "../../../adapters/embedded/EmbeddedPostgres.ts"
import * as Database from "../../../adapters/postgres/connection/Database.ts"
import { copyDatabase } from "../../support/EmbeddedDatabases.ts"
import { listening, saldo, serving, startProgram } from "../../support/SaldoProcess.ts"

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** A server process that accepts calls. */
export interface Service {
  readonly url: string
  readonly pid: number
}

type Started = Effect.Success<ReturnType<typeof listening>>

const serviceOf = ({ process, url }: Started): Service => ({ url, pid: process.pid ?? 0 })

/**
 * Creates an empty database on the Postgres of the benchmark.
 *
 * @returns its URL.
 */
export const newDatabase = (name: string) =>
  EmbeddedPostgres.use(({ url }) => copyDatabase(Redacted.value(url), "template0", name))

/** A connection to a database that does not use the connections of the servers. */
export const connectedTo = (database: string) => Database.layer({ url: Redacted.make(database), connections_max: 1 })

/** The variables with the addresses of other nodes. */
export type NodeVariables = Readonly<Record<string, string>>

// Rate limits are counted, but they are too high for the load to reach.
const environmentOf = (database: string, nodes: NodeVariables) => ({
  ...nodes,
  DATABASE_URL: database,
  RATE_LIMIT_PER_MINUTE: "1000000",
  RATE_LIMIT_ADDRESS_PER_MINUTE: "1000000",
  // The endpoint of the webhooks is on this machine.
  WEBHOOK_ALLOW_LOCAL: "on"
})

/** The Node flags of `npm start`. */
const startFlags = ["--max-semi-space-size=32", "--heap-growing-percent=30", "--no-allocation-site-pretenuring"]

/**
 * Starts `saldo serve` on a database.
 *
 * @param profile directory for a CPU profile that the process writes on exit; null for no profile.
 */
export const startSaldo = (database: string, profile: string | null, nodes: NodeVariables = {}) =>
  Effect.map(
    serving(environmentOf(database, nodes), [
      ...startFlags,
      ...(profile === null ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`])
    ]),
    serviceOf
  )

/** Runs a command of `saldo` on a database. */
export const command = (database: string, args: ReadonlyArray<string>, nodes: NodeVariables = {}) =>
  saldo([...args, "--json"], environmentOf(database, nodes))

/**
 * Starts `saldo console` on a database.
 *
 * @returns the one-time link that opens the console without an account.
 */
export const startConsole = (database: string) =>
  Effect.map(
    Effect.flatMap(saldo(["console"], { ...environmentOf(database, {}), CONSOLE_PORT: "0" }), listening),
    ({ url }) => url
  )

/** Starts the conventional service on an empty database. */
export const startPeer = (database: string) =>
  Effect.flatMap(startProgram(fileOf("../peer/main.ts"), [], { DATABASE_URL: database }), listening).pipe(
    Effect.map(serviceOf)
  )

const startFile = (path: string) => Effect.map(Effect.flatMap(startProgram(fileOf(path), [], {}), listening), serviceOf)

/** Starts the server that answers "ok". */
export const startBare = startFile("../bare.ts")

/** Starts the endpoint of the webhooks. */
export const startEndpoint = startFile("../endpoint.ts")
