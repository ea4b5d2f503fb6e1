import { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { CatalogueDraft, CategoryDraft } from "../../../core/domain/CatalogueDraft.ts"
import type { CompanyId, ServiceId } from "../../../core/domain/Ids.ts"
import { CategoryNameTaken, UnknownService } from "../../../core/domain/OperatorErrors.ts"
import { CatalogueAdmin } from "../../../core/ports/Catalogue.ts"
import { ReportProgress } from "../../../core/ports/Progress.ts"
import { inOneSnapshot, int8, violatesUnique } from "../connection/Sql.ts"
import { type PackageRow, packageOf, type ServiceRow, serviceOf } from "./CataloguePostgres.ts"

interface ListedRow extends ServiceRow {
  readonly active: boolean
  readonly enabled: boolean | null
}

const nameTaken = (error: SqlError) =>
  violatesUnique(error, "category_name_key") ? Effect.fail(new CategoryNameTaken()) : Effect.die(error)

// Writes rows in order of id, so that two concurrent imports cannot deadlock.
const write = Effect.fnUntraced(function* (sql: PgClient.PgClient, { categories, packages, services }: CatalogueDraft) {
  const report = yield* ReportProgress
  const total = categories.length + services.length + packages.length
  yield* sql`
    insert into catalogue.category (id, name)
    select id, name
    from jsonb_to_recordset(${PgTypes.jsonb(categories)}) as c(id int, name text)
    order by id
    on conflict (id) do update set name = excluded.name`
  yield* report(categories.length, total)
  yield* sql`
    insert into catalogue.service (
      id, name, description, type, category_id, minimum, maximum, reversible, flow, requires_lookup, how_to_buy,
      product, active
    )
    select
      id, name, description, type, "categoryId", minimum, maximum, reversible, flow, "requiresLookup", "howToBuy",
      product, active
    from jsonb_to_recordset(${PgTypes.jsonb(services)}) as s(
      id bigint, name text, description text, type text, "categoryId" int, minimum bigint, maximum bigint,
      reversible boolean, flow text, "requiresLookup" boolean, "howToBuy" text, product text, active boolean
    )
    order by id
    on conflict (id) do update
    set name = excluded.name,
      description = excluded.description,
      type = excluded.type,
      category_id = excluded.category_id,
      minimum = excluded.minimum,
      maximum = excluded.maximum,
      reversible = excluded.reversible,
      flow = excluded.flow,
      requires_lookup = excluded.requires_lookup,
      how_to_buy = excluded.how_to_buy,
      product = excluded.product,
      active = excluded.active`
  yield* report(categories.length + services.length, total)
  yield* sql`
    insert into catalogue.package (
      id, service_id, code, name, description, price, duration, data, minutes, sms, active
    )
    select id, "serviceId", code, name, description, price, duration, data, minutes, sms, active
    from jsonb_to_recordset(${PgTypes.jsonb(packages)}) as p(
      id int, "serviceId" bigint, code text, name text, description text, price bigint, duration text, data text,
      minutes int, sms int, active boolean
    )
    order by id
    on conflict (id) do update
    set service_id = excluded.service_id,
      code = excluded.code,
      name = excluded.name,
      description = excluded.description,
      price = excluded.price,
      duration = excluded.duration,
      data = excluded.data,
      minutes = excluded.minutes,
      sms = excluded.sms,
      active = excluded.active`
})

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const store = (draft: CatalogueDraft) => Effect.catch(sql.withTransaction(write(sql, draft)), nameTaken)

  const fill = Effect.fnUntraced(
    function* (draft: CatalogueDraft) {
      // Blocks other writers but not readers, so that only one process finds the catalogue empty.
      yield* sql`lock table catalogue.service in share row exclusive mode`
      const some = yield* sql`select 1 from catalogue.service limit 1`
      if (some.length > 0) return false
      yield* write(sql, draft)
      return true
    },
    sql.withTransaction,
    Effect.orDie
  )

  const list = (companyId: CompanyId | null) =>
    Effect.orDie(
      inOneSnapshot(
        sql,
        Effect.gen(function* () {
          const company = int8(companyId)
          const services = yield* sql<ListedRow>`
            select
              s.id, s.name, s.description, s.type, c.name as category, s.category_id, s.minimum, s.maximum,
              s.reversible, s.flow, s.requires_lookup, s.how_to_buy, s.product, s.active,
              coalesce(w.enabled, true) and (s.type <> 'insurance' or d.insurance_enabled) as enabled
            from catalogue.service as s
            join catalogue.category as c on c.id = s.category_id
            left join catalogue.company_service as w on w.service_id = s.id and w.company_id = ${company}
            left join directory.company as d on d.id = ${company}
            order by s.id`
          const packages = yield* sql<PackageRow & { readonly active: boolean }>`
            select p.id, p.service_id, p.code, p.name, p.description, p.price, p.duration, p.data, p.minutes, p.sms, p.active
            from catalogue.package as p
            join catalogue.service as s on s.id = p.service_id and s.flow = 'paquetes'
            order by p.id`
          return {
            categories: yield* sql<CategoryDraft>`select id, name from catalogue.category order by id`,
            services: services.map(({ active, enabled, ...row }) => ({
              service: serviceOf(row),
              active,
              enabled: companyId === null ? null : enabled
            })),
            packages: packages.map(({ active, ...row }) => ({ ...packageOf(row), active }))
          }
        })
      )
    )

  const setActive = Effect.fnUntraced(function* (serviceId: ServiceId, active: boolean) {
    const [changed] = yield* Effect.orDie(sql<{ before: boolean }>`
      update catalogue.service
      set active = ${active}
      where id = ${int8(serviceId)}
      returning old.active as before`)
    return changed === undefined ? yield* new UnknownService({ serviceId }) : changed.before
  })

  const setEnabled = Effect.fnUntraced(function* (companyId: CompanyId, serviceId: ServiceId, enabled: boolean) {
    const [changed] = yield* Effect.orDie(sql<{ before: boolean }>`
      insert into catalogue.company_service (company_id, service_id, enabled)
      select ${int8(companyId)}, id, ${enabled}
      from catalogue.service
      where id = ${int8(serviceId)}
      on conflict (company_id, service_id) do update set enabled = excluded.enabled
      returning coalesce(old.enabled, true) as before`)
    return changed === undefined ? yield* new UnknownService({ serviceId }) : changed.before
  })

  return CatalogueAdmin.of({ store, fill, list, setActive, setEnabled })
})

export const layer = Layer.effect(CatalogueAdmin, make)
