import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Schedule, Schema, Scope } from "effect"
import { type ChildProcess, startChild } from "../processes/ChildProcess.ts"
import type { CrashPoint, PlannedSignal } from "../processes/CrashPoints.ts"
import { ServerCommand, SupplierCommand, type SupplierPlan, SupplierRecord } from "../processes/StdinCommands.ts"
import type { RunTime } from "./RunTime.ts"

const serverMain = fileURLToPath(new URL("../processes/serverMain.ts", import.meta.url))

/** A server that cannot be started for so long is broken. */
const start_max = "60 seconds"

/** One of the servers: a process, and after it has died another. */
export interface Server {
  readonly name: string
  /** Where it takes calls, or took them last. */
  readonly url: () => string
  readonly meet: (fate: PlannedSignal | null) => Effect.Effect<void>
  /** Waits until it is at the point where its fate meets it, for ever if the process ends before. */
  readonly reached: (point: CrashPoint) => Effect.Effect<void>
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  readonly isDead: () => boolean
  /** Starts it again if it is dead, and waits until it takes calls. */
  readonly revive: Effect.Effect<void>
  /** How it ended by itself, each time that it did so while it took calls. */
  readonly ownEnds: ReadonlyArray<string>
}

interface ServerContext {
  /** Where it logs. */
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  readonly time: RunTime
  /** Waits until the database answers. */
  readonly database: Effect.Effect<void>
}

/** Starts a server. */
export const startServer = Effect.fnUntraced(function* (
  name: string,
  { database, directory, environment, time }: ServerContext
) {
  const scope = yield* Effect.scope
  const log = join(directory, `${name.replace(" ", "-")}.log`)
  const ownEnds: Array<string> = []

  const spawn = Scope.provide(startChild({ file: serverMain, environment, log }), scope)
  // Most of a start is the loading of modules: the next process has done that before it is needed.
  let next = yield* spawn
  const launch = Effect.gen(function* () {
    const child = next.isOver() ? yield* spawn : next
    yield* database
    yield* child.tell(ServerCommand.cases.Serve.make({}))
    const url = yield* Effect.ensuring(
      child.lineAfter("ready at "),
      Effect.map(spawn, (spawned) => {
        next = spawned
      })
    )
    return { child, url }
  }).pipe(
    // A jump in the middle would be all the time that a start gives its database to answer.
    time.still,
    // Without a database it does not start, and that may go at any time; whoever watches over it tries again.
    Effect.retry(Schedule.spaced("100 millis").pipe(Schedule.upTo({ duration: start_max }))),
    Effect.orDie
  )
  const watch = (child: ChildProcess) =>
    Effect.forkIn(
      Effect.map(child.ended, (code) => {
        if (code !== null) ownEnds.push(`${name} ended with ${code} after it had said:\n${child.lastWords()}`)
      }),
      scope
    )

  let now = yield* launch
  yield* watch(now.child)
  return {
    name,
    url: () => now.url,
    meet: (fate) => now.child.tell(ServerCommand.cases.Meet.make({ fate })),
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

const suppliersMain = fileURLToPath(new URL("../processes/suppliersMain.ts", import.meta.url))

/** The provider and the insurer of a run, as it directs them. */
export interface Suppliers {
  readonly providerUrl: string
  readonly insurerUrl: string
  readonly play: (plans: ReadonlyArray<SupplierPlan>) => Effect.Effect<void>
  readonly behave: Effect.Effect<void>
  /** What they really did. */
  readonly truth: Effect.Effect<SupplierRecord>
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** Ends them; answers whether every request was one that they understand. */
  readonly dismiss: Effect.Effect<boolean>
}

/** Starts the suppliers, which log to the directory. */
export const startSuppliers = Effect.fnUntraced(function* (
  directory: string,
  environment: Readonly<Record<string, string>>
) {
  const child = yield* startChild({ file: suppliersMain, environment, log: join(directory, "suppliers.log") })
  const [providerUrl = "", insurerUrl = ""] = (yield* child.lineAfter("ready at ")).split(" ")
  const ask = (order: SupplierCommand) => Effect.andThen(child.tell(order), Effect.orDie(child.line))
  return {
    providerUrl,
    insurerUrl,
    play: (plans) => Effect.asVoid(ask(SupplierCommand.cases.Play.make({ plans }))),
    behave: Effect.asVoid(ask(SupplierCommand.cases.Behave.make({}))),
    truth: Effect.flatMap(ask(SupplierCommand.cases.Tell.make({})), (line) =>
      Effect.orDie(Schema.decodeEffect(Schema.fromJsonString(SupplierRecord))(line))
    ),
    signal: child.signal,
    dismiss: Effect.andThen(
      child.dismiss,
      Effect.map(child.ended, (code) => code === 0)
    )
  } satisfies Suppliers
})
