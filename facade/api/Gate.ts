import { Effect, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { CompanyClosed, type CoreError, RateLimited, Unauthenticated } from "../../core/domain/Errors.ts"
import type { Bucket } from "../../core/domain/RateLimit.ts"
import { permit, type Session } from "../../core/domain/Session.ts"
import type { Permission } from "../../core/domain/Token.ts"
import { authenticate } from "../../core/workflows/Authenticate.ts"
import { countCall, quotaOf } from "../../core/workflows/CountCalls.ts"
import { type Call, type CredentialHeaders, HttpOptions, type HttpOptionsShape, type Services } from "./Call.ts"

/**
 * The key under which the calls of an address are counted. IPv6 addresses with the same first 64 bits share one key,
 * because one subscriber has all of these addresses.
 */
export const networkOf = (address: string): string =>
  address.includes(":")
    ? Result.match(NetAddress.ipv6FromString(address), {
        onSuccess: (ip) => IpNetwork.format(IpNetwork.fromAddressUnsafe(ip, 64)),
        // A link-local address contains a zone, for example fe80::1%eth0, and cannot be parsed. Its key is the
        // unchanged text.
        onFailure: () => address
      })
    : address

/**
 * The separate counters of an address. Files of the documentation pages have their own counter, so reading the
 * documentation does not use up API calls. Requests that cannot be read as HTTP also have their own counter, because
 * behind a proxy all these requests have the proxy's address.
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

/**
 * Counts a call for its address. Fails with RateLimited if the address has no calls left in this minute. Contract: 8.
 */
export const countByAddress = (call: Pick<Call, "address" | "reply">, counter: AddressCounter = "address") =>
  HttpOptions.use((options) => count(call, addressBucket(options, call.address, counter)))

/** Counts a call for its token. Fails with RateLimited if the token has no calls left in this minute. Contract: 8. */
const countByToken = (call: Call, session: Session) =>
  HttpOptions.use((options) => count(call, tokenBucket(options, session)))

/** Sets the quota of a call that was not counted to the quota of its address. This does not count the call. */
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
 * Maximum length of an accepted api_key or api_secret. The service generates keys of 24 and secrets of 43 characters.
 * Unknown keys are cached, so without this limit, guessed keys as long as a header could fill the memory.
 */
const part_max = 200

// The whole Authorization header also has a maximum length. V8 keeps the whole header in memory as long as a key that
// was sliced from it is in use.
const bearer_max = "Bearer ".length + part_max + ".".length + part_max

// A key and a secret never contain a dot, so the dot separates them.
const bearer = /^Bearer +([^.\s]+)\.([^.\s]+)$/i

const refused = Result.fail(new Unauthenticated())

const isPlausible = (part: string): boolean => part !== "" && part.length <= part_max

const plausible = (pair: Credentials) =>
  isPlausible(pair.apiKey) && isPlausible(pair.secret) ? Result.succeed(pair) : refused

/**
 * Reads the credentials from Authorization, or from X-Api-Key and X-Api-Secret. If a request has both, they must
 * contain the same credentials. Malformed or incomplete credentials are rejected. Contract: 5.
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

/** The access check of a procedure: credentials, rate limit and permission. REST and tRPC pass the same gate. */
export interface Gate<S extends Session | null = Session | null> {
  /** The permission that a caller needs. Null if no credentials are needed. */
  readonly permission: Permission | null
  readonly enter: (call: Call) => Effect.Effect<S, CoreError, Services>
  /** Checks again, after the body of the call has arrived slowly. Does not count the call. */
  readonly enterAgain: (call: Call) => Effect.Effect<S, CoreError, Services>
}

/** The gate of a procedure without credentials. Its calls are counted by address. */
export const open: Gate<null> = {
  permission: null,
  enter: (call) => Effect.as(countByAddress(call), null),
  enterAgain: () => Effect.succeed(null)
}

// A call without valid credentials is counted by its address. It receives 429 if the address has no calls left.
//
// Credentials are checked even if the address has no calls left, because other clients behind the same address may have
// valid credentials. Guessing is not a risk, because a secret has 256 bits.
const turnAway = <E>(call: Call, error: E) => Effect.andThen(countByAddress(call), Effect.fail(error))

const authorize = (session: Session, permission: Permission) =>
  Effect.andThen(
    Effect.fromResult(permit(session.token, permission)),
    session.isClosed ? Effect.fail(new CompanyClosed()) : Effect.succeed(session)
  )

/**
 * The gate of a procedure that needs credentials and a permission. Checks in the order of the contract: credentials,
 * state of token and company, address, rate limit, permission, closed company. Contract: 4.5 and 5.
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
        return Effect.andThen(countByToken(call, session), authorize(session, permission))
      }
    })
  },
  enterAgain: (call) =>
    Effect.fromResult(readCredentials(call.credentials)).pipe(
      Effect.flatMap((credentials) => authenticate(credentials, call.address)),
      Effect.flatMap((session) => authorize(session, permission))
    )
})
