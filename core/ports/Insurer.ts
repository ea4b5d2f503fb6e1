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
import type { DispatchAnswer, Order } from "../domain/Sale.ts"

/** Owner and plate of the vehicle to insure. Contract: 4.6, step 1. */
export interface OwnerAndPlate {
  readonly cedula: Cedula
  readonly phone: Phone
  readonly plate: Plate
  /** The insurer's id of the service. Null if the insurer has none. */
  readonly product: string | null
}

/** The insurer's data on a vehicle and its owner. */
export interface Inspected {
  /** The insurer's id of the case. Later requests refer to it. */
  readonly reference: string
  readonly holder: string
  readonly vehicle: Vehicle
  readonly renewal: boolean
  readonly versions: ReadonlyArray<Version>
}

/** An insurer's case and a version of the vehicle in it. */
export interface CaseVersion {
  readonly reference: string
  readonly plate: Plate
  readonly version: string
}

/** A request for a price. */
export interface QuoteRequest extends CaseVersion {
  readonly plan: string
  readonly extras: ReadonlyArray<ExtraCode>
}

/** A price and the insurer's id of the quote. */
export interface Quoted {
  readonly reference: string
  readonly total: Amount
}

/**
 * A vehicle insurer. Issues at most one policy per xid, for the reference of a quote. After one request to issue, Saldo
 * asks only for the status. An answer that reports a policy without number or days is treated as Unknown.
 */
export interface Insurer {
  readonly inspect: (
    wanted: OwnerAndPlate
  ) => Effect.Effect<Inspected, InsuranceRejected | VehicleUnsupported | InsuranceUnavailable>
  readonly plans: (of: CaseVersion) => Effect.Effect<PlanList, InsuranceRejected | InsuranceUnavailable>
  readonly quote: (
    wanted: QuoteRequest
  ) => Effect.Effect<Quoted, PolicyActive | InsuranceRejected | InsuranceUnavailable>
  readonly issue: (order: Order) => Effect.Effect<DispatchAnswer<IssuedPolicy>>
  readonly status: (order: Order) => Effect.Effect<StatusAnswer<IssuedPolicy>>
}

/** The insurer of each environment. Companies in production never use the simulator. Contract: 1. */
export class Insurers extends Context.Service<
  Insurers,
  {
    readonly serving: (environment: Environment) => Effect.Effect<Insurer, InsuranceUnavailable>
  }
>()("saldo/core/Insurers") {}
