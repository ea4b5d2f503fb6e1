import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Schedule, Scope } from "effect"
import { type Child, program } from "../process/Child.ts"
import type { Fate } from "../server/Points.ts"

const main = fileURLToPath(new URL("../server/main.ts", import.meta.url))

/** A server that cannot be started for so long is broken. */
const start_max = "60 seconds"

/** One of the servers: a process, and after it has died another. */
export interface Server {
  readonly name: string
  /** Where it takes calls, or took them last. */
  readonly url: () => string
  readonly meet: (fate: Fate | null) => Effect.Effect<void>
  /** Waits until it is at the point where its fate met it; interrupted by no end of the process. */
  readonly reached: Effect.Effect<string>
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  readonly isDead: () => boolean
  /** Starts it again if it is dead, and waits until it takes calls. */
  readonly revive: Effect.Effect<void>
  /** The exit codes with which it ended by itself. */
  readonly ownEnds: ReadonlyArray<number>
}

/** Starts a server, which logs to the directory. */
export const startServer = Effect.fnUntraced(function* (
  name: string,
  directory: string,
  environment: Readonly<Record<string, string>>
) {
  const scope = yield* Effect.scope
  const log = join(directory, `${name.replace(" ", "-")}.log`)
  const ownEnds: Array<number> = []

  const launch = Effect.gen(function* () {
    const child = yield* program({ file: main, environment, log })
    return { child, url: yield* child.lineAfter("ready at ") }
  }).pipe(
    // Without a database it does not start; whoever watches over it tries again.
    Effect.retry(Schedule.spaced("100 millis").pipe(Schedule.upTo({ duration: start_max }))),
    Effect.orDie,
    Scope.provide(scope)
  )
  const watch = (child: Child) =>
    Effect.forkIn(
      Effect.map(child.ended, (code) => {
        if (code !== null) ownEnds.push(code)
      }),
      scope
    )

  let now = yield* launch
  yield* watch(now.child)
  return {
    name,
    url: () => now.url,
    meet: (fate) => now.child.tell(fate),
    reached: Effect.suspend(() => now.child.lineAfter("reached ")).pipe(Effect.catch(() => Effect.never)),
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
