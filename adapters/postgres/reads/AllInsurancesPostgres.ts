import { Context, Effect, Layer } from "effect"
import type { Insurance } from "../../../core/domain/Insurance.ts"
import { InsuranceState } from "../../../core/domain/InsuranceState.ts"
import type { PageTooDeep } from "../../../core/domain/OperatorErrors.ts"
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

/** A page of a cell's insurances, and the number of insurances in each state. */
interface InsurancePage {
  readonly rows: ReadonlyArray<InsuranceRow>
  readonly counts: ReadonlyArray<CountRow>
}

/** Reads the insurances of one cell as rows, newest first, so that the rows of several cells can be merged. */
export class CellInsurances extends Context.Service<
  CellInsurances,
  { readonly read: (filter: InsuranceFilter, page: Page) => Effect.Effect<InsurancePage> }
>()("saldo/adapters/CellInsurances") {}

const make = Effect.gen(function* () {
  const sql = yield* cellClient
  const columns = sql.literal(insuranceColumns)

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
    return { counts, rows } satisfies InsurancePage
  })

  return CellInsurances.of({ read: (filter, page) => Effect.orDie(inOneSnapshot(sql, read(filter, page))) })
})

export const cellLayer = Layer.effect(CellInsurances, make)

/** The port `AllInsurances`, with the rows that `read` returns. */
export const allInsurancesOf = Effect.fnUntraced(function* (
  read: (filter: InsuranceFilter, page: Page) => Effect.Effect<InsurancePage, PageTooDeep>
) {
  const vault = yield* Vault

  // A row that cannot be decrypted or decoded must not hide the others.
  const opened = (row: InsuranceRow) =>
    vault.open(row.insured, insurancePurpose(row.company_id, row.id)).pipe(
      Effect.map((secret) => readOrNull<InsuranceRow, Insurance>(row, (row) => insuranceOf(row, secret))),
      Effect.catchDefect(() => Effect.succeed(null)),
      Effect.map((insurance) => ({ id: Number(row.id), insurance }))
    )

  const list = Effect.fnUntraced(function* (filter: InsuranceFilter, page: Page) {
    const { counts, rows } = yield* read(filter, page)
    const items = yield* Effect.forEach(rows, opened)
    const numberOf = (state: InsuranceState) => counts.reduce((sum, row) => sum + (row.state === state ? row.n : 0), 0)
    const numbers = InsuranceState.literals.map((state) => [state, numberOf(state)] as const)
    const wanted = numbers.filter(([state]) => filter.state === undefined || state === filter.state)
    return {
      items: items.flatMap(({ insurance }) => (insurance === null ? [] : [insurance])),
      unreadable: items.flatMap(({ id, insurance }) => (insurance === null ? [id] : [])),
      total: wanted.reduce((sum, [, n]) => sum + n, 0),
      counts: Object.fromEntries(numbers.filter(([, n]) => n > 0))
    } satisfies InsuranceSlice
  })

  return AllInsurances.of({ list })
})

/** `AllInsurances` in Postgres, on one cell. */
export const layer = Layer.provide(
  Layer.effect(
    AllInsurances,
    Effect.flatMap(CellInsurances, ({ read }) => allInsurancesOf(read))
  ),
  cellLayer
)
