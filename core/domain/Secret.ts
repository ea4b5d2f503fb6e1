import { DateTime } from "effect"
import { timingSafeEqual as sameDigest } from "effect/crypto/Mac"

/** A token's secret as stored: its SHA-256, keyed with the operator's pepper if one was set. Contract: 5. */
export interface KeptSecret {
  readonly hash: Uint8Array
  /** Name of the pepper that the hash was made with. Null for none. */
  readonly pepper: string | null
  /** When the previous secret expires. Null for the current secret. */
  readonly until: DateTime.Utc | null
}

/** Hashes of a presented secret, without and with the current pepper. */
export interface PresentedSecret {
  readonly plain: Uint8Array
  readonly peppered: Uint8Array
}

/** A token has its current secret and, for a time after a rotation, the previous one. */
const secrets_max = 2

// Missing secrets are compared with this value, so that an unknown key takes as long as a wrong secret.
const nothing: KeptSecret = { hash: new Uint8Array(32), pepper: null, until: null }

/**
 * The stored secret that equals the presented one and has not expired. The work is the same for an unknown token, for
 * one or two secrets, and for right or wrong ones.
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
