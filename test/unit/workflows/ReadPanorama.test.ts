import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Environment } from "../../../core/domain/Company.ts"
import { ServiceId } from "../../../core/domain/Ids.ts"
import { Centavos } from "../../../core/domain/Money.ts"
import type { HourOfService, OpenMatters } from "../../../core/domain/Panorama.ts"
import { Audit } from "../../../core/ports/Audit.ts"
import { type Interval, PanoramaReads } from "../../../core/ports/PanoramaReads.ts"
import { Panoramas } from "../../../core/workflows/ReadPanorama.ts"

const nothingOpen: OpenMatters = {
  held: { bands: [], reversals: 0, oldest: null },
  lowBalances: { total: 0, items: [] },
  webhooks: { total: 0, items: [] },
  oldestDelivery: null,
  closing: { day: null, closed: 0, unclosed: 0 }
}

const intervalOf = ({ since, until }: Interval): string => `${DateTime.formatIso(since)} ${DateTime.formatIso(until)}`

/** Ports that note each read as text. */
const portsNoting = (noted: Array<string>, used: ReadonlyArray<Environment> = ["production"]) => {
  const note = (read: string) => Effect.sync(() => noted.push(read))
  const row = (n: number): HourOfService => ({
    hour: 0,
    service: { id: ServiceId.make(1), name: "Recarga" },
    sold: n,
    amount: Centavos.make(100),
    failed: 0,
    reversed: 0,
    unresolved: 0
  })
  return Layer.mergeAll(
    Layer.succeed(PanoramaReads, {
      environments: Effect.succeed(used),
      sales: (environment, created) =>
        Effect.map(note(`sales ${environment} ${intervalOf(created)}`), () => [row(noted.length)]),
      suppliers: (environment, created) => Effect.as(note(`suppliers ${environment} ${intervalOf(created)}`), []),
      open: (environment) => Effect.as(note(`open ${environment}`), nothingOpen)
    }),
    Layer.succeed(Audit, { prove: Effect.succeed([]), record: () => Effect.void, last: Effect.succeed(null) })
  )
}

const noting = (noted: Array<string>, used?: ReadonlyArray<Environment>) =>
  Layer.provide(Panoramas.layer, portsNoting(noted, used))

const at = (text: string) => TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe(text)))

describe("the panorama, the overview page of the operator console,", () => {
  it.effect("reads today, the same weekday a week before, and the last hour", () => {
    const noted: Array<string> = []
    return Effect.gen(function* () {
      yield* at("2026-03-11T03:20:00Z") // 23:20 on 10 March, local time
      yield* (yield* Panoramas).read("production")
      assert.deepStrictEqual(noted, [
        "sales production 2026-03-03T04:00:00.000Z 2026-03-04T04:00:00.000Z",
        "sales production 2026-03-04T03:00:00.000Z 2026-03-04T03:20:00.000Z",
        "sales production 2026-03-10T04:00:00.000Z 2026-03-11T04:00:00.000Z",
        "suppliers production 2026-03-10T04:00:00.000Z 2026-03-11T04:00:00.000Z",
        "suppliers production 2026-03-11T02:20:00.000Z 2026-03-11T03:20:00.000Z",
        "open production"
      ])
    }).pipe(Effect.provide(noting(noted)))
  })

  it.effect.each([
    [["development"], "development"],
    [["development", "production"], "production"],
    [[], "development"]
  ] as ReadonlyArray<readonly [ReadonlyArray<Environment>, Environment]>)(
    "of companies in %j shows %s unless another environment is asked for",
    ([used, shown]) =>
      Effect.gen(function* () {
        const { read: panorama } = yield* Panoramas
        assert.strictEqual((yield* panorama(undefined)).environment, shown)
        assert.strictEqual((yield* panorama("development")).environment, "development")
      }).pipe(Effect.provide(noting([], used)))
  )

  it.effect("is read once for consoles that ask within five seconds", () => {
    const noted: Array<string> = []
    return Effect.gen(function* () {
      yield* at("2026-03-10T16:00:00Z")
      const { read: panorama } = yield* Panoramas
      yield* Effect.all(
        Array.from({ length: 10 }, () => panorama("production")),
        { concurrency: "unbounded" }
      )
      yield* TestClock.adjust("4 seconds")
      yield* panorama("production")
      const first = noted.length
      assert.strictEqual(first, 6)
      yield* TestClock.adjust("1 second")
      yield* panorama("production")
      // The sales of the past day and the suppliers' results since midnight are reused for longer.
      assert.strictEqual(noted.length, first + 4)
      yield* panorama("development")
      assert.strictEqual(noted.length, first + 4 + 6)
    }).pipe(Effect.provide(noting(noted)))
  })

  it.effect("is reused for a time that is fifty times the duration of its read", () => {
    const noted: Array<string> = []
    const slow = Layer.effect(
      PanoramaReads,
      PanoramaReads.useSync((reads) => ({
        ...reads,
        open: (environment: Environment, now: DateTime.Utc) => Effect.delay(reads.open(environment, now), "2 seconds")
      }))
    )
    const opened = () => noted.filter((read) => read.startsWith("open")).length
    return Effect.gen(function* () {
      const { read: panorama } = yield* Panoramas
      const first = yield* Effect.forkChild(panorama("production"))
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(first)
      yield* TestClock.adjust("99 seconds")
      yield* panorama("production")
      assert.strictEqual(opened(), 1)
      yield* TestClock.adjust("1 second")
      const again = yield* Effect.forkChild(panorama("production"))
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(again)
      assert.strictEqual(opened(), 2)
    }).pipe(Effect.provide(Layer.provide(Panoramas.layer, Layer.provideMerge(slow, portsNoting(noted)))))
  })

  it.effect("reads a past day again after ten minutes, and another day after midnight", () => {
    const noted: Array<string> = []
    const past = () => noted.filter((read) => /^sales \w+ \S+T04:00:00.000Z \S+T04:00:00.000Z$/.test(read)).length
    return Effect.gen(function* () {
      yield* at("2026-03-11T03:55:00Z")
      const { read: panorama } = yield* Panoramas
      yield* panorama("production")
      assert.strictEqual(past(), 2) // today and the past day
      yield* TestClock.adjust("4 minutes")
      yield* panorama("production")
      assert.strictEqual(past(), 3)
      yield* TestClock.adjust("2 minutes")
      yield* panorama("production")
      assert.strictEqual(past(), 5)
      yield* TestClock.adjust("11 minutes")
      yield* panorama("production")
      assert.strictEqual(past(), 7)
    }).pipe(Effect.provide(noting(noted)))
  })
})
