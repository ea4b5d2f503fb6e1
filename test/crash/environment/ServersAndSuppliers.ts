import { join } from "node:path"
import { Effect, Schedule, Schema, Scope } from "effect"
import type { Programs } from "../processes/Bundle.ts"
import { type ChildProcess, startChild } from "../processes/ChildProcess.ts"
import type { CrashPoint, PlannedSignal } from "../processes/CrashPoints.ts"
import { ServerCommand } from "../processes/StdinCommands.ts"
import { SupplierCommand, type SupplierPlan, SupplierRecord } from "../processes/SupplierCommands.ts"
import { ReceivedEvent, type Subscription } from "../processes/WebhookEndpoints.ts"
import type { RunTime } from "./RunTime.ts"

/** Timeout of the start of a server. */
const start_max = "60 seconds"

/** One of the two servers. When its process dies, a new process replaces it. */
export interface Server {
  readonly name: string
  /** Base URL of the current process. Null if the process is dead, because another process may listen on its port. */
  readonly url: () => string | null
  readonly arm: (planned: PlannedSignal | null) => Effect.Effect<void>
  /** Waits until the server is at its armed crash point. Never returns if the process ends before that. */
  readonly reached: (point: CrashPoint) => Effect.Effect<void>
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  readonly isDead: () => boolean
  /** Restarts the server if it is dead, and waits until it accepts calls. */
  readonly revive: Effect.Effect<void>
  /** The end of the output of every process that ended by itself while it served. */
  readonly ownEnds: ReadonlyArray<string>
}

interface ServerContext {
  readonly programs: Programs
  /** Directory of the log file. */
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  readonly time: RunTime
  /** Waits until the database answers. */
  readonly database: Effect.Effect<void>
}

export const startServer = Effect.fnUntraced(function* (
  name: string,
  { database, directory, environment, programs, time }: ServerContext
) {
  const scope = yield* Effect.scope
  const log = join(directory, `${name.replace(" ", "-")}.log`)
  const ownEnds: Array<string> = []

  const spawn = Scope.provide(startChild({ file: programs.serverMain, environment, log }), scope)
  // Loading modules takes most of the start of a server. The next process is therefore spawned in advance and waits for
  // the command to serve.
  let next = yield* spawn
  const launch = Effect.gen(function* () {
    const child = next.isOver() ? yield* spawn : next
    yield* database
    yield* child.send(ServerCommand.cases.Serve.make({}))
    const url = yield* Effect.ensuring(
      child.lineAfter("ready at "),
      Effect.map(spawn, (spawned) => {
        next = spawned
      })
    )
    return { child, url }
  }).pipe(
    // If the shared time jumped while a server starts, the timeout of its first database connection would expire.
    time.still,
    // A server does not start without a database, and the database may fail at any moment. Therefore
    // a failed start is repeated, as a supervisor would do.
    Effect.retry(Schedule.spaced("100 millis").pipe(Schedule.upTo({ duration: start_max }))),
    Effect.orDie
  )
  const watch = (child: ChildProcess) =>
    Effect.forkIn(
      Effect.map(child.ended, (code) => {
        if (code !== null) ownEnds.push(`${name} ended with ${code}; its last output:\n${child.lastWords()}`)
      }),
      scope
    )

  let now = yield* launch
  yield* watch(now.child)
  return {
    name,
    url: () => (now.child.isOver() ? null : now.url),
    arm: (planned) => now.child.send(ServerCommand.cases.Arm.make({ planned })),
    reached: (point) =>
      Effect.suspend(() => now.child.lineAfter(`reached ${point}`)).pipe(
        Effect.catch(() => Effect.never),
        Effect.asVoid
      ),
    signal: (signal) => Effect.suspend(() => now.child.signal(signal)),
    isDead: () => now.child.isOver(),
    revive: Effect.gen(function* () {
      if (!now.child.isOver()) return
      now = yield* launch
      yield* watch(now.child)
    }),
    ownEnds
  } satisfies Server
})

/** The provider, the insurer and the endpoints of webhooks of a run, controlled by commands. */
export interface Suppliers {
  readonly providerUrl: string
  readonly insurerUrl: string
  /** URL of the endpoints, without their paths. */
  readonly endpointsUrl: string
  readonly play: (plans: ReadonlyArray<SupplierPlan>) => Effect.Effect<void>
  readonly behave: Effect.Effect<void>
  /** The orders that the suppliers received and delivered. */
  readonly truth: Effect.Effect<SupplierRecord>
  /** Opens an endpoint for a webhook. */
  readonly subscribe: (subscription: Subscription) => Effect.Effect<void>
  /** The events that the endpoints received since the last call. */
  readonly takeEvents: Effect.Effect<ReadonlyArray<ReceivedEvent>>
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  /**
   * Ends the suppliers.
   *
   * @returns whether every request followed the protocol.
   */
  readonly dismiss: Effect.Effect<boolean>
}

/** Starts the suppliers. Their log is in the directory. */
export const startSuppliers = Effect.fnUntraced(function* (
  { suppliersMain }: Programs,
  directory: string,
  environment: Readonly<Record<string, string>>
) {
  const child = yield* startChild({ file: suppliersMain, environment, log: join(directory, "suppliers.log") })
  const [providerUrl = "", insurerUrl = "", endpointsUrl = ""] = (yield* child.lineAfter("ready at ")).split(" ")
  const ask = (command: SupplierCommand) => Effect.andThen(child.send(command), Effect.orDie(child.line))
  const read = <A>(command: SupplierCommand, schema: Schema.Codec<A>) =>
    Effect.flatMap(ask(command), (line) => Effect.orDie(Schema.decodeEffect(Schema.fromJsonString(schema))(line)))
  return {
    providerUrl,
    insurerUrl,
    endpointsUrl,
    play: (plans) => Effect.asVoid(ask(SupplierCommand.cases.Play.make({ plans }))),
    behave: Effect.asVoid(ask(SupplierCommand.cases.Behave.make({}))),
    truth: read(SupplierCommand.cases.Report.make({}), SupplierRecord),
    subscribe: (subscription) => Effect.asVoid(ask(SupplierCommand.cases.Subscribe.make({ subscription }))),
    takeEvents: read(SupplierCommand.cases.TakeEvents.make({}), Schema.Array(ReceivedEvent)),
    signal: child.signal,
    dismiss: Effect.andThen(
      child.dismiss,
      Effect.map(child.ended, (code) => code === 0)
    )
  } satisfies Suppliers
})
