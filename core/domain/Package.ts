import { Schema } from "effect"
import { ServiceId } from "./Ids.ts"
import { Amount } from "./Money.ts"

/** A product with a fixed price of a service with the flow `paquetes`. Contract: 2.4. */
export const Package = Schema.Struct({
  id: Schema.Int,
  serviceId: ServiceId,
  code: Schema.String,
  name: Schema.String,
  description: Schema.String,
  price: Amount,
  /** Validity in words: `7 días`. */
  duration: Schema.String,
  /** Data volume in words: `2 GB`. */
  data: Schema.String,
  minutes: Schema.Int,
  sms: Schema.Int
})
export type Package = typeof Package.Type
