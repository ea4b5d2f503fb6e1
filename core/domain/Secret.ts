import { DateTime } from "effect"
import { timingSafeEqual as sameDigest } from "effect/crypto/Mac"

/** A token's secret as it is kept: its SHA-256, under the operator's pepper where there was one. Contract: 5. */
export interface KeptSecret {
  readonly hash: Uint8Array
  /** The name of the pepper that it takes to compare with it; null for none. */
  readonly pepper: string | null
  /** Null for the token's own secret. The one before it is good until then. */
  readonly until: DateTime.Utc | null
}

/** Both forms in which a secret that somebody presents may be kept. */
export interface PresentedSecret {
  readonly plain: Uint8Array
  readonly peppered: Uint8Array
}

/** A token has its own secret and, for a while after a rotation, the one before it. */
const secrets_max = 2

// What is not there is compared with this, so that it costs what a wrong secret costs.
const nothing: KeptSecret = { hash: new Uint8Array(32), pepper: null, until: null }

/**
 * The secret of a token that is the presented one and still good. An unknown token, one secret or two, right or wrong:
 * the work is the same.
 */
export const matchingSecret = (
  kept: ReadonlyArray<KeptSecret>,
  presented: PresentedSecret,
  now: DateTime.Utc
): KeptSecret | null => {
  let match: KeptSecret | null = null
  for (let place = 0; place < secrets_max; place++) {
    const secret = kept[place] ?? nothing
    const right = sameDigest(secret.pepper === null ? presented.plain : presented.peppered, secret.hash)
    const good = secret !== nothing && (secret.until === null || DateTime.isLessThan(now, secret.until))
    if (right && good) match = secret
  }
  return match
}
