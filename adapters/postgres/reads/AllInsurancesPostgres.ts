import { Effect, Layer } from "effect"
import type { Insurance } from "../../../core/domain/Insurance.ts"
import { InsuranceState } from "../../../core/domain/InsuranceState.ts"
import type { Page } from "../../../core/domain/Page.ts"
import { AllInsurances, type InsuranceFilter, type InsuranceSlice } from "../../../core/ports/AllInsurances.ts"
import { Vault } from "../../../core/ports/Vault.ts"
import { cellClient } from "../connection/Cell.ts"
import { inOneSnapshot, int8 } from "../connection/Sql.ts"
import { type InsuranceRow, insuranceColumns, insuranceOf, insurancePurpose } from "../insurance/InsuranceRow.ts"
import { readOrNull } from "../ledger/TransactionRow.ts"
import { boundsOf } from "./CountedList.ts"

interface CountRow {
  readonly state: InsuranceState
  readonly n: number
}

const make = Effect.gen(function* () {
  const sql = yield* cellClient
  const vault = yield* Vault
  const columns = sql.literal(insuranceColumns)

  // A row that cannot be decrypted or decoded must not hide the others.
  const opened = (row: InsuranceRow) =>
    vault.open(row.insured, insurancePurpose(row.company_id, row.id)).pipe(
      Effect.map((secret) => readOrNull<InsuranceRow, Insurance>(row, (row) => insuranceOf(row, secret))),
      Effect.catchDefect(() => Effect.succeed(null)),
      Effect.map((insurance) => ({ id: Number(row.id), insurance }))
    )

  // Over all companies, each state is counted in the index of states.
  const countsOf = ({ companyId }: InsuranceFilter) =>
    companyId === undefined
      ? sql<CountRow>`
          select s.state, (select count(*)::int from ${sql.cell}.insurance as i where i.state = s.state) as n
          from unnest(${InsuranceState.literals}::text[]) as s(state)`
      : sql<CountRow>`
          select state, count(*)::int as n
          from ${sql.cell}.insurance
          where company_id = ${int8(companyId)}
          group by state`

  /** The newest insurances in each of the states, through the index of states. */
  const ofAllCompanies = (states: ReadonlyArray<InsuranceState>, page: Page) => sql<InsuranceRow>`
    select i.*
    from unnest(${states}::text[]) as s(state)
    cross join lateral (
      select ${columns}
      from ${sql.cell}.insurance as i
      where i.state = s.state
      order by i.id desc
      limit ${boundsOf(page).reach}
    ) as i
    order by i.id desc
    offset ${boundsOf(page).skipped}
    limit ${page.perPage}`

  const ofOneCompany = ({ companyId, state }: InsuranceFilter, page: Page) => sql<InsuranceRow>`
    select ${columns}
    from ${sql.cell}.insurance
    where company_id = ${int8(companyId ?? null)} and ${state === undefined ? sql`true` : sql`state = ${state}`}
    order by id desc
    offset ${boundsOf(page).skipped}
    limit ${page.perPage}`

  const read = Effect.fnUntraced(function* (filter: InsuranceFilter, page: Page) {
    const { companyId, state } = filter
    const counts = yield* countsOf(filter)
    const states = state === undefined ? InsuranceState.literals : [state]
    const rows = yield* companyId === undefined ? ofAllCompanies(states, page) : ofOneCompany(filter, page)
    return { counts, rows, total: counts.reduce((sum, row) => sum + (states.includes(row.state) ? row.n : 0), 0) }
  })

  const list = Effect.fnUntraced(function* (filter: InsuranceFilter, page: Page) {
    const { counts, rows, total } = yield* inOneSnapshot(sql, read(filter, page))
    const items = yield* Effect.forEach(rows, opened)
    const slice: InsuranceSlice = {
      items: items.flatMap(({ insurance }) => (insurance === null ? [] : [insurance])),
      unreadable: items.flatMap(({ id, insurance }) => (insurance === null ? [id] : [])),
      total,
      counts: Object.fromEntries(counts.flatMap(({ n, state }) => (n === 0 ? [] : [[state, n]])))
    }
    return slice
  }, Effect.orDie)

  return AllInsurances.of({ list })
})

/** `AllInsurances` in Postgres. */
export const layer = Layer.effect(AllInsurances, make)
