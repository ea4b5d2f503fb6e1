import { DateTime, Duration, Result, Schema } from "effect"
import { Environment } from "./Company.ts"
import { InvalidOption, PriceMismatch } from "./Errors.ts"
import { CompanyId, InsuranceId, KeptTerminalId, ServiceId, TransactionId } from "./Ids.ts"
import { AlreadySold, PolicyNotIssued, QuoteExpired, QuoteMissing } from "./InsuranceErrors.ts"
import { Extra, Plan, type Quote, Quote as QuoteSchema, Validity, Vehicle, Version } from "./InsuranceOffer.ts"
import { InsuranceState } from "./InsuranceState.ts"
import type { Amount } from "./Money.ts"
import { Cedula, Phone, Plate } from "./Person.ts"

/** A quote may be sold for this long. Contract: 8. */
export const quoteLife = Duration.minutes(30)

/** Whom and what an insurance is for: kept encrypted, and shown only masked. */
export const Insured = Schema.Struct({
  cedula: Cedula,
  phone: Phone,
  /** The vehicle's owner, by name. */
  holder: Schema.String,
  vehicle: Vehicle
})
export type Insured = typeof Insured.Type

/** What was issued. */
export const Policy = Schema.Struct({
  number: Schema.String,
  validity: Validity,
  issuedAt: Schema.DateTimeUtc
})
export type Policy = typeof Policy.Type

/** A policy as its insurer issues it. */
export type IssuedPolicy = Omit<Policy, "issuedAt">

/** An insurance on its way from a plate to a policy. Contract: 2.7. */
export const Insurance = Schema.Struct({
  id: InsuranceId,
  companyId: CompanyId,
  serviceId: ServiceId,
  environment: Environment,
  state: InsuranceState,
  plate: Plate,
  insured: Insured,
  terminalId: Schema.NullOr(KeptTerminalId),
  /** Whether it continues a policy that the vehicle had. */
  renewal: Schema.Boolean,
  /** The insurer's own name for the case. */
  reference: Schema.String,
  versions: Schema.Array(Version),
  version: Schema.NullOr(Version),
  plan: Schema.NullOr(Plan),
  /** What may be added to the plan; empty until one is chosen. */
  offeredExtras: Schema.Array(Extra),
  quote: Schema.NullOr(QuoteSchema),
  transactionId: Schema.NullOr(TransactionId),
  policy: Schema.NullOr(Policy),
  createdAt: Schema.DateTimeUtc
})
export type Insurance = typeof Insurance.Type

const optionForm = /^seguro:([1-9]\d{0,15})$/

/** What a sale names to buy an insurance. Contract: 4.6, step 5. */
export const insuranceOption = (id: InsuranceId): string => `seguro:${id}`

/** The insurance that an option names; null when it names none. */
export const readInsuranceOption = (optionId: string): InsuranceId | null => {
  const id = Number(optionForm.exec(optionId)?.[1])
  return Number.isSafeInteger(id) ? InsuranceId.make(id) : null
}

/** What a sale asks for that names an insurance. */
export interface InsuranceRequest {
  /** Where the company's sales go now; a quote of another world buys nothing. */
  readonly environment: Environment
  readonly serviceId: ServiceId
  readonly identifier: string
  readonly amount: Amount | null
}

/**
 * The quote that a sale may buy now. Contract: 4.6, sale outcomes.
 *
 * The caller may write the plate in either case; everything else must be what was quoted.
 */
export const sellable = (
  insurance: Insurance | null,
  { amount, environment, identifier, serviceId }: InsuranceRequest,
  now: DateTime.Utc
): Result.Result<Quote, InvalidOption | QuoteMissing | QuoteExpired | AlreadySold | PriceMismatch> => {
  const meant = insurance?.serviceId === serviceId && insurance.plate === identifier.toUpperCase()
  if (!meant || insurance.environment !== environment) return Result.fail(new InvalidOption())
  const { id, quote, state, transactionId } = insurance
  if (state === "cobrando" || state === "emitiendo" || state === "emitida" || state === "fallida") {
    return Result.fail(new AlreadySold({ insuranceId: id, state, transactionId }))
  }
  if (state !== "cotizado" || quote === null) return Result.fail(new QuoteMissing())
  if (DateTime.isLessThanOrEqualTo(quote.expiresAt, now)) return Result.fail(new QuoteExpired())
  return amount === null || amount === quote.total
    ? Result.succeed(quote)
    : Result.fail(new PriceMismatch({ price: quote.total }))
}

/** What the documents of a policy say. Contract: 4.6, step 8. */
export interface PolicyFacts {
  readonly policy: Policy
  readonly plate: Plate
  readonly insured: Insured
  readonly version: Version
  readonly plan: Plan
  readonly quote: Quote
}

/** The facts of the policy that was issued; none before. */
export const policyFacts = ({
  insured,
  plan,
  plate,
  policy,
  quote,
  state,
  version
}: Insurance): Result.Result<PolicyFacts, PolicyNotIssued> =>
  state === "emitida" && policy !== null && version !== null && plan !== null && quote !== null
    ? Result.succeed({ insured, plan, plate, policy, quote, version })
    : Result.fail(new PolicyNotIssued({ state }))
