import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Fiber } from "effect"
import { temporaryDirectory } from "../support/FirstStart.ts"
import { makeRunTime } from "./environment/RunTime.ts"
import { startChild } from "./processes/ChildProcess.ts"

/** Starts a process that runs these lines of JavaScript. */
const running = Effect.fnUntraced(function* (...lines: ReadonlyArray<string>) {
  const directory = yield* temporaryDirectory
  const file = join(directory, "program.mjs")
  writeFileSync(file, lines.join("\n"))
  const log = join(directory, "program.log")
  return { log, child: yield* startChild({ file, environment: {}, log }) }
})

describe("a child process of a crash run", () => {
  it.live("may log before it announces its address", () =>
    Effect.gen(function* () {
      const { child } = yield* running(
        'console.log("[20:15] ERROR: the database does not answer")',
        'console.log("ready at http://127.0.0.1:1")'
      )
      assert.strictEqual(yield* child.lineAfter("ready at "), "http://127.0.0.1:1")
    })
  )

  it.live("fails the wait for its address when it exits first, and names its log file", () =>
    Effect.gen(function* () {
      const { child, log } = yield* running('console.log("ERROR: the database does not answer")', "process.exit(1)")
      const { message } = yield* Effect.flip(child.lineAfter("ready at "))
      assert.include(message, log)
      assert.strictEqual(yield* child.ended, 1)
    })
  )

  it.live("keeps its last output when it exits by itself, and all output in the log", () =>
    Effect.gen(function* () {
      const { child, log } = yield* running('console.log("some output")', 'throw new Error("uncaught failure")')
      assert.strictEqual(yield* child.ended, 1)
      for (const words of [child.lastWords(), readFileSync(log, "utf8")]) {
        assert.include(words, "some output")
        assert.include(words, "uncaught failure")
      }
      assert.include(child.lastWords(), log)
    })
  )

  it.live("has no exit code when it is killed", () =>
    Effect.gen(function* () {
      const { child } = yield* running('console.log("up")', "setInterval(() => undefined, 1000)")
      assert.strictEqual(yield* child.line, "up")
      yield* child.signal("SIGKILL")
      assert.isNull(yield* child.ended)
    })
  )
})

const time = Effect.flatMap(temporaryDirectory, makeRunTime)

describe("the shared time of a run", () => {
  it.live("jumps on the wall clock and the monotonic clock", () =>
    Effect.gen(function* () {
      const { jump, on } = yield* time
      const before = yield* on(Effect.all([Clock.currentTimeMillis, Clock.monotonicTimeNanos]))
      yield* jump("20 minutes")
      const after = yield* on(Effect.all([Clock.currentTimeMillis, Clock.monotonicTimeNanos]))
      assert.isAtLeast(after[0] - before[0], Duration.toMillis("20 minutes"))
      assert.isAtLeast(Number(after[1] - before[1]) / 1e6, Duration.toMillis("20 minutes"))
    })
  )

  it.live("wakes only the sleepers whose time has passed", () =>
    Effect.gen(function* () {
      const { jump, on } = yield* time
      const [short, long] = yield* Effect.all([
        Effect.forkChild(on(Effect.sleep("1 hour"))),
        Effect.forkChild(on(Effect.sleep("3 hours")))
      ])
      yield* Effect.yieldNow
      yield* jump("2 hours")
      yield* Fiber.join(short)
      assert.isUndefined(long.pollUnsafe())
      yield* jump("2 hours")
      yield* Fiber.join(long)
    })
  )

  it.live("waits before a jump until effects that a jump must not interrupt have ended", () =>
    Effect.gen(function* () {
      const { jump, on, still } = yield* time
      const done = yield* Deferred.make<void>()
      const doing = yield* Effect.forkChild(still(Deferred.await(done)))
      yield* Effect.yieldNow
      const before = yield* on(Clock.currentTimeMillis)
      const jumping = yield* Effect.forkChild(jump("2 hours"))
      yield* Effect.yieldNow
      assert.isBelow((yield* on(Clock.currentTimeMillis)) - before, Duration.toMillis("1 hour"))
      yield* Deferred.succeed(done, undefined)
      yield* Fiber.join(doing)
      yield* Fiber.join(jumping)
      assert.isAtLeast((yield* on(Clock.currentTimeMillis)) - before, Duration.toMillis("2 hours"))
    })
  )

  it.live("ends a wait whose timeout passes in a jump", () =>
    Effect.gen(function* () {
      const { jump, on } = yield* time
      const waiting = yield* Effect.forkChild(on(Effect.timeoutOption(Effect.never, "30 seconds")))
      yield* Effect.yieldNow
      yield* jump("31 seconds")
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "None")
    })
  )
})
