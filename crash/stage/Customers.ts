import { Effect, Redacted } from "effect"
import type { CompanyId } from "../../core/domain/Ids.ts"
import { Amount } from "../../core/domain/Money.ts"
import { makeCompany, makeToken } from "../../tools/Customers.ts"

/** What each is given, in centavos: more than a run sells. */
export const given = Amount.make(1_000_000_000_000)

/** A company that sells through the suppliers, and how its calls are signed. */
export interface Customer {
  readonly companyId: CompanyId
  readonly authorization: string
}

/** Makes a company in production with a token. */
export const makeCustomer = Effect.fnUntraced(function* (code: string) {
  const companyId = yield* makeCompany(code, given, { environment: "production" })
  const { apiKey, secret } = yield* makeToken(companyId)
  return { companyId, authorization: `Bearer ${apiKey}.${Redacted.value(secret)}` } satisfies Customer
}, Effect.orDie)
