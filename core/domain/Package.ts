import { Schema } from "effect"
import { ServiceId } from "./Ids.ts"
import { Amount } from "./Money.ts"

/** What a service of the flow paquetes sells at a fixed price. Contract: 2.4. */
export const Package = Schema.Struct({
  id: Schema.Int,
  serviceId: ServiceId,
  code: Schema.String,
  name: Schema.String,
  description: Schema.String,
  price: Amount,
  /** For how long, in words: `7 días`. */
  duration: Schema.String,
  /** How much data, in words: `2 GB`. */
  data: Schema.String,
  minutes: Schema.Int,
  sms: Schema.Int
})
export type Package = typeof Package.Type
