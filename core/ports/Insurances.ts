import { Context, type Effect, type Option } from "effect"
import type { CompanyId, InsuranceId } from "../domain/Ids.ts"
import type { Insurance } from "../domain/Insurance.ts"
import type { CodeBlocked, StepOutOfOrder } from "../domain/InsuranceErrors.ts"
import type { Extra, Plan, Quote, Version } from "../domain/InsuranceOffer.ts"
import type { SentCode } from "../domain/OneTimeCode.ts"
import type { Order } from "../domain/Sale.ts"
import type { StagedSms } from "./Outbox.ts"

/** An insurance that begins. */
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

/** A code that goes to the owner: what is kept of it, and the message that carries it. */
export interface CodeToSend {
  readonly code: SentCode
  readonly sms: StagedSms
}

/** A step of the buyer that changes what is insured. */
export type Chosen =
  | {
      readonly event: "plan_chosen"
      readonly version: Version
      readonly plan: Plan
      readonly extras: ReadonlyArray<Extra>
    }
  /** Of the version and plan for which it was asked; other ones have been chosen meanwhile when these differ. */
  | { readonly event: "quoted"; readonly version: string; readonly plan: string; readonly quote: Quote }
  | { readonly event: "code_verified" }

/**
 * The insurances of companies. Every change is one guarded statement: it happens in the state that section 3.3 has for
 * it, or not at all. Whom an insurance is for is encrypted at rest. Contract: 3.3 and 4.6.
 */
export class Insurances extends Context.Service<
  Insurances,
  {
    /** The next id, before there is an insurance: its code is hashed with it. */
    readonly nextId: Effect.Effect<InsuranceId>
    /** Begins in `iniciada`; its first message is staged with it, and belongs to the caller until its lease ends. */
    readonly create: (id: InsuranceId, insurance: NewInsurance, first: CodeToSend) => Effect.Effect<Insurance>
    readonly find: (companyId: CompanyId, id: InsuranceId) => Effect.Effect<Option.Option<Insurance>>
    /** Puts another code into the place of the last, and stages its message. A blocked process gets none. */
    readonly resend: (
      companyId: CompanyId,
      id: InsuranceId,
      next: CodeToSend
    ) => Effect.Effect<void, StepOutOfOrder | CodeBlocked>
    /**
     * Counts an attempt, whatever it will turn out to be, and answers what it is to be compared with and how many are
     * left. Attempts that run in parallel are counted one after the other.
     */
    readonly attempt: (
      companyId: CompanyId,
      id: InsuranceId
    ) => Effect.Effect<{ readonly code: SentCode; readonly attemptsLeft: number }, StepOutOfOrder | CodeBlocked>
    /** Goes a step on, and answers the insurance as it then is. */
    readonly advance: (companyId: CompanyId, id: InsuranceId, step: Chosen) => Effect.Effect<Insurance, StepOutOfOrder>
    /** Notes that the insurer is about to be asked for the policy; false when the sale is no longer under way. */
    readonly beginIssue: (order: Order) => Effect.Effect<boolean>
  }
>()("saldo/core/Insurances") {}
