import { Data, type DateTime, Effect, Schema } from "effect"
import { Environment } from "./Company.ts"
import { Refusal } from "./Errors.ts"
import {
  CompanyId,
  type IdempotencyKey,
  type Identifier,
  type InsuranceId,
  ServiceId,
  StoredIdentifier,
  type TerminalId,
  TransactionId
} from "./Ids.ts"
import { Validity } from "./InsuranceOffer.ts"
import { Amount } from "./Money.ts"
import { ServiceType } from "./Service.ts"

/** Printed form of a meter token: twenty digits in groups of four. Contract: 2.5. */
export const rechargeTokenForm = /^\d{4}( \d{4}){4}$/u

const twentyDigits = /^\d{20}$/

/** Normalizes a meter token with any grouping. Null if the text is not a token. */
export const readRechargeToken = (text: string): string | null => {
  const digits = text.replace(/[ -]/g, "")
  return twentyDigits.test(digits) ? digits.replace(/(\d{4})(?=\d)/g, "$1 ") : null
}

/** Whether a sale of this type returns a meter token. */
export const sellsRechargeTokens = (type: ServiceType): boolean => type === "electricity_prepaid"

/** Whether an electricity sale lacks its meter token, so that the customer cannot use it. */
export const lacksRechargeToken = (type: ServiceType, token: string | null): boolean =>
  sellsRechargeTokens(type) && token === null

/** The fields of a service that a sale stores, so that the sale reads the same after the catalogue changes. */
export const SoldService = Schema.Struct({ id: ServiceId, name: Schema.String, type: ServiceType })
export type SoldService = typeof SoldService.Type

/** A parsed and priced sale, ready to be reserved under its key. */
export interface Intent {
  readonly companyId: CompanyId
  readonly environment: Environment
  readonly key: IdempotencyKey
  /** SHA-256 of method, path template and body, in hex. */
  readonly fingerprint: string
  readonly xid: string
  readonly service: SoldService
  readonly identifier: Identifier
  readonly amount: Amount
  readonly terminalId: TerminalId | null
  readonly optionId: string | null
  /** Set for a bill, which can be paid once. Null for products that can be bought again. */
  readonly billId: string | null
  /** The insurance that is bought. Null for other sales. */
  readonly insuranceId: InsuranceId | null
  /** The provider's ids of the service and of the option. Null if the provider has no such id. */
  readonly product: string | null
  readonly reference: string | null
  /** Whether the service accepted reversal at the time of the sale. */
  readonly reversible: boolean
}

// Responses stored by earlier versions lack `product` and `reference`.
const nullIfAbsent = Schema.NullOr(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))

/** An order to a provider. Status questions and reversals use the same data. */
export const Order = Schema.Struct({
  companyId: CompanyId,
  transactionId: TransactionId,
  environment: Environment,
  xid: Schema.String,
  service: SoldService,
  identifier: StoredIdentifier,
  amount: Amount,
  /** The provider's id of the service. Null if the provider has none. */
  product: nullIfAbsent,
  /** The provider's id of the option: a package, a bill or a quote. */
  reference: nullIfAbsent,
  createdAt: Schema.DateTimeUtc
})
export type Order = typeof Order.Type

/** Proof of delivery. Contract: 2.5. */
export const Delivery = Schema.Struct({
  authCode: Schema.String,
  /** Electricity only: the token that the customer types into the meter. */
  rechargeToken: Schema.NullOr(Schema.String),
  /** Insurance only: the days of the policy. The authorization code is the policy number. */
  validity: Schema.optionalKey(Validity)
})
export type Delivery = typeof Delivery.Type

/** The refusal that is stored if the provider gives no reason. */
export const denialOf = ({ service }: Order): Refusal =>
  service.type === "insurance" ? "SEGURO_NO_EMITIDO" : "TRANSACTION_REJECTED"

/** The response to a sale, for the first call and every replay. Contract: 4.5. */
export const Outcome = Schema.TaggedUnion({
  Delivered: { order: Order, delivery: Delivery, processedAt: Schema.DateTimeUtc },
  Pending: { transactionId: TransactionId, xid: Schema.String },
  Refused: { transactionId: TransactionId, xid: Schema.String, refusal: Refusal }
})
export type Outcome = typeof Outcome.Type

/** The ids of the sale in an outcome. */
export const saleIn = (outcome: Outcome): Pick<Order, "transactionId" | "xid"> =>
  outcome._tag === "Delivered" ? outcome.order : outcome

/**
 * A provider's answer to a dispatch. An answer that does not state the outcome beyond doubt, such as a timeout, is
 * Unknown. `Proof` is the evidence of delivery; an insurer's proof is a policy.
 */
export type DispatchAnswer<Proof = Delivery> = Data.TaggedEnum<{
  Delivered: { readonly delivery: Proof }
  Refused: { readonly refusal: Refusal }
  /** The request provably did not leave this process. */
  NotSent: {}
  Unknown: {}
}>
interface DispatchAnswerOf extends Data.TaggedEnum.WithGenerics<1> {
  readonly taggedEnum: DispatchAnswer<this["A"]>
}
export const DispatchAnswer = Data.taggedEnum<DispatchAnswerOf>()

/** The decision on a reservation: confirm, release, free or hold. Contract: 2.3 and 3.1. */
export type Verdict = Data.TaggedEnum<{
  Confirm: { readonly delivery: Delivery }
  Release: { readonly refusal: Refusal }
  /**
   * The request provably did not reach the provider. The amount is released, and the key is freed if it has no stored
   * response.
   */
  Free: {}
  Hold: {}
}>
export const Verdict = Data.taggedEnum<Verdict>()

/** The verdict that follows from the provider's answer. Contract: 3.1. */
export const verdictOf = (answer: DispatchAnswer): Verdict =>
  DispatchAnswer.$match(answer, {
    Delivered: ({ delivery }): Verdict => Verdict.Confirm({ delivery }),
    Refused: ({ refusal }): Verdict => Verdict.Release({ refusal }),
    NotSent: () => Verdict.Free(),
    Unknown: () => Verdict.Hold()
  })

/** The response to a sale with an unknown outcome. */
export const pendingOf = ({ transactionId, xid }: Pick<Order, "transactionId" | "xid">): Outcome => ({
  _tag: "Pending",
  transactionId,
  xid
})

/**
 * The response that a verdict produces. Null if the key is freed.
 *
 * @param toldPending whether the caller has already received "pending". The response then stays "pending".
 */
export const outcomeOf = (order: Order, verdict: Verdict, at: DateTime.Utc, toldPending = false): Outcome | null => {
  const { transactionId, xid } = order
  if (toldPending && verdict._tag !== "Free") return pendingOf(order)
  return Verdict.$match(verdict, {
    Confirm: ({ delivery }): Outcome => ({ _tag: "Delivered", order, delivery, processedAt: at }),
    Release: ({ refusal }): Outcome => ({ _tag: "Refused", transactionId, xid, refusal }),
    Hold: () => pendingOf(order),
    Free: () => null
  })
}
