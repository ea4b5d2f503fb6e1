import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as AccountsPostgres from "../../adapters/postgres/AccountsPostgres.ts"
import * as AdjustmentsPostgres from "../../adapters/postgres/AdjustmentsPostgres.ts"
import * as OptionsPostgres from "../../adapters/postgres/OptionsPostgres.ts"
import * as ResolutionsPostgres from "../../adapters/postgres/ResolutionsPostgres.ts"
import { TestDatabase } from "../support/Database.ts"
import { opened, replica } from "../support/Sales.ts"
import { happenings } from "./support/Happenings.ts"

/** Each after those that it refers to. */
const tables = [
  "balance",
  "consumption",
  "transaction",
  "idempotency",
  "entry",
  "block",
  "adjustment",
  "option",
  "insurance",
  "sms",
  "reversal",
  "resolution",
  "question",
  "replay"
]

/** Gives another company all rows that this one has, under the same ids. */
const twinOf = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const twin = company + 1_000
  const columns = yield* sql<{ table: string; names: string }>`
    select table_name as table, string_agg(column_name, ', ') as names
    from information_schema.columns
    where table_schema = 'cell' and is_generated = 'NEVER' and column_name <> 'company_id'
    group by table_name`
  const namesOf = new Map(columns.map(({ names, table }) => [table, names]))
  const copies = tables.map((table) => {
    const names = namesOf.get(table)
    return `
      insert into cell.${table} (company_id, ${names})
      select ${twin}, ${names} from cell.${table} where company_id = ${company}`
  })
  yield* sql.unsafe(`do $do$ begin ${copies.join(";")}; end $do$`).unprepared
  return twin
})

const rowsOf = (company: number) =>
  PgClient.PgClient.use((sql) =>
    sql.unsafe(
      `${tables
        .map(
          (table) =>
            `select '${table}' as of, to_jsonb(t)::text as row from cell.${table} as t where company_id = ${company}`
        )
        .join(" union all ")} order by 1, 2`
    )
  )

const TestLayer = Layer.mergeAll(
  AccountsPostgres.layer,
  AdjustmentsPostgres.layer,
  OptionsPostgres.layer,
  ResolutionsPostgres.layer
).pipe(Layer.provideMerge(TestDatabase))

// Ids are drawn for all companies of a cell, but cells may be joined.
layer(TestLayer, { excludeTestServices: true })("a company whose rows have the ids of another's", (it) => {
  let companies = 0

  it.effect.each(Object.entries(happenings))("is left alone by %s", ([, happening]) =>
    Effect.gen(function* () {
      const company = ++companies
      yield* opened(yield* replica, company, 10_000)
      const happens = yield* happening(company)
      const twin = yield* twinOf(company)
      const before = [yield* rowsOf(company), yield* rowsOf(twin)]
      yield* happens
      const after = [yield* rowsOf(company), yield* rowsOf(twin)]
      assert.notDeepEqual(after[0], before[0])
      assert.deepStrictEqual(after[1], before[1])
    }).pipe(Effect.scoped)
  )
})
