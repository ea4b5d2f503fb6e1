import { DateTime, Schema } from "effect"
import { dayOf } from "./LocalTime.ts"
import { Amount } from "./Money.ts"

/** Vehicle types of the insurers. Some extras depend on the type. */
export const VehicleType = Schema.Literals(["automovil", "jeepeta", "camioneta", "motocicleta"])
export type VehicleType = typeof VehicleType.Type

/** A vehicle as the insurer describes it. Contract: 2.7. */
export const Vehicle = Schema.Struct({
  brand: Schema.String,
  model: Schema.String,
  year: Schema.Int,
  type: VehicleType,
  chassis: Schema.String
})
export type Vehicle = typeof Vehicle.Type

/** A version of the vehicle model. Contract: 4.6, step 2. */
export const Version = Schema.Struct({ id: Schema.String, name: Schema.String, suggested: Schema.Boolean })
export type Version = typeof Version.Type

/** An insurance plan: cover, months and price. Contract: 4.6, step 3. */
export const Plan = Schema.Struct({
  code: Schema.String,
  name: Schema.String,
  coverage: Schema.String,
  months: Schema.Int.check(Schema.isGreaterThan(0)),
  price: Amount,
  suggested: Schema.Boolean
})
export type Plan = typeof Plan.Type

/** An extra service: tow, or a driver who takes the insured home. Contract: 4.6, step 4. */
export const ExtraCode = Schema.Literals(["grua", "casa_conductor"])
export type ExtraCode = typeof ExtraCode.Type

export const Extra = Schema.Struct({ code: ExtraCode, name: Schema.String, price: Amount })
export type Extra = typeof Extra.Type

/** The insurer's plans for one version of a vehicle. */
export interface PlanList {
  /** Description of the version. */
  readonly detail: string
  readonly plans: ReadonlyArray<Plan>
  readonly extras: ReadonlyArray<Extra>
}

/** Extras valid for a vehicle type. Motorcycles cannot have `grua`. Contract: 4.6, step 4. */
export const extrasFor = (type: VehicleType, extras: ReadonlyArray<Extra>): ReadonlyArray<Extra> =>
  extras.filter(({ code }) => !(code === "grua" && type === "motocicleta"))

/** A price that the insurer guarantees until `expiresAt`. Contract: 4.6, step 5. */
export const Quote = Schema.Struct({
  /** The insurer's id of the quote. The policy is issued with it. */
  reference: Schema.String,
  total: Amount,
  /** Extras included in the total. */
  extras: Schema.Array(Extra),
  expiresAt: Schema.DateTimeUtc
})
export type Quote = typeof Quote.Type

/** First and last local day of a policy. */
export const Validity = Schema.Struct({ from: Schema.String, until: Schema.String })
export type Validity = typeof Validity.Type

/**
 * The days of a policy that begins at an instant. The first day is the local day of the instant. The last day is the
 * day before the same day of the month, `months` later: 12 months from March 5 end on March 4. If the last month is too
 * short, the policy ends on its last day.
 */
export const validFor = (begins: DateTime.Utc, months: number): Validity => {
  const from = dayOf(begins)
  const first = DateTime.makeUnsafe(`${from}T00:00:00Z`)
  const renewed = DateTime.add(first, { months })
  const sameDay = DateTime.getPartUtc(renewed, "day") === DateTime.getPartUtc(first, "day")
  return { from, until: DateTime.formatIsoDateUtc(sameDay ? DateTime.subtract(renewed, { days: 1 }) : renewed) }
}
