import { DateTime, Effect, Option } from "effect"
import { Digest } from "effect/crypto"
import { admit, sameDigest } from "../domain/Access.ts"
import { Unauthenticated } from "../domain/Errors.ts"
import { Directory } from "../ports/Directory.ts"

const encoder = new TextEncoder()

// An unknown key is compared with this, so that it costs what a wrong secret costs.
const nobody = new Uint8Array(32)

/**
 * Finds out who calls. A wrong secret is Unauthenticated whatever the token's state; only then does the state of
 * token and company speak. Contract: 5.
 *
 * @param address the client's IP address, for tokens that are bound to a list of them.
 */
export const authenticate = Effect.fn("Authenticate.authenticate")(function* (
  credentials: { readonly apiKey: string; readonly secret: string },
  address: string
) {
  const digest = yield* Digest.Digest
  const known = yield* Directory.use((directory) => directory.lookup(credentials.apiKey))
  const presented = yield* digest.digest(Digest.sha256, encoder.encode(credentials.secret))
  const expected = Option.match(known, { onNone: () => nobody, onSome: ({ secretHash }) => secretHash })
  const right = sameDigest(presented, expected)
  if (!right || Option.isNone(known)) return yield* new Unauthenticated()
  const now = yield* DateTime.now
  return yield* Effect.fromResult(admit(known.value.session, address, now))
})
