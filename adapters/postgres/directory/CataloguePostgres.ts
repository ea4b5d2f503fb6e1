import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import type { Company } from "../../../core/domain/Company.ts"
import type { ServiceId } from "../../../core/domain/Ids.ts"
import { availabilityTo, mayBeSoldBy, Package, Service } from "../../../core/domain/Service.ts"
import { Catalogue } from "../../../core/ports/Catalogue.ts"
import { transientRetry } from "../connection/SqlFailure.ts"
import { invalidatedOnSetBack, invalidateOn, timeToLive } from "../connection/TtlCache.ts"

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

const decodePackage = Schema.decodeUnknownSync(Schema.toType(Package))

export const packageOf = ({ price, service_id, ...row }: PackageRow): Package =>
  decodePackage({ ...row, serviceId: Number(service_id), price: Number(price) })

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

const decodeService = Schema.decodeUnknownSync(Schema.toType(Service))

export const serviceOf = (row: ServiceRow): Service =>
  decodeService({
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

/** All active services and packages, and the services withheld from each company. */
interface Shelf {
  /** Sorted by id. */
  readonly services: ReadonlyMap<ServiceId, Service>
  readonly packages: ReadonlyMap<ServiceId, ReadonlyArray<Package>>
  readonly withheld: ReadonlyMap<number, ReadonlySet<number>>
}

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const read = Effect.gen(function* () {
    const rows = yield* sql<ServiceRow>`
      select
        s.id, s.name, s.description, s.type, c.name as category, s.category_id, s.minimum, s.maximum, s.reversible,
        s.flow, s.requires_lookup, s.how_to_buy, s.product
      from catalogue.service as s
      join catalogue.category as c on c.id = s.category_id
      where s.active
      order by s.id`
    const packages = yield* sql<PackageRow>`
      select id, service_id, code, name, description, price, duration, data, minutes, sms
      from catalogue.package
      where active
      order by id`
    const withheld = yield* sql<{ company_id: bigint; services: ReadonlyArray<bigint> }>`
      select company_id, array_agg(service_id) as services
      from catalogue.company_service
      where not enabled
      group by company_id`
    return {
      services: new Map(rows.map(serviceOf).map((service) => [service.id, service])),
      packages: Map.groupBy(packages.map(packageOf), ({ serviceId }) => serviceId),
      withheld: new Map(withheld.map((row) => [Number(row.company_id), new Set(row.services.map(Number))]))
    } satisfies Shelf
  }).pipe(Effect.retry(transientRetry), Effect.orDie)

  const [cached, invalidate] = yield* Effect.cachedInvalidateWithTTL(read, (exit) => timeToLive(exit))
  const shelf = invalidatedOnSetBack(invalidate)(cached)
  yield* invalidateOn("catalogue_changed", invalidate)

  const services = (company: Company) =>
    Effect.map(shelf, ({ services, withheld }) => {
      const without = withheld.get(company.id)
      return [...services.values()].filter((service) => !without?.has(service.id) && mayBeSoldBy(company, service))
    })

  const find = (company: Company, serviceId: ServiceId) =>
    Effect.map(shelf, ({ services, withheld }) =>
      availabilityTo(company, withheld.get(company.id)?.has(serviceId) ? undefined : services.get(serviceId))
    )

  const packages = (serviceId: ServiceId) => Effect.map(shelf, ({ packages }) => packages.get(serviceId) ?? [])

  return Catalogue.of({ services, find, packages })
})

/** `Catalogue` in Postgres, cached until it changes. */
export const layer = Layer.effect(Catalogue, make)
