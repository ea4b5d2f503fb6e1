import { PgTypes } from "@effect/sql-pg"
import { DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { OfferedOption } from "../../../core/domain/Lookup.ts"
import { Options } from "../../../core/ports/Options.ts"
import { cellClient } from "../connection/Cell.ts"
import { companyReads } from "../connection/CompanyReads.ts"
import { instant, int8 } from "../connection/Sql.ts"

/**
 * How long an expired option is kept. During this time, a sale with the option is refused as expired, not as unknown.
 */
const keptAfterExpiry = Duration.days(1)

/** Maximum number of old options that one lookup deletes. A lookup stores fewer, so old options do not accumulate. */
const forgotten_max = 200

interface OptionRow {
  readonly company_id: bigint
  readonly id: string
  readonly service_id: bigint
  readonly identifier: string
  readonly reference: string
  readonly name: string
  readonly price: bigint
  readonly validity: string | null
  readonly data: string | null
  readonly expires_at: Date
}

const decode = Schema.decodeUnknownSync(Schema.toType(OfferedOption))

const offeredOf = (row: OptionRow): OfferedOption =>
  decode({
    id: row.id,
    companyId: Number(row.company_id),
    serviceId: Number(row.service_id),
    identifier: row.identifier,
    reference: row.reference,
    name: row.name,
    price: Number(row.price),
    validity: row.validity,
    data: row.data,
    expiresAt: DateTime.fromDateUnsafe(row.expires_at)
  })

const rowOf = ({ companyId, expiresAt, serviceId, ...option }: OfferedOption) => ({
  ...option,
  company_id: companyId,
  service_id: serviceId,
  expires_at: DateTime.formatIso(expiresAt)
})

const make = Effect.gen(function* () {
  const sql = yield* cellClient
  const reads = yield* companyReads

  // Writes rows in order of id, so that two lookups of one identifier cannot deadlock.
  const write = (options: ReadonlyArray<OfferedOption>) => sql`
    insert into ${sql.cell}.option (
      company_id, id, service_id, identifier, reference, name, price, validity, data, expires_at
    )
    select company_id, id, service_id, identifier, reference, name, price, validity, data, expires_at
    from jsonb_to_recordset(${PgTypes.jsonb(options.map(rowOf))}) as o(
      company_id bigint, id text, service_id bigint, identifier text, reference text, name text, price bigint,
      validity text, data text, expires_at timestamptz
    )
    order by company_id, id
    on conflict (company_id, id) do update
    set name = excluded.name,
      price = excluded.price,
      validity = excluded.validity,
      data = excluded.data,
      expires_at = excluded.expires_at`

  // Skips rows that another lookup has locked, because that lookup is about to offer them again.
  const forget = (companyId: CompanyId, before: DateTime.Utc) => sql`
    delete from ${sql.cell}.option
    where (company_id, id) in (
      select company_id, id
      from ${sql.cell}.option
      where company_id = ${int8(companyId)} and expires_at < ${instant(before)}
      order by expires_at
      limit ${forgotten_max}
      for update skip locked
    )`

  const store = Effect.fnUntraced(function* (options: ReadonlyArray<OfferedOption>) {
    const [first] = options
    if (first === undefined) return
    yield* write(options)
    yield* forget(first.companyId, DateTime.subtractDuration(yield* DateTime.now, keptAfterExpiry))
  }, Effect.orDie)

  const find = Effect.fnUntraced(function* (companyId: CompanyId, optionId: string) {
    const [row] = yield* reads(companyId)<OptionRow>`
      select company_id, id, service_id, identifier, reference, name, price, validity, data, expires_at
      from ${sql.cell}.option
      where company_id = ${int8(companyId)} and id = ${optionId}`
    return Option.map(Option.fromUndefinedOr(row), offeredOf)
  }, Effect.orDie)

  return Options.of({ store, find })
})

export const layer = Layer.effect(Options, make)
