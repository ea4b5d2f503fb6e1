import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryDirectory } from "../boot/TemporaryDirectory.ts"
import { startChild } from "./processes/ChildProcess.ts"

/** A process that runs these lines. */
const running = Effect.fnUntraced(function* (...lines: ReadonlyArray<string>) {
  const directory = yield* temporaryDirectory
  const file = join(directory, "program.mjs")
  writeFileSync(file, lines.join("\n"))
  const log = join(directory, "program.log")
  return { log, child: yield* startChild({ file, environment: {}, log }) }
})

describe("a process of a crash run", () => {
  it.live("may log before it says where it takes calls", () =>
    Effect.gen(function* () {
      const { child } = yield* running(
        'console.log("[20:15] ERROR: the database does not answer")',
        'console.log("ready at http://127.0.0.1:1")'
      )
      assert.strictEqual(yield* child.lineAfter("ready at "), "http://127.0.0.1:1")
    })
  )

  it.live("that ends without saying so takes no calls, and its log is named", () =>
    Effect.gen(function* () {
      const { child, log } = yield* running('console.log("ERROR: the database does not answer")', "process.exit(1)")
      const { message } = yield* Effect.flip(child.lineAfter("ready at "))
      assert.include(message, log)
      assert.strictEqual(yield* child.ended, 1)
    })
  )

  it.live("that ends by itself leaves its last words, and all of them in the log", () =>
    Effect.gen(function* () {
      const { child, log } = yield* running(
        'console.log("said to whoever started it")',
        'throw new Error("nobody caught this")'
      )
      assert.strictEqual(yield* child.ended, 1)
      for (const words of [child.lastWords(), readFileSync(log, "utf8")]) {
        assert.include(words, "said to whoever started it")
        assert.include(words, "nobody caught this")
      }
      assert.include(child.lastWords(), log)
    })
  )

  it.live("that is killed has no exit code", () =>
    Effect.gen(function* () {
      const { child } = yield* running('console.log("up")', "setInterval(() => undefined, 1000)")
      assert.strictEqual(yield* child.line, "up")
      yield* child.signal("SIGKILL")
      assert.isNull(yield* child.ended)
    })
  )
})
