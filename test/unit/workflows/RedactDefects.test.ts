import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { redactDefects } from "../../../core/telemetry/RedactDefects.ts"

const secret = "Titular Prueba"

/** The defect after redaction. */
const kept = (defect: unknown) =>
  Effect.map(Effect.exit(redactDefects(Effect.die(defect))), (exit) =>
    Exit.isFailure(exit) ? Cause.squash(exit.cause) : assert.fail("the effect did not fail")
  )

describe("a redacted defect", () => {
  it.effect.each([
    ["an error", new TypeError(`no phone of ${secret}`)],
    ["an error with a cause", new Error("no phone", { cause: new Error(secret) })],
    ["an error with fields", Object.assign(new Error("no phone"), { titular: secret })],
    ["an error whose message looks like a stack frame", new Error(`no phone\n    at ${secret} (x.ts:1:1)`)],
    ["a text", secret],
    ["an object", { message: secret }],
    ["nothing", undefined]
  ])("does not contain the text of %s", ([, defect]) =>
    Effect.gen(function* () {
      const left = yield* kept(defect)
      assert.instanceOf(left, Error)
      const all = Reflect.ownKeys(left as object).map((key) => String(Reflect.get(left as object, key)))
      assert.notInclude(all.join("\n"), secret)
    })
  )

  it.effect("keeps its name and its stack frames", () =>
    Effect.gen(function* () {
      const left = yield* kept(new TypeError(secret))
      if (!(left instanceof Error)) return assert.fail("no error is left")
      assert.strictEqual(left.name, "TypeError")
      assert.match(
        left.stack ?? "",
        /^TypeError: message withheld, because it may contain personal data\n +at .*RedactDefects\.test\.ts:\d+:\d+/
      )
    })
  )

  it.effect("leaves results and typed failures unchanged", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* redactDefects(Effect.succeed(secret)), secret)
      assert.strictEqual(yield* Effect.flip(redactDefects(Effect.fail(secret))), secret)
    })
  )
})
