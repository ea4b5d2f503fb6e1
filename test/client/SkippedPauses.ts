import type { Surroundings } from "../../facade/client/Repeat.ts"

/**
 * A clock and a pause for a client. The pause advances the client's clock but takes no real time. `meanwhile` runs in each
 * pause.
 */
export const skippingPauses = (meanwhile: (duration_ms: number) => Promise<unknown> = async () => undefined) => {
  const pauses: Array<number> = []
  let now_ms = 0
  const surroundings: Surroundings = {
    now_ms: () => now_ms,
    random: () => 0,
    pause: async (duration_ms, signal) => {
      signal?.throwIfAborted()
      pauses.push(duration_ms)
      now_ms += duration_ms
      await meanwhile(duration_ms)
      signal?.throwIfAborted()
    }
  }
  return { surroundings, pauses }
}
