import { Schema } from "effect"
import { Service } from "../../core/domain/Service.ts"

/** A row of catalogue.service, with its category's name. */
export interface ServiceRow {
  readonly id: bigint
  readonly name: string
  readonly description: string
  readonly type: string
  readonly category: string
  readonly category_id: number
  readonly minimum: bigint
  readonly maximum: bigint
  readonly reversible: boolean
  readonly flow: string
  readonly requires_lookup: boolean
  readonly how_to_buy: string
  readonly product: string | null
}

const decode = Schema.decodeUnknownSync(Schema.toType(Service))

export const serviceOf = (row: ServiceRow): Service =>
  decode({
    id: Number(row.id),
    name: row.name,
    description: row.description,
    type: row.type,
    category: row.category,
    categoryId: row.category_id,
    minimum: Number(row.minimum),
    maximum: Number(row.maximum),
    reversible: row.reversible,
    flow: row.flow,
    requiresLookup: row.requires_lookup,
    howToBuy: row.how_to_buy,
    product: row.product
  })
