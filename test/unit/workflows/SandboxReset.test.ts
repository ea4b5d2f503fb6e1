import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { Verdict } from "../../../core/domain/Sale.ts"
import { Adjustments } from "../../../core/ports/Accounts.ts"
import { Companies } from "../../../core/ports/Companies.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { keepResetting } from "../../../core/workflows/SandboxReset.ts"
import { sandboxOpening } from "../../../core/workflows/Seed.ts"
import { company, intent } from "../../support/Examples.ts"
import { delivery, fund, money, unavailableFor, world } from "../../support/InMemoryWorld.ts"
import { CapturedLog } from "../../support/service/CapturedLog.ts"

const companies = (found: Option.Option<typeof company>) =>
  Layer.mock(Companies, { findByCode: () => Effect.succeed(found) })

const Sandbox = Layer.merge(world().layer, companies(Option.some(company)))

const clock = (iso: string) => TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe(iso)))

/** Creates the sandbox on a Wednesday at noon. */
const made = Effect.andThen(clock("2026-03-11T12:00:00-04:00"), fund(sandboxOpening))

const reserved = (key: string) =>
  Effect.flatMap(
    Ledger.use((ledger) => ledger.reserve(intent({ key }))),
    (answer) =>
      answer._tag === "Reservation" ? Effect.succeed(answer.order) : Effect.die(new Error("the key was not free"))
  )

const settled = (order: Effect.Success<ReturnType<typeof reserved>>, verdict: Verdict) =>
  Effect.flatMap(DateTime.now, (at) => Ledger.use((ledger) => ledger.settle({ order, verdict, at, notFound: 0 })))

/** A sale of 100 pesos. */
const sold = (key: string) => Effect.flatMap(reserved(key), (order) => settled(order, Verdict.Confirm({ delivery })))

/** The available and the held amount, in pesos. */
const pesos = Effect.map(money, ({ available, held }) => [available / 100, held / 100])

describe("the balance of the sandbox", () => {
  it.effect("returns to 100,000 pesos at each local midnight", () =>
    Effect.gen(function* () {
      yield* made
      yield* Effect.forkChild(keepResetting)
      yield* sold("k1")
      yield* clock("2026-03-11T23:59:59.999-04:00")
      assert.deepStrictEqual(yield* pesos, [99_900, 0])
      yield* clock("2026-03-12T00:00:00-04:00")
      assert.deepStrictEqual(yield* pesos, [100_000, 0])
      yield* sold("k2")
      yield* clock("2026-03-12T23:59:59.999-04:00")
      assert.deepStrictEqual(yield* pesos, [99_900, 0])
      yield* clock("2026-03-13T00:00:00-04:00")
      assert.deepStrictEqual(yield* pesos, [100_000, 0])
    }).pipe(Effect.provide(Sandbox))
  )

  it.effect("returns to 100,000 pesos even if it was higher", () =>
    Effect.gen(function* () {
      yield* made
      yield* Ledger.use((ledger) =>
        Effect.flatMap(DateTime.now, (at) =>
          ledger.deposit({ companyId: company.id, amount: sandboxOpening, reference: "more", at })
        )
      )
      yield* clock("2026-03-12T08:00:00-04:00")
      yield* Effect.forkChild(keepResetting)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(yield* pesos, [100_000, 0])
    }).pipe(Effect.provide(Sandbox))
  )

  // How the held sale is settled after midnight -> the available balance.
  it.effect.each([
    ["confirmed", Verdict.Confirm({ delivery }), 100_000],
    ["released", Verdict.Release({ refusal: "TRANSACTION_REJECTED" }), 100_100]
  ] as const)("still holds the amount of a sale that is %s only after the reset", ([, verdict, after]) =>
    Effect.gen(function* () {
      yield* made
      yield* sold("k1")
      const order = yield* reserved("k2")
      yield* Effect.forkChild(keepResetting)
      yield* clock("2026-03-12T00:00:00-04:00")
      assert.deepStrictEqual(yield* pesos, [100_000, 100])
      yield* settled(order, verdict)
      assert.deepStrictEqual(yield* pesos, [after, 0])
    }).pipe(Effect.provide(Sandbox))
  )

  it.effect("is reset once a day, however many processes run or start", () =>
    Effect.gen(function* () {
      yield* made
      for (let process = 0; process < 3; process++) yield* Effect.forkChild(keepResetting)
      yield* sold("k1")
      yield* clock("2026-03-12T00:00:00-04:00")
      assert.deepStrictEqual(yield* pesos, [100_000, 0])
      yield* sold("k2")
      yield* clock("2026-03-12T15:00:00-04:00")
      yield* Effect.forkChild(keepResetting)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* pesos, [99_900, 0])
    }).pipe(Effect.provide(Sandbox))
  )

  it.effect("is not reset again on the same day if it had not changed at the first reset", () =>
    Effect.gen(function* () {
      yield* made
      yield* Effect.forkChild(keepResetting)
      yield* clock("2026-03-12T00:00:00-04:00")
      yield* sold("k1")
      yield* Effect.forkChild(keepResetting)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* pesos, [99_900, 0])
    }).pipe(Effect.provide(Sandbox))
  )

  // Whether there was a sale before midnight -> how often the log says that the balance was reset.
  it.effect.each([
    [true, 1],
    [false, 0]
  ] as const)("is logged as reset only if a sale had changed it: %s", ([hasSale, times]) =>
    Effect.gen(function* () {
      const lines = yield* CapturedLog
      const resets = () => lines.filter((line) => line.includes("the sandbox balance was reset")).length
      yield* made
      yield* Effect.forkChild(keepResetting)
      yield* TestClock.adjust(0)
      assert.strictEqual(resets(), 0, "at the first start")
      if (hasSale) yield* sold("k1")
      yield* clock("2026-03-12T00:00:00-04:00")
      assert.strictEqual(resets(), times)
    }).pipe(Effect.provide([Sandbox, CapturedLog.layer]))
  )

  it.effect("is not reset on the day of the sandbox's creation", () =>
    Effect.gen(function* () {
      yield* made
      yield* sold("k1")
      yield* clock("2026-03-11T18:00:00-04:00")
      yield* Effect.forkChild(keepResetting)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* pesos, [99_900, 0])
    }).pipe(Effect.provide(Sandbox))
  )

  it.effect("is reset at the start of a process if no process ran at midnight", () =>
    Effect.gen(function* () {
      yield* made
      yield* sold("k1")
      yield* clock("2026-03-14T09:30:00-04:00")
      assert.deepStrictEqual(yield* pesos, [99_900, 0])
      yield* Effect.forkChild(keepResetting)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(yield* pesos, [100_000, 0])
      yield* sold("k2")
      yield* clock("2026-03-15T00:00:00-04:00")
      assert.deepStrictEqual(yield* pesos, [100_000, 0])
    }).pipe(Effect.provide(Sandbox))
  )

  it.effect("is reset as soon as the database is reachable again, if it was unreachable at midnight", () => {
    const orGone = unavailableFor(3)
    const failing = Effect.updateService(Adjustments, ({ adjust }: Adjustments["Service"]) => ({
      adjust: (adjustment: Parameters<typeof adjust>[0]) => orGone(adjust(adjustment))
    }))
    return Effect.gen(function* () {
      yield* made
      yield* sold("k1")
      yield* clock("2026-03-12T00:00:00-04:00")
      yield* Effect.forkChild(failing(keepResetting))
      yield* TestClock.adjust("14 seconds")
      assert.deepStrictEqual(yield* pesos, [99_900, 0])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* pesos, [100_000, 0])
    }).pipe(Effect.provide(Sandbox))
  })

  it.effect("is not reset for a production company that has the code of the sandbox", () =>
    Effect.gen(function* () {
      yield* made
      yield* sold("k1")
      yield* Effect.forkChild(keepResetting)
      yield* clock("2026-03-12T00:00:00-04:00")
      assert.deepStrictEqual(yield* pesos, [99_900, 0])
    }).pipe(
      Effect.provide(Layer.merge(world().layer, companies(Option.some({ ...company, environment: "production" }))))
    )
  )
})
