import { Context, type Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import type { IssuedPolicy } from "../domain/Insurance.ts"
import type {
  InsuranceRejected,
  InsuranceUnavailable,
  PolicyActive,
  VehicleUnsupported
} from "../domain/InsuranceErrors.ts"
import type { ExtraCode, PlanList, Vehicle, Version } from "../domain/InsuranceOffer.ts"
import type { Amount } from "../domain/Money.ts"
import type { Cedula, Phone, Plate } from "../domain/Person.ts"
import type { StatusAnswer } from "../domain/Recovery.ts"
import type { Answer, Order } from "../domain/Sale.ts"

/** Whose vehicle is looked for. Contract: 4.6, step 1. */
export interface OwnerAndPlate {
  readonly cedula: Cedula
  readonly phone: Phone
  readonly plate: Plate
  /** What the insurer calls the service; null where it has no name of its own for it. */
  readonly product: string | null
}

/** What an insurer knows of a vehicle and its owner. */
export interface Inspected {
  /** Its own name for the case: what every later question is about. */
  readonly reference: string
  readonly holder: string
  readonly vehicle: Vehicle
  readonly renewal: boolean
  readonly versions: ReadonlyArray<Version>
}

/** Of which case, and of which version of the vehicle. */
export interface CaseVersion {
  readonly reference: string
  readonly plate: Plate
  readonly version: string
}

/** What is to be priced. */
export interface QuoteRequest extends CaseVersion {
  readonly plan: string
  readonly extras: ReadonlyArray<ExtraCode>
}

/** A price, and the insurer's own name for it. */
export interface Quoted {
  readonly reference: string
  readonly total: Amount
}

/**
 * Somebody who insures vehicles. A policy is asked for at most once an xid, by the reference of its quote; afterwards
 * it is only asked about. An answer that issues one without its number or its days was not understood: it is Unknown.
 */
export interface Insurer {
  readonly inspect: (
    wanted: OwnerAndPlate
  ) => Effect.Effect<Inspected, InsuranceRejected | VehicleUnsupported | InsuranceUnavailable>
  readonly plans: (of: CaseVersion) => Effect.Effect<PlanList, InsuranceRejected | InsuranceUnavailable>
  readonly quote: (
    wanted: QuoteRequest
  ) => Effect.Effect<Quoted, PolicyActive | InsuranceRejected | InsuranceUnavailable>
  readonly issue: (order: Order) => Effect.Effect<Answer<IssuedPolicy>>
  readonly status: (order: Order) => Effect.Effect<StatusAnswer<IssuedPolicy>>
}

/** Which insurer serves an environment. A company in production never meets the simulator. Contract: 1. */
export class Insurers extends Context.Service<
  Insurers,
  {
    readonly serving: (environment: Environment) => Effect.Effect<Insurer, InsuranceUnavailable>
  }
>()("saldo/core/Insurers") {}
