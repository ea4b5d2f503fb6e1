import { DateTime, Effect, Redacted } from "effect"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { dayOf } from "../../../core/domain/LocalTime.ts"
import { Amount, Centavos } from "../../../core/domain/Money.ts"
import { Permission, type TokenState } from "../../../core/domain/Token.ts"
import type { NewCompany } from "../../../core/ports/Companies.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import type { NewToken } from "../../../core/ports/Tokens.ts"
import { closeThrough } from "../../../core/workflows/CloseDays.ts"
import { changeCompany } from "../../../core/workflows/ManageCompany.ts"
import { changeToken } from "../../../core/workflows/ManageTokens.ts"
import { authorizationOf, makeCompany, makeToken } from "../../support/CompaniesAndTokens.ts"
import type { Header } from "../request/HttpRequest.ts"

/** An identity that sends requests. */
export interface Caller {
  /** Company of the token; null for credentials that the service must reject. */
  readonly companyId: CompanyId | null
  /** The only permission of the token; null if the token has all permissions. */
  readonly permission: Permission | null
  readonly headers: ReadonlyArray<Header>
}

export type Callers = Readonly<Record<string, Caller>>

const centavos = (pesos: number) => Centavos.make(pesos * 100)

const company = (code: string, pesos: number, changes?: Partial<NewCompany>) =>
  makeCompany(code, Amount.make(centavos(pesos)), changes)

const credentials = Effect.fnUntraced(function* (companyId: CompanyId, changes?: Partial<NewToken>) {
  const { apiKey, secret, tokenId } = yield* makeToken(companyId, changes)
  const bearer: Header = ["Authorization", authorizationOf(apiKey, Redacted.value(secret))]
  const pair: ReadonlyArray<Header> = [
    ["X-Api-Key", apiKey],
    ["X-Api-Secret", Redacted.value(secret)]
  ]
  return { apiKey, bearer, pair, tokenId }
})

const inState = Effect.fnUntraced(function* (companyId: CompanyId, state: TokenState) {
  const { bearer, tokenId } = yield* credentials(companyId)
  yield* changeToken(tokenId, state)
  return bearer
})

const refusedCaller = (...headers: ReadonlyArray<Header>): Caller => ({ companyId: null, permission: null, headers })

const admittedCaller = (companyId: CompanyId, ...headers: ReadonlyArray<Header>): Caller => ({
  companyId,
  permission: null,
  headers
})

/** Callers that authentication rejects, each for a different reason. Contract: 5. */
const refusedCallers = Effect.fnUntraced(function* (main: CompanyId, code: string) {
  const { apiKey, bearer, pair } = yield* credentials(main)
  const [keyOnly, secretOnly] = pair as readonly [Header, Header]
  const yesterday = DateTime.subtract(yield* DateTime.now, { days: 1 })
  const closed = yield* company(`${code}-cerrada`, 1_000, { apiEnabled: false })
  const suspended = yield* company(`${code}-suspendida`, 1_000, { state: "suspendida" })
  return {
    anonymous: refusedCaller(),
    wrongSecret: refusedCaller(["Authorization", `Bearer ${apiKey}.no`]),
    unknownKey: refusedCaller(["Authorization", "Bearer nadie.nada"]),
    otherScheme: refusedCaller(["Authorization", "Basic dXNlcjpwYXNz"]),
    noDot: refusedCaller(["Authorization", "Bearer sinpunto"]),
    emptyBearer: refusedCaller(["Authorization", "Bearer "]),
    rawBytes: refusedCaller(["Authorization", `Bearer ${apiKey}.\u00ff\u0085`]),
    bearerTwice: refusedCaller(bearer, bearer),
    halfPair: refusedCaller(keyOnly),
    bearerAndHalf: refusedCaller(bearer, secretOnly),
    contradicting: refusedCaller(bearer, keyOnly, ["X-Api-Secret", "otro"]),
    expired: refusedCaller((yield* credentials(main, { expiresAt: yesterday })).bearer),
    suspended: refusedCaller(yield* inState(main, "suspended")),
    revoked: refusedCaller(yield* inState(main, "revoked")),
    elsewhere: refusedCaller((yield* credentials(main, { addresses: ["203.0.113.0/24"] })).bearer),
    closedCompany: refusedCaller((yield* credentials(closed)).bearer),
    suspendedCompany: refusedCaller((yield* credentials(suspended)).bearer)
  }
})

/** Callers with a token that has exactly one permission. */
const singlePermissionCallers = Effect.fnUntraced(function* (main: CompanyId) {
  const callers: Record<string, Caller> = {}
  for (const permission of Permission.literals) {
    const { bearer } = yield* credentials(main, { permissions: [permission] })
    callers[`only ${permission}`] = { companyId: main, permission, headers: [bearer] }
  }
  return callers
})

/** Gives a company a closing, by a small deposit on the day before. */
const closeYesterday = Effect.fnUntraced(function* (companyId: CompanyId) {
  const at = DateTime.subtract(yield* DateTime.now, { days: 1 })
  yield* Ledger.use(({ deposit }) =>
    deposit({ companyId, amount: Amount.make(centavos(1)), reference: `cierre ${companyId}`, at })
  )
  yield* closeThrough(dayOf(at), { only: companyId })
})

/**
 * Creates companies and tokens of every kind through the operator's functions. Companies made with different codes
 * share no data. `main` has every permission and more money than a run can spend.
 */
export const makeCallers = Effect.fnUntraced(function* (code: string) {
  const main = yield* company(code, 50_000_000)
  yield* closeYesterday(main)
  const poor = yield* company(`${code}-pobre`, 500)
  const limited = yield* company(`${code}-limitada`, 1_000_000, { insuranceEnabled: false })
  yield* changeCompany(limited, {}, { daily: centavos(3_000), weekly: centavos(5_000), monthly: centavos(8_000) })
  const producing = yield* company(`${code}-produce`, 1_000_000, { environment: "production" })
  const { bearer, pair } = yield* credentials(main, { realLookups: true })
  return {
    main: admittedCaller(main, bearer),
    mainByPair: admittedCaller(main, ...pair),
    mainTwice: admittedCaller(main, bearer, ...pair),
    slow: admittedCaller(main, (yield* credentials(main, { callsPerMinute: 2 })).bearer),
    poor: admittedCaller(poor, (yield* credentials(poor)).bearer),
    limited: admittedCaller(limited, (yield* credentials(limited)).bearer),
    producing: admittedCaller(producing, (yield* credentials(producing)).bearer),
    ...(yield* singlePermissionCallers(main)),
    ...(yield* refusedCallers(main, code))
  } satisfies Callers as Callers
}, Effect.orDie)
