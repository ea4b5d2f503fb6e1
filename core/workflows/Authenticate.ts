import { Context, DateTime, Effect, Option } from "effect"
import { admit } from "../domain/Access.ts"
import { Unauthenticated } from "../domain/Errors.ts"
import { matchingSecret } from "../domain/Secret.ts"
import type { Sha256 } from "../domain/Sha256.ts"
import { Directory } from "../ports/Directory.ts"
import { Pepper } from "../ports/Pepper.ts"
import { spanned } from "../telemetry/SpanWhenTraced.ts"
import { digestsOf, underPepper } from "./HashSecret.ts"

/**
 * Finds out who calls. A wrong secret is Unauthenticated whatever the token's state; only then does the state of
 * token and company speak. Contract: 5.
 *
 * @param address the client's IP address, for tokens that are bound to a list of them.
 */
export const authenticate = spanned(
  "Authenticate.authenticate",
  Effect.fnUntraced(function* (credentials: { readonly apiKey: string; readonly secret: string }, address: string) {
    const services = yield* Effect.context<Directory | Pepper | Sha256>()
    const directory = Context.get(services, Directory)
    const found = yield* directory.lookup(credentials.apiKey)
    const presented = yield* digestsOf(credentials.secret)
    const now = yield* DateTime.now
    // An unknown key has no secrets, and costs what a wrong secret costs.
    const secrets = Option.match(found, { onNone: () => [], onSome: (known) => known.secrets })
    const known = matchingSecret(secrets, presented, now)
    if (known === null || Option.isNone(found)) return yield* new Unauthenticated()
    const session = yield* Effect.fromResult(admit(found.value.session, address, now))
    const better = yield* underPepper(Context.get(services, Pepper), known)
    yield* directory.used({ tokenId: session.token.id, at: now, secret: { known, better } })
    return session
  })
)
