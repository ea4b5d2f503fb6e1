import { Effect, Redacted } from "effect"
import type { CompanyId } from "../../core/domain/Ids.ts"
import { Amount, zero } from "../../core/domain/Money.ts"
import { changeCompany, createCompany } from "../../core/workflows/Company.ts"
import { deposit } from "../../core/workflows/Deposit.ts"
import { issueToken } from "../../core/workflows/IssueToken.ts"

/** What each is given, in centavos: more than a run sells. */
export const given = Amount.make(1_000_000_000_000)

/** A company that sells through the suppliers, and how its calls are signed. */
export interface Customer {
  readonly companyId: CompanyId
  readonly authorization: string
}

/** Makes a company in production with money and a token, without limits, as the operator would. */
export const makeCustomer = Effect.fnUntraced(function* (code: string) {
  const companyId = yield* createCompany({
    legalName: `Comercio ${code}`,
    code,
    environment: "production",
    state: "activa",
    apiEnabled: true,
    insuranceEnabled: true
  })
  yield* changeCompany(companyId, {}, { daily: zero, weekly: zero, monthly: zero })
  yield* deposit(companyId, given, "apertura")
  const { apiKey, secret } = yield* issueToken({
    companyId,
    name: "caja",
    permissions: [],
    addresses: [],
    expiresAt: null,
    callsPerMinute: null,
    realLookups: false
  })
  return { companyId, authorization: `Bearer ${apiKey}.${Redacted.value(secret)}` } satisfies Customer
}, Effect.orDie)
