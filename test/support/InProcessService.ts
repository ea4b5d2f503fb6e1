import { Clock, Context, Duration, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { makeClock } from "./Clocks.ts"

/** The time at which tests start: a Wednesday morning in Santo Domingo, in the middle of a month. */
const startInstant_ms = Date.parse("2026-03-11T10:00:00-04:00")

interface Sleeper {
  readonly until_ms: number
  readonly wake: () => void
}

/**
 * A clock that advances only when the test advances it. If a jump spans several intervals of a sleeper, the sleeper
 * wakes only once, as after a suspension of the machine.
 */
export class ManualClock extends Context.Service<
  ManualClock,
  {
    readonly pass: (duration: Duration.Input) => Effect.Effect<void>
    readonly until: (iso: string) => Effect.Effect<void>
  }
>()("test/OwnTime") {
  /** Provides the clock to every layer that is built on this layer. */
  static readonly layer = Layer.effectContext(
    Effect.sync(() => {
      const { clock, moveTo } = makeManualClock()
      const pass = (duration: Duration.Input) =>
        Effect.sync(() => moveTo(clock.currentTimeMillisUnsafe() + Duration.toMillis(duration)))
      const until = (iso: string) => Effect.sync(() => moveTo(Date.parse(iso)))
      return Context.make(ManualClock, { pass, until }).pipe(Context.add(Clock.Clock, clock))
    })
  )
}

const makeManualClock = () => {
  let now_ms = startInstant_ms
  let sleepers: ReadonlyArray<Sleeper> = []
  const clock = makeClock({
    wall_ms: () => now_ms,
    monotonic_ns: () => BigInt(now_ms) * 1_000_000n,
    sleep: (duration) =>
      Effect.callback((resume) => {
        const sleeper = { until_ms: now_ms + Duration.toMillis(duration), wake: () => resume(Effect.void) }
        if (sleeper.until_ms <= now_ms) return resume(Effect.yieldNow)
        sleepers = [...sleepers, sleeper]
        return Effect.sync(() => {
          sleepers = sleepers.filter((other) => other !== sleeper)
        })
      })
  })
  const moveTo = (to_ms: number) => {
    now_ms = to_ms
    const due = sleepers.filter(({ until_ms }) => until_ms <= now_ms)
    sleepers = sleepers.filter(({ until_ms }) => until_ms > now_ms)
    for (const { wake } of due) wake()
  }
  return { clock, moveTo }
}

/** Address of the service under test. */
export class ServiceAddress extends Context.Service<ServiceAddress, { readonly url: string; readonly port: number }>()(
  "test/Running"
) {
  static readonly layer = Layer.effect(
    ServiceAddress,
    HttpServer.HttpServer.useSync(({ address }) => {
      const port = "port" in address ? address.port : 0
      return { port, url: `http://127.0.0.1:${port}` }
    })
  )
}
