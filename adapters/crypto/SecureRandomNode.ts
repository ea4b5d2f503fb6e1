import { randomFillSync } from "node:crypto"
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"

/** How many bytes are drawn from the operating system together. One draw for each value takes 9 µs of a sale. */
const drawn_bytes = 8192

/** Hands out each drawn byte exactly once. */
const drawing = () => {
  const drawn = new Uint8Array(drawn_bytes)
  let given = drawn_bytes
  return (size: number): Uint8Array => {
    if (size > drawn_bytes) return randomFillSync(new Uint8Array(size))
    if (given + size > drawn_bytes) {
      randomFillSync(drawn)
      given = 0
    }
    const bytes = drawn.slice(given, given + size)
    drawn.fill(0, given, given + size)
    given += size
    return bytes
  }
}

/** The operating system's secure random source, read in blocks. */
export const layer = Layer.sync(SecureRandom.SecureRandom, () => SecureRandom.make(drawing()))
