import { Context, type Effect, type Option } from "effect"
import type { CompanyId, InsuranceId } from "../domain/Ids.ts"
import type { Insurance } from "../domain/Insurance.ts"
import type { CodeBlocked, PhoneLimited } from "../domain/InsuranceErrors.ts"
import type { Extra, Plan, Quote, Version } from "../domain/InsuranceOffer.ts"
import type { StepOutOfOrder } from "../domain/InsuranceState.ts"
import type { SentCode } from "../domain/OneTimeCode.ts"
import type { Order } from "../domain/Sale.ts"
import type { StagedSms } from "./Outbox.ts"

/** An insurance at its start. */
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
   * The quote belongs to this version and plan. If the stored ones differ, the buyer has chosen others meanwhile and
   * the quote is discarded.
   */
  | { readonly event: "quoted"; readonly version: string; readonly plan: string; readonly quote: Quote }
  | { readonly event: "code_verified" }

/**
 * The insurances of companies. Every change is one guarded statement: it happens in a state that section 3.3 allows, or
 * not at all. Personal data is encrypted at rest. Contract: 3.3 and 4.6.
 */
export class Insurances extends Context.Service<
  Insurances,
  {
    /** Reserves the id of an insurance before it is created, because the hash of its code is computed with the id. */
    readonly nextId: Effect.Effect<InsuranceId>
    /**
     * Creates an insurance in `iniciada` and stages its first message in the same transaction. The caller has the lease
     * of that message. Fails when the phone may not get another message now.
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
     * Counts an attempt before its code is compared. Returns the stored code and the attempts left. Parallel attempts
     * are counted one after the other.
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
    /** Records that the insurer is about to be asked for the policy. Returns false when the sale has already ended. */
    readonly beginIssue: (order: Order) => Effect.Effect<boolean>
  }
>()("saldo/core/Insurances") {}
