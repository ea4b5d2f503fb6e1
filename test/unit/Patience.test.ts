import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { makePatience } from "../../core/workflows/Patience.ts"

const watching = Effect.gen(function* () {
  const late: Array<string> = []
  const unlessDone = yield* makePatience(Duration.seconds(5))
  const begin = (name: string) => unlessDone(Effect.sync(() => void late.push(name)))
  return { begin, late, unlessDone }
})

describe("patience", () => {
  it.effect("ends for each after its own five seconds", () =>
    Effect.gen(function* () {
      const { begin, late } = yield* watching
      yield* begin("first")
      yield* TestClock.adjust("2 seconds")
      yield* begin("second")
      yield* TestClock.adjust("2999 millis")
      assert.deepStrictEqual(late, [])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(late, ["first"])
      yield* TestClock.adjust("1999 millis")
      assert.deepStrictEqual(late, ["first"])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(late, ["first", "second"])
    }).pipe(Effect.scoped)
  )

  it.effect("is called off by what is done in time, and begins anew for what comes after", () =>
    Effect.gen(function* () {
      const { begin, late } = yield* watching
      const callOff = yield* begin("done")
      yield* begin("late")
      callOff()
      callOff()
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(late, ["late"])
      yield* begin("later")
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(late, ["late", "later"])
    }).pipe(Effect.scoped)
  )

  it.effect("does not act upon what is called off by what it acts upon", () =>
    Effect.gen(function* () {
      const { begin, late, unlessDone } = yield* watching
      let callOff = (): unknown => undefined
      yield* unlessDone(Effect.sync(() => void callOff()))
      callOff = yield* begin("called off")
      yield* begin("late")
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(late, ["late"])
    }).pipe(Effect.scoped)
  )

  it.effect("keeps nothing of the call that came first", () =>
    Effect.gen(function* () {
      const { begin, unlessDone } = yield* watching
      yield* Effect.annotateLogs(begin("first"), { request_id: "first" })
      const around: Array<object> = []
      yield* unlessDone(Effect.map(References.CurrentLogAnnotations, (annotations) => void around.push(annotations)))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(around, [{}])
    }).pipe(Effect.scoped)
  )

  it.effect("goes on when what it does breaks", () =>
    Effect.gen(function* () {
      const { begin, late, unlessDone } = yield* watching
      yield* unlessDone(Effect.die("broken"))
      yield* begin("late")
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(late, ["late"])
    }).pipe(Effect.scoped)
  )
})
