import { PgClient, PgTypes } from "@effect/sql-pg"
import { type DateTime, Effect, Layer, Option, Schema } from "effect"
import type { CellName } from "../../../core/domain/Cell.ts"
import { CellNotOpen } from "../../../core/domain/CellErrors.ts"
import { Company, sharedSandbox } from "../../../core/domain/Company.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { CodeTaken } from "../../../core/domain/OperatorErrors.ts"
import { Companies, type CompanyChanges, type NewCompany } from "../../../core/ports/Companies.ts"
import { mainNode } from "../connection/Nodes.ts"
import { instant, int8, violatesConstraint, violatesUnique } from "../connection/Sql.ts"

/** A row of directory.company. */
export interface CompanyRow {
  readonly id: bigint
  readonly legal_name: string
  readonly rnc: string | null
  readonly code: string
  readonly environment: string
  readonly state: string
  readonly api_enabled: boolean
  readonly insurance_enabled: boolean
  readonly cell: string
}

const decodeCompany = Schema.decodeUnknownSync(Schema.toType(Company))

export const companyOf = (row: CompanyRow): Company =>
  decodeCompany({
    id: Number(row.id),
    legalName: row.legal_name,
    ...(row.rnc !== null && { rnc: row.rnc }),
    code: row.code,
    environment: row.environment,
    state: row.state,
    apiEnabled: row.api_enabled,
    insuranceEnabled: row.insurance_enabled,
    cell: row.cell
  })

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const columns = sql.literal("id, legal_name, rnc, code, environment, state, api_enabled, insurance_enabled, cell")

  const create = Effect.fnUntraced(function* (company: NewCompany, at: DateTime.Utc, cell?: CellName) {
    const [row] = yield* sql<{ id: bigint }>`
      insert into directory.company (
        legal_name, rnc, code, environment, state, api_enabled, insurance_enabled, created_at, cell
      )
      values (
        ${company.legalName}, ${company.rnc ?? null}, ${company.code}, ${company.environment}, ${company.state},
        ${company.apiEnabled}, ${company.insuranceEnabled}, ${instant(at)},
        coalesce(
          ${cell ?? null}::text,
          (
            select c.name
            from directory.cell as c
            where c.state = 'open' and (c.node = ${mainNode} or ${company.code !== sharedSandbox})
            order by (select count(*) from directory.company as o where o.cell = c.name), c.ordinal
            limit 1
          )
        )
      )
      returning id`.pipe(
      Effect.catch((error): Effect.Effect<never, CodeTaken | CellNotOpen> => {
        if (violatesUnique(error, "company_code_key")) return Effect.fail(new CodeTaken({ code: company.code }))
        return ["company_cell_open", "company_cell_fkey"].some((constraint) => violatesConstraint(error, constraint))
          ? Effect.fail(new CellNotOpen({ name: cell ?? null }))
          : Effect.die(error)
      })
    )
    return CompanyId.make(Number(row?.id))
  })

  const change = Effect.fnUntraced(function* (companyId: CompanyId, changes: CompanyChanges) {
    const [row] = yield* sql<CompanyRow>`
      update directory.company
      set legal_name = coalesce(${changes.legalName ?? null}, legal_name),
        rnc = coalesce(${changes.rnc ?? null}, rnc),
        state = coalesce(${changes.state ?? null}, state),
        api_enabled = coalesce(${PgTypes.bool(changes.apiEnabled ?? null)}, api_enabled),
        insurance_enabled = coalesce(${PgTypes.bool(changes.insuranceEnabled ?? null)}, insurance_enabled)
      where id = ${int8(companyId)}
      returning
        old.id, old.legal_name, old.rnc, old.code, old.environment, old.state, old.api_enabled, old.insurance_enabled,
        old.cell`
    return Option.map(Option.fromUndefinedOr(row), companyOf)
  }, Effect.orDie)

  const find = Effect.fnUntraced(function* (companyId: CompanyId) {
    const [row] = yield* sql<CompanyRow>`
      select ${columns} from directory.company where id = ${int8(companyId)}`
    return Option.map(Option.fromUndefinedOr(row), companyOf)
  }, Effect.orDie)

  const findByCode = Effect.fnUntraced(function* (code: string) {
    const [row] = yield* sql<CompanyRow>`select ${columns} from directory.company where code = ${code}`
    return Option.map(Option.fromUndefinedOr(row), companyOf)
  }, Effect.orDie)

  const list = sql<CompanyRow>`select ${columns} from directory.company order by id`.pipe(
    Effect.map((rows) => rows.map(companyOf)),
    Effect.orDie
  )

  return Companies.of({ create, change, find, findByCode, list })
})

export const layer = Layer.effect(Companies, make)
