import { Schema } from "effect"
import { Package } from "../../core/domain/Package.ts"

/** A row of catalogue.package. */
export interface PackageRow {
  readonly id: number
  readonly service_id: bigint
  readonly code: string
  readonly name: string
  readonly description: string
  readonly price: bigint
  readonly duration: string
  readonly data: string
  readonly minutes: number
  readonly sms: number
}

const decode = Schema.decodeUnknownSync(Schema.toType(Package))

export const packageOf = ({ price, service_id, ...row }: PackageRow): Package =>
  decode({ ...row, serviceId: Number(service_id), price: Number(price) })
