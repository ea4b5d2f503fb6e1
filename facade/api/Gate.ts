import { Effect, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { type CoreError, RateLimited, Unauthenticated } from "../../core/domain/Errors.ts"
import type { Bucket } from "../../core/domain/RateLimit.ts"
import { permit, type Session } from "../../core/domain/Session.ts"
import type { Permission } from "../../core/domain/Token.ts"
import { authenticate } from "../../core/workflows/Authenticate.ts"
import { countCall, quotaOf } from "../../core/workflows/CountCalls.ts"
import { type Call, type CredentialHeaders, HttpOptions, type HttpOptionsShape, type Services } from "./Call.ts"

/**
 * The key that an address is counted by. An IPv6 address is counted by its first 64 bits, because one subscriber holds
 * all addresses that share them.
 */
export const networkOf = (address: string): string =>
  address.includes(":")
    ? Result.match(NetAddress.ipv6FromString(address), {
        onSuccess: (ip) => IpNetwork.format(IpNetwork.fromAddressUnsafe(ip, 64)),
        // A link-local address names its zone, as in fe80::1%eth0, and does not parse.
        onFailure: () => address
      })
    : address

/**
 * The counters of an address. Assets of the documentation pages have their own, so that reading the documentation
 * takes no calls from the API. Requests that are not readable as HTTP have their own too: behind a proxy their address
 * is the proxy's.
 */
export type AddressCounter = "address" | "assets" | "unread"

const addressBucket = (
  { limits }: Pick<HttpOptionsShape, "limits">,
  address: string,
  counter: AddressCounter
): Bucket => ({ key: `${counter}:${networkOf(address)}`, limit: limits.perAddress })

const tokenBucket = ({ limits }: Pick<HttpOptionsShape, "limits">, { token }: Session): Bucket => ({
  key: `token:${token.id}`,
  limit: token.callsPerMinute ?? limits.perToken
})

const count = (call: Pick<Call, "reply">, bucket: Bucket) =>
  Effect.flatMap(countCall(bucket), ({ admitted, quota }) => {
    call.reply.quota = quota
    return admitted ? Effect.void : Effect.fail(new RateLimited({ retryAfter_s: quota.window.endsIn_s }))
  })

/** Counts a call by its address; fails with RateLimited when the minute has no calls left. Contract: 8. */
export const countByAddress = (call: Pick<Call, "address" | "reply">, counter: AddressCounter = "address") =>
  HttpOptions.use((options) => count(call, addressBucket(options, call.address, counter)))

/** Counts a call by its token; fails with RateLimited when the minute has no calls left. Contract: 8. */
const countByToken = (call: Call, session: Session) =>
  HttpOptions.use((options) => count(call, tokenBucket(options, session)))

/** Fills the quota of a call that was never counted with that of its address. Counts nothing. */
export const ensureQuota = (call: Pick<Call, "address" | "reply">) =>
  call.reply.quota === undefined
    ? Effect.map(
        HttpOptions.use((options) => quotaOf(addressBucket(options, call.address, "address"))),
        (quota) => {
          call.reply.quota = quota
        }
      )
    : Effect.void

export interface Credentials {
  readonly apiKey: string
  readonly secret: string
}

/**
 * The longest accepted api_key or api_secret. The service makes keys of 24 and secrets of 43 characters. Unknown keys
 * are cached, so keys as long as a header would let guesses fill the memory.
 */
const part_max = 200

// V8 keeps a whole header in memory as long as a key cut out of it is in use.
const bearer_max = "Bearer ".length + part_max + ".".length + part_max

// Neither part ever holds a dot.
const bearer = /^Bearer +([^.\s]+)\.([^.\s]+)$/i

const refused = Result.fail(new Unauthenticated())

const isPlausible = (part: string): boolean => part !== "" && part.length <= part_max

const plausible = (pair: Credentials) =>
  isPlausible(pair.apiKey) && isPlausible(pair.secret) ? Result.succeed(pair) : refused

/**
 * Reads the credentials from Authorization, or from X-Api-Key and X-Api-Secret. If both forms are present they must
 * agree. A malformed or incomplete form is refused. Contract: 5.
 */
export const readCredentials = (headers: CredentialHeaders): Result.Result<Credentials, Unauthenticated> => {
  const { apiKey, apiSecret, authorization } = headers
  const pair = apiKey !== undefined && apiSecret !== undefined ? { apiKey, secret: apiSecret } : undefined
  const isIncomplete = pair === undefined && (apiKey !== undefined || apiSecret !== undefined)
  if (isIncomplete) return refused
  if (authorization === undefined) return pair === undefined ? refused : plausible(pair)
  if (authorization.length > bearer_max) return refused
  const [, key, secret] = bearer.exec(authorization) ?? []
  if (key === undefined || secret === undefined) return refused
  if (pair !== undefined && (pair.apiKey !== key || pair.secret !== secret)) return refused
  return plausible({ apiKey: key, secret })
}

/** Decides who may call a procedure. REST and tRPC both enter a procedure by its gate. */
export interface Gate<S extends Session | null = Session | null> {
  /** The permission that a caller needs; null where anybody may call, without credentials. */
  readonly permission: Permission | null
  readonly enter: (call: Call) => Effect.Effect<S, CoreError, Services>
}

/** The gate of a procedure that anybody may call. Calls are counted by address. */
export const open: Gate<null> = {
  permission: null,
  enter: (call) => Effect.as(countByAddress(call), null)
}

// A call without valid credentials is counted by its address, and is answered 429 when the address has no calls left.
// Credentials are looked up even then: others behind the same address may have valid ones, and a secret of 256 bits
// cannot be guessed.
const turnAway = <E>(call: Call, error: E) => Effect.andThen(countByAddress(call), Effect.fail(error))

/**
 * The gate of a procedure that needs credentials and a permission. Checks in the order of the contract: credentials,
 * state of token and company, address, rate limit, permission. Contract: 4.5 and 5.
 */
export const requires = (permission: Permission): Gate<Session> => ({
  permission,
  enter: (call) => {
    const credentials = readCredentials(call.credentials)
    if (Result.isFailure(credentials)) return turnAway(call, credentials.failure)
    return Effect.matchEffect(authenticate(credentials.success, call.address), {
      onFailure: (error) => turnAway(call, error),
      onSuccess: (session) => {
        call.log.about.company = session.company.id
        return Effect.flatMap(countByToken(call, session), () =>
          Effect.as(Effect.fromResult(permit(session.token, permission)), session)
        )
      }
    })
  }
})
