import { randomUUID } from "node:crypto"
import autocannon from "autocannon"
import { Effect } from "effect"
import { percentile } from "./Figures.ts"
import type { Counted, Load } from "./Load.ts"
import { fill, type Shape, wordsOf } from "./Shape.ts"

const callsOf = (shape: Shape) => {
  const run = randomUUID()
  let calls = 0
  return () => {
    const words = wordsOf(shape, run, calls++)
    const headers = Object.entries(shape.headers).map(([name, value]) => [name, fill(value, words)])
    return {
      method: shape.method,
      path: fill(shape.path, words),
      headers: Object.fromEntries(headers),
      ...(shape.body !== null && { body: fill(shape.body, words) })
    }
  }
}

/** Loads with autocannon. Its own histogram counts in whole milliseconds, so each answer's time is kept here. */
export const count = ({ connections, seconds, shape, urls }: Load): Effect.Effect<Counted> =>
  Effect.callback((resume) => {
    const took_ms: Array<number> = []
    const instance = autocannon(
      { url: urls, connections, duration: seconds, requests: [{ setupRequest: callsOf(shape) }] },
      (error, result) => {
        if (error !== null) return resume(Effect.die(error))
        const sorted = Float64Array.from(took_ms).sort()
        resume(
          Effect.succeed({
            succeeded: sorted.length,
            refused: result.non2xx,
            broken: result.errors,
            seconds: result.duration,
            p50_ms: percentile(sorted, 50),
            p99_ms: percentile(sorted, 99)
          })
        )
      }
    )
    instance.on("response", (_client, status, _bytes, ms) => {
      if (status >= 200 && status < 300) took_ms.push(ms)
    })
    return Effect.sync(() => instance.stop())
  })
