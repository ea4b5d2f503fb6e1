import { DateTime, Schema } from "effect"
import { dayOf } from "./LocalTime.ts"
import { Amount } from "./Money.ts"

/** What insurers tell apart, because not every service is for each. */
export const VehicleType = Schema.Literals(["automovil", "jeepeta", "camioneta", "motocicleta"])
export type VehicleType = typeof VehicleType.Type

/** A vehicle as the insurer knows it. Contract: 2.7. */
export const Vehicle = Schema.Struct({
  brand: Schema.String,
  model: Schema.String,
  year: Schema.Int,
  type: VehicleType,
  chassis: Schema.String
})
export type Vehicle = typeof Vehicle.Type

/** One of the forms in which the model was sold. Contract: 4.6, step 2. */
export const Version = Schema.Struct({ id: Schema.String, name: Schema.String, suggested: Schema.Boolean })
export type Version = typeof Version.Type

/** What may be insured, for how long and for how much. Contract: 4.6, step 3. */
export const Plan = Schema.Struct({
  code: Schema.String,
  name: Schema.String,
  coverage: Schema.String,
  months: Schema.Int.check(Schema.isGreaterThan(0)),
  price: Amount,
  suggested: Schema.Boolean
})
export type Plan = typeof Plan.Type

/** A service beside the cover: a tow, or somebody who drives the insured home. Contract: 4.6, step 4. */
export const ExtraCode = Schema.Literals(["grua", "casa_conductor"])
export type ExtraCode = typeof ExtraCode.Type

export const Extra = Schema.Struct({ code: ExtraCode, name: Schema.String, price: Amount })
export type Extra = typeof Extra.Type

/** What an insurer has for one version of a vehicle. */
export interface PlanList {
  /** The version in words. */
  readonly detail: string
  readonly plans: ReadonlyArray<Plan>
  readonly extras: ReadonlyArray<Extra>
}

/** The extras that a vehicle can have: nobody tows a motorcycle. Contract: 4.6, step 4. */
export const extrasFor = (type: VehicleType, extras: ReadonlyArray<Extra>): ReadonlyArray<Extra> =>
  extras.filter(({ code }) => !(code === "grua" && type === "motocicleta"))

/** A price that the insurer keeps for a while. Contract: 4.6, step 5. */
export const Quote = Schema.Struct({
  /** The insurer's own name for it: what a policy is issued by. */
  reference: Schema.String,
  total: Amount,
  /** What was asked for beside the plan. */
  extras: Schema.Array(Extra),
  expiresAt: Schema.DateTimeUtc
})
export type Quote = typeof Quote.Type

/** The first and the last local day of a policy. */
export const Validity = Schema.Struct({ from: Schema.String, until: Schema.String })
export type Validity = typeof Validity.Type

/**
 * The days of a policy that begins at an instant: from its local day to the day before the same day, so many months
 * later. Where that month has no such day the policy lasts until the month ends, so that none is short of a day.
 */
export const validFor = (begins: DateTime.Utc, months: number): Validity => {
  const from = dayOf(begins)
  const first = DateTime.makeUnsafe(`${from}T00:00:00Z`)
  const renewed = DateTime.add(first, { months })
  const sameDay = DateTime.getPartUtc(renewed, "day") === DateTime.getPartUtc(first, "day")
  return { from, until: DateTime.formatIsoDateUtc(sameDay ? DateTime.subtract(renewed, { days: 1 }) : renewed) }
}
