import { Context, Effect } from "effect"
import type { Session } from "../../core/domain/Access.ts"
import { RateLimited } from "../../core/domain/Errors.ts"
import type { Bucket } from "../../core/domain/RateLimit.ts"
import type { Token } from "../../core/domain/Token.ts"
import { countCall, quotaOf } from "../../core/workflows/RateLimit.ts"
import type { Call } from "./Call.ts"
import { HttpOptions, type HttpOptionsShape } from "./HttpOptions.ts"
import { networkOf } from "./Origin.ts"

/** How many calls a caller may make. Contract: 8. */

// What a page of the documentation loads has a count of its own: reading leaves the calls to the API alone. So has what
// cannot be read as HTTP: behind a proxy its address is the proxy's, which may have calls of its own to make.
export type CountedAs = "address" | "assets" | "unread"

type Limits = Pick<HttpOptionsShape, "limits">

const addressBucket = ({ limits }: Limits, call: Pick<Call, "address">, counted: CountedAs = "address"): Bucket => ({
  key: `${counted}:${networkOf(call.address)}`,
  limit: limits.perAddress
})

// A text that is made anew has to be read through by whoever looks it up.
const tokenKeys = new WeakMap<Token, string>()
const tokenKeyOf = (token: Token): string => {
  const known = tokenKeys.get(token)
  if (known !== undefined) return known
  const key = `token:${token.id}`
  tokenKeys.set(token, key)
  return key
}

const tokenBucket = ({ limits }: Limits, { token }: Session): Bucket => ({
  key: tokenKeyOf(token),
  limit: token.callsPerMinute ?? limits.perToken
})

const spend = <A, E, R>(call: Pick<Call, "reply">, bucket: Bucket, then: () => Effect.Effect<A, E, R>) =>
  Effect.flatMap(countCall(bucket), ({ admitted, quota }): Effect.Effect<A, E | RateLimited, R> => {
    call.reply.quota = quota
    return admitted ? then() : Effect.fail(new RateLimited({ retryAfter_s: quota.window.endsIn_s }))
  })

/** Counts a call that no token answers for by its address. */
export const spendByAddress = (call: Pick<Call, "address" | "reply">, counted?: CountedAs) =>
  HttpOptions.use((limits) => spend(call, addressBucket(limits, call, counted), () => Effect.void))

/** Counts a call whose caller is known by its token, and goes on with it where there was room. */
export const spendByToken = <A, E, R>(call: Call, session: Session, then: () => Effect.Effect<A, E, R>) =>
  spend(call, tokenBucket(Context.get(call.services, HttpOptions), session), then)

/** What a caller has left: as the call found it or, when it was never counted, by its address. */
export const quotaLeft = (call: Pick<Call, "address" | "reply">) =>
  call.reply.quota === undefined
    ? HttpOptions.use((limits) => quotaOf(addressBucket(limits, call)))
    : Effect.succeed(call.reply.quota)
