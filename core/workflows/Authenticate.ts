import { DateTime, Effect, Option, Result } from "effect"
import { admit, type Session } from "../domain/Access.ts"
import { type Forbidden, Unauthenticated } from "../domain/Errors.ts"
import { type KeptSecret, matchingSecret, type PresentedSecret } from "../domain/Secret.ts"
import { type Credentials, Directory } from "../ports/Directory.ts"
import { Pepper } from "../ports/Pepper.ts"
import { spanned } from "../telemetry/SpanWhenTraced.ts"
import { digestsOf, underPepper } from "./HashSecret.ts"

/** A session and the secret that matched. */
interface Opened {
  readonly session: Session
  readonly known: KeptSecret
}

/** Compares the presented secret. An unknown key has no secrets, and takes as long as a wrong secret. */
const open = (
  found: Option.Option<Credentials>,
  presented: PresentedSecret,
  address: string,
  now: DateTime.Utc
): Result.Result<Opened, Unauthenticated | Forbidden> => {
  const known = matchingSecret(Option.isNone(found) ? [] : found.value.secrets, presented, now)
  if (known === null || Option.isNone(found)) return Result.fail(new Unauthenticated())
  return Result.map(admit(found.value.session, address, now), (session) => ({ session, known }))
}

/**
 * Authenticates a caller. A wrong secret is Unauthenticated whatever the state of token and company, which are checked
 * afterwards. Contract: 5.
 *
 * @param address the client's IP address, for tokens that are restricted to a list.
 */
export const authenticate = spanned(
  "Authenticate.authenticate",
  Effect.fnUntraced(function* (credentials: { readonly apiKey: string; readonly secret: string }, address: string) {
    const { lookup, used } = yield* Directory
    const found = yield* lookup(credentials.apiKey)
    const presented = yield* digestsOf(credentials.secret)
    const now = yield* DateTime.now
    const { known, session } = yield* Effect.fromResult(open(found, presented, address, now))
    const better = yield* underPepper(yield* Pepper, known)
    yield* used({ tokenId: session.token.id, at: now, secret: { known, better } })
    return session
  })
)
