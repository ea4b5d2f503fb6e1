import { Result } from "effect"
import { Unauthenticated } from "../../core/domain/Errors.ts"
import type { CredentialHeaders } from "../call/Call.ts"

export interface Credentials {
  readonly apiKey: string
  readonly secret: string
}

/**
 * The service makes parts of 24 and 43 characters, and settings take none longer than this. Keys are remembered, the
 * unknown ones too: were they as long as a header may be, guesses would fill the memory.
 */
const part_max = 200

// A key that is cut out of a header keeps all of it in memory, so the header is not longer than its parts may be.
const bearer_max = "Bearer ".length + part_max + ".".length + part_max

// Neither part ever holds a dot.
const bearer = /^Bearer +([^.\s]+)\.([^.\s]+)$/i

/**
 * Reads the credentials off either form, or off both when they agree. A form that is there and malformed, or half
 * there, is as good as none. Contract: 5.
 */
export const readCredentials = (headers: CredentialHeaders): Result.Result<Credentials, Unauthenticated> => {
  const { apiKey, apiSecret, authorization } = headers
  const pair = apiKey !== undefined && apiSecret !== undefined ? { apiKey, secret: apiSecret } : undefined
  const half = pair === undefined && (apiKey !== undefined || apiSecret !== undefined)
  if (half) return refused
  if (authorization === undefined) return pair === undefined ? refused : plausible(pair)
  if (authorization.length > bearer_max) return refused
  const [, key, secret] = bearer.exec(authorization) ?? []
  if (key === undefined || secret === undefined) return refused
  if (pair !== undefined && (pair.apiKey !== key || pair.secret !== secret)) return refused
  return plausible({ apiKey: key, secret })
}

const isPlausible = (part: string): boolean => part !== "" && part.length <= part_max

const plausible = (pair: Credentials) =>
  isPlausible(pair.apiKey) && isPlausible(pair.secret) ? Result.succeed(pair) : refused

const refused = Result.fail(new Unauthenticated())
