import { DateTime, Effect } from "effect"
import type { CellName } from "../../core/domain/Cell.ts"
import type { CompanyId } from "../../core/domain/Ids.ts"
import { type Amount, zero } from "../../core/domain/Money.ts"
import type { NewCompany } from "../../core/ports/Companies.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import type { NewToken } from "../../core/ports/Tokens.ts"
import { changeCompany, createCompany } from "../../core/workflows/ManageCompany.ts"
import { issueToken } from "../../core/workflows/ManageTokens.ts"

/**
 * Creates a company through the operator's functions. By default it is in development and has money and no limits.
 *
 * @param cell the company's cell; by default the open cell with the fewest companies.
 */
export const makeCompany = Effect.fnUntraced(function* (
  code: string,
  money: Amount,
  changes: Partial<NewCompany> = {},
  cell?: CellName
) {
  const company = {
    legalName: `Comercio ${code}`,
    code,
    environment: "development",
    state: "activa",
    apiEnabled: true,
    insuranceEnabled: true,
    ...changes
  } as const
  const companyId = yield* createCompany(company, cell)
  yield* changeCompany(companyId, {}, { daily: zero, weekly: zero, monthly: zero })
  const ledger = yield* Ledger
  yield* ledger.deposit({ companyId, amount: money, reference: `apertura-${code}`, at: yield* DateTime.now })
  return companyId
})

/** The value of the header Authorization for a token. */
export const authorizationOf = (apiKey: string, secret: string): string => `Bearer ${apiKey}.${secret}`

/** Issues a token through the operator's functions. By default it has all permissions. */
export const makeToken = (companyId: CompanyId, changes: Partial<NewToken> = {}) =>
  issueToken({
    companyId,
    name: "caja",
    permissions: [],
    addresses: [],
    expiresAt: null,
    callsPerMinute: null,
    realLookups: false,
    ...changes
  })
