import { Context, type Effect, type Option } from "effect"
import type { CompanyId, InsuranceId } from "../domain/Ids.ts"
import type { Insurance } from "../domain/Insurance.ts"
import type { CodeBlocked, PhoneLimited } from "../domain/InsuranceErrors.ts"
import type { Extra, Plan, Quote, Version } from "../domain/InsuranceOffer.ts"
import type { StepOutOfOrder } from "../domain/InsuranceState.ts"
import type { SentCode } from "../domain/OneTimeCode.ts"
import type { Order } from "../domain/Sale.ts"
import type { StagedSms } from "./Outbox.ts"

/** The fields of a new insurance. */
export type NewInsurance = Pick<
  Insurance,
  | "companyId"
  | "serviceId"
  | "environment"
  | "plate"
  | "insured"
  | "terminalId"
  | "renewal"
  | "reference"
  | "versions"
  | "createdAt"
>

/** A code to send: its stored record and its message. */
export interface CodeToSend {
  readonly code: SentCode
  readonly sms: StagedSms
}

/** A step of the buyer that changes the insurance. */
export type BuyerStep =
  | {
      readonly event: "plan_chosen"
      readonly version: Version
      readonly plan: Plan
      readonly extras: ReadonlyArray<Extra>
    }
  /**
   * The quote is for this version and plan. If the insurance now has another version or plan, the buyer has changed the
   * choice meanwhile, and the quote is discarded.
   */
  | { readonly event: "quoted"; readonly version: string; readonly plan: string; readonly quote: Quote }
  | { readonly event: "code_verified" }

/**
 * The insurances of companies. Every change is one SQL statement that checks the state: a change that section 3.3 does
 * not allow has no effect. Personal data is encrypted at rest. Contract: 3.3 and 4.6.
 */
export class Insurances extends Context.Service<
  Insurances,
  {
    /**
     * Reserves the id of a company's insurance before it is created, because the hash of its code is computed with the
     * id.
     */
    readonly nextId: (companyId: CompanyId) => Effect.Effect<InsuranceId>
    /**
     * Creates an insurance in `iniciada` and stages its first message in the same transaction. The caller holds the
     * lease of the message. Fails when the phone has reached a limit of messages.
     */
    readonly create: (
      id: InsuranceId,
      insurance: NewInsurance,
      first: CodeToSend
    ) => Effect.Effect<Insurance, PhoneLimited>
    readonly find: (companyId: CompanyId, id: InsuranceId) => Effect.Effect<Option.Option<Insurance>>
    /** Replaces the code and stages its message. Fails when the insurance is blocked or the phone's limit is reached. */
    readonly resend: (
      companyId: CompanyId,
      id: InsuranceId,
      next: CodeToSend
    ) => Effect.Effect<void, StepOutOfOrder | CodeBlocked | PhoneLimited>
    /**
     * Counts an attempt before the caller's code is compared. Returns the stored code and the attempts left. Parallel
     * attempts are counted one after the other.
     */
    readonly attempt: (
      companyId: CompanyId,
      id: InsuranceId
    ) => Effect.Effect<{ readonly code: SentCode; readonly attemptsLeft: number }, StepOutOfOrder | CodeBlocked>
    /** Applies a step and returns the changed insurance. */
    readonly advance: (
      companyId: CompanyId,
      id: InsuranceId,
      step: BuyerStep
    ) => Effect.Effect<Insurance, StepOutOfOrder>
    /**
     * Records that the request for the policy is about to be sent to the insurer. Returns false when the sale has
     * already ended.
     */
    readonly beginIssue: (order: Order) => Effect.Effect<boolean>
  }
>()("saldo/core/Insurances") {}
