import { Clock, Context, type DateTime, Effect, Option, Result } from "effect"
import { admit, type Session } from "../domain/Access.ts"
import { type Forbidden, Unauthenticated } from "../domain/Errors.ts"
import { instantOf } from "../domain/Instant.ts"
import { type KeptSecret, matchingSecret, type PresentedSecret } from "../domain/Secret.ts"
import type { Sha256 } from "../domain/Sha256.ts"
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
  (credentials: { readonly apiKey: string; readonly secret: string }, address: string) =>
    Effect.contextWith((services: Context.Context<Directory | Pepper | Sha256>) => {
      const directory = Context.get(services, Directory)
      // Every call comes by here, so it is a chain, which takes half of a generator's time.
      return Effect.flatMap(directory.lookup(credentials.apiKey), (found) =>
        Effect.flatMapEager(digestsOf(services, credentials.secret), (presented) => {
          const now = instantOf(Context.get(services, Clock.Clock))
          const opened = open(found, presented, address, now)
          if (Result.isFailure(opened)) return Effect.fail(opened.failure)
          const { known, session } = opened.success
          return Effect.flatMapEager(underPepper(Context.get(services, Pepper), known), (better) =>
            Effect.as(directory.used({ tokenId: session.token.id, at: now, secret: { known, better } }), session)
          )
        })
      )
    })
)
