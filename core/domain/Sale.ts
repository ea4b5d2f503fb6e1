import { Data, type DateTime, Effect, Schema } from "effect"
import { Environment } from "./Company.ts"
import { Refusal } from "./Errors.ts"
import {
  CompanyId,
  type IdempotencyKey,
  type Identifier,
  type InsuranceId,
  KeptIdentifier,
  ServiceId,
  type TerminalId,
  TransactionId
} from "./Ids.ts"
import { Validity } from "./InsuranceOffer.ts"
import { Amount } from "./Money.ts"
import { ServiceType } from "./Service.ts"

/** What of a service a sale keeps, so that it reads the same after the catalogue has changed. */
export const SoldService = Schema.Struct({ id: ServiceId, name: Schema.String, type: ServiceType })
export type SoldService = typeof SoldService.Type

/** A sale that may be reserved: parsed, priced, and named by its key. */
export interface Intent {
  readonly companyId: CompanyId
  readonly environment: Environment
  readonly key: IdempotencyKey
  /** Digest of method, path template and body, hex. */
  readonly fingerprint: string
  readonly xid: string
  readonly service: SoldService
  readonly identifier: Identifier
  readonly amount: Amount
  readonly terminalId: TerminalId | null
  readonly optionId: string | null
  /** The option of a bill, which is paid once; null for whatever may be bought again. */
  readonly billId: string | null
  /** The insurance whose quote is bought; null for every other sale. */
  readonly insuranceId: InsuranceId | null
  /** What the provider calls the service, and the option of it; null where it has no name of its own. */
  readonly product: string | null
  readonly reference: string | null
  /** Whether the service accepted reversal when this was sold. */
  readonly reversible: boolean
}

// An answer that a key keeps may be older than the field.
const knownLater = Schema.NullOr(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))

/** What a provider is asked to deliver, and later asked about. */
export const Order = Schema.Struct({
  companyId: CompanyId,
  transactionId: TransactionId,
  environment: Environment,
  xid: Schema.String,
  service: SoldService,
  identifier: KeptIdentifier,
  amount: Amount,
  /** What the provider calls the service; null where it has no name of its own for it. */
  product: knownLater,
  /** What it calls the option that was bought: a package, a bill, a quote. */
  reference: knownLater,
  createdAt: Schema.DateTimeUtc
})
export type Order = typeof Order.Type

/** Proof of delivery. Contract: 2.5. */
export const Delivery = Schema.Struct({
  authCode: Schema.String,
  /** Electricity only: what the end customer types into the meter. */
  rechargeToken: Schema.NullOr(Schema.String),
  /** Insurance only: the days of the policy, whose number is the authorization code. */
  validity: Schema.optionalKey(Validity)
})
export type Delivery = typeof Delivery.Type

/** What a denial without a reason of its own is called. */
export const denialOf = ({ service }: Order): Refusal =>
  service.type === "insurance" ? "SEGURO_NO_EMITIDO" : "TRANSACTION_REJECTED"

/** How a sale was answered: what the first call hears, and every replay of it. Contract: 4.5. */
export const Outcome = Schema.TaggedUnion({
  Delivered: { order: Order, delivery: Delivery, processedAt: Schema.DateTimeUtc },
  Pending: { transactionId: TransactionId, xid: Schema.String },
  Refused: { transactionId: TransactionId, xid: Schema.String, refusal: Refusal }
})
export type Outcome = typeof Outcome.Type

/** The sale that an answer is about, wherever the answer has it. */
export const saleIn = (outcome: Outcome): Pick<Order, "transactionId" | "xid"> =>
  outcome._tag === "Delivered" ? outcome.order : outcome

/**
 * What a provider said of an order. Anything that is not firm is Unknown: a timeout is never a refusal. What proves a
 * delivery is the party's own: an insurer has a policy.
 */
export type Answer<Proof = Delivery> = Data.TaggedEnum<{
  Delivered: { readonly delivery: Proof }
  Refused: { readonly refusal: Refusal }
  /** Provably nothing left this process. */
  NotSent: {}
  Unknown: {}
}>
interface AnswerOf extends Data.TaggedEnum.WithGenerics<1> {
  readonly taggedEnum: Answer<this["A"]>
}
export const Answer = Data.taggedEnum<AnswerOf>()

/** What becomes of a reservation. Contract: 2.3 and 3.1. */
export type Verdict = Data.TaggedEnum<{
  Confirm: { readonly delivery: Delivery }
  Release: { readonly refusal: Refusal }
  /**
   * The provider was provably never reached: the money is released, and a key that has not answered yet is free again.
   */
  Free: {}
  Hold: {}
}>
export const Verdict = Data.taggedEnum<Verdict>()

/** What the provider's answer means for the money. Contract: 3.1. */
export const verdictOf = (answer: Answer): Verdict =>
  Answer.$match(answer, {
    Delivered: ({ delivery }): Verdict => Verdict.Confirm({ delivery }),
    Refused: ({ refusal }): Verdict => Verdict.Release({ refusal }),
    NotSent: () => Verdict.Free(),
    Unknown: () => Verdict.Hold()
  })

/** The answer to a sale whose outcome nobody knows yet. */
export const pendingOf = ({ transactionId, xid }: Pick<Order, "transactionId" | "xid">): Outcome => ({
  _tag: "Pending",
  transactionId,
  xid
})

/**
 * The answer that a verdict makes; none for a freed key, which has nothing to replay.
 *
 * @param toldPending whether the caller has already heard that the sale is pending: then that is the answer.
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
