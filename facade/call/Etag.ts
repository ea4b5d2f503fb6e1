import { Effect } from "effect"
import { sha256Hex } from "../../core/domain/Sha256.ts"

/** A weak validator of what a text says. */
export const etagOf = (text: string) => Effect.map(sha256Hex(text), (hex) => `W/"${hex.slice(0, 32)}"`)

const opaque = (tag: string): string => tag.trim().replace(/^W\//, "")

/** Does the client already have it? */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => opaque(tag) === opaque(etag)))
