import { Effect } from "effect"
import { OperationsPort } from "./ops/OperationsPort.ts"
import { DatabaseServer } from "./settings/DatabaseServer.ts"
import { Settings } from "./settings/Settings.ts"

/** The facts about a listening server that `saldo serve` announces. */
export interface Started {
  readonly settings: Settings["Service"]
  /** The port of the listener. With PORT=0, the operating system chooses the port. */
  readonly port: number
  /** Description of the database, without secrets. */
  readonly place: string
  /** URL of the operations port. Null if there is none. */
  readonly ops: string | null
  /** URL of the operator console. Null if it does not run in this process. */
  readonly console: string | null
}

// Starts the console only with the embedded Postgres. With another database, this process has the database login of a
// server, and the operator runs `saldo console`, which has the database login of an operator. The modules of the console
// are loaded only here.
const startConsole = Effect.gen(function* () {
  const { console } = yield* Settings
  const { ours } = yield* DatabaseServer
  if (console === null || !ours) return null
  const { consoleBeside } = yield* Effect.promise(() => import("./ConsoleLayer.ts"))
  return yield* consoleBeside(console)
})

/** Starts the operator console in the process of a server that listens on a port. */
export const startedAt = Effect.fnUntraced(function* (port: number) {
  const { place } = yield* DatabaseServer
  const { url } = yield* OperationsPort
  return { settings: yield* Settings, port, place, ops: url, console: yield* startConsole } satisfies Started
})
