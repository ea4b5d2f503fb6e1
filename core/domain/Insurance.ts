import { DateTime, Duration, Result, Schema } from "effect"
import { Environment } from "./Company.ts"
import { InvalidOption, PriceMismatch } from "./Errors.ts"
import { CompanyId, InsuranceId, ServiceId, StoredTerminalId, TransactionId } from "./Ids.ts"
import { AlreadySold, PolicyNotIssued, QuoteExpired, QuoteMissing } from "./InsuranceErrors.ts"
import { Extra, Plan, type Quote, Quote as QuoteSchema, Validity, Vehicle, Version } from "./InsuranceOffer.ts"
import { InsuranceState } from "./InsuranceState.ts"
import type { Amount } from "./Money.ts"
import { Cedula, Phone, Plate } from "./Person.ts"

/** How long a quote may be sold. Contract: 8. */
export const quoteLife = Duration.minutes(30)

/** The insured person and vehicle. Stored encrypted, and shown only masked. */
export const Insured = Schema.Struct({
  cedula: Cedula,
  phone: Phone,
  /** Name of the vehicle's owner. */
  holder: Schema.String,
  vehicle: Vehicle
})
export type Insured = typeof Insured.Type

/** An issued policy. */
export const Policy = Schema.Struct({
  number: Schema.String,
  validity: Validity,
  issuedAt: Schema.DateTimeUtc
})
export type Policy = typeof Policy.Type

/** A policy as the insurer returns it. */
export type IssuedPolicy = Omit<Policy, "issuedAt">

/** An insurance in any state, from the plate to the policy. Contract: 2.7. */
export const Insurance = Schema.Struct({
  id: InsuranceId,
  companyId: CompanyId,
  serviceId: ServiceId,
  environment: Environment,
  state: InsuranceState,
  plate: Plate,
  insured: Insured,
  terminalId: Schema.NullOr(StoredTerminalId),
  /** Whether the insurance renews an earlier policy of the vehicle. */
  renewal: Schema.Boolean,
  /** The insurer's id of the case. */
  reference: Schema.String,
  versions: Schema.Array(Version),
  version: Schema.NullOr(Version),
  plan: Schema.NullOr(Plan),
  /** Extras available with the plan. Empty until a plan is chosen. */
  offeredExtras: Schema.Array(Extra),
  quote: Schema.NullOr(QuoteSchema),
  transactionId: Schema.NullOr(TransactionId),
  policy: Schema.NullOr(Policy),
  createdAt: Schema.DateTimeUtc
})
export type Insurance = typeof Insurance.Type

const optionForm = /^seguro:([1-9]\d{0,15})$/

/** The `opcion_id` of an insurance. Contract: 4.6, step 5. */
export const insuranceOption = (id: InsuranceId): string => `seguro:${id}`

/** The insurance id in an `opcion_id`. Null when the option is not an insurance. */
export const readInsuranceOption = (optionId: string): InsuranceId | null => {
  const id = Number(optionForm.exec(optionId)?.[1])
  return Number.isSafeInteger(id) ? InsuranceId.make(id) : null
}

/** A request to buy an insurance at its quote. */
export interface InsuranceRequest {
  /** The company's environment now. A quote of the other environment cannot be sold. */
  readonly environment: Environment
  readonly serviceId: ServiceId
  readonly identifier: string
  readonly amount: Amount | null
}

/**
 * Returns the quote that a sale may buy now, or the error. Contract: 4.6, sale outcomes.
 *
 * The plate may be in upper or lower case. All other values must equal those of the insurance.
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

/** The data printed on the documents of a policy. Contract: 4.6, step 8. */
export const PolicyFacts = Schema.Struct({
  policy: Policy,
  plate: Plate,
  insured: Insured,
  version: Version,
  plan: Plan,
  quote: QuoteSchema
})
export type PolicyFacts = typeof PolicyFacts.Type

/** The data of the issued policy, or PolicyNotIssued. */
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
