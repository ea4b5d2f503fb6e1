import { randomFillSync } from "node:crypto"
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"

/** Number of bytes that are read from the operating system in one call. A read for each value would add 9 µs to a sale. */
const drawn_bytes = 8192

/** Makes a function that returns random bytes from blocks. The function returns each byte of a block only once. */
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
