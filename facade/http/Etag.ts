import { Effect } from "effect"
import { Digest } from "effect/crypto"

const encoder = new TextEncoder()

/** A weak validator of what a text says. */
export const etagOf = Effect.fnUntraced(function* (text: string) {
  const digest = yield* Digest.Digest
  const hex = yield* digest.digestHex(Digest.sha256, encoder.encode(text))
  return `W/"${hex.slice(0, 32)}"`
})

const opaque = (tag: string): string => tag.trim().replace(/^W\//, "")

/** Does the client already have it? */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => opaque(tag) === opaque(etag)))
