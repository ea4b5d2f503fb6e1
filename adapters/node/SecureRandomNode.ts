import { randomFillSync } from "node:crypto"
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"

/** How much is drawn from the operating system at once. Every call takes 32 bytes, and to ask is what costs. */
const drawn_bytes = 8192

/** Gives every byte that was drawn once. */
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

/** Secure randomness of the operating system, drawn ahead. */
export const layer = Layer.sync(SecureRandom.SecureRandom, () => SecureRandom.make(drawing()))
