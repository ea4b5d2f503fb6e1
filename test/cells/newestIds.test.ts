import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { cellClient } from "../../adapters/postgres/connection/Cell.ts"
import { pageOfDays } from "../../adapters/postgres/reads/SalesOfAllCompanies.ts"
import { TestDatabase } from "../support/Database.ts"
import { loadSalesHistory } from "../support/SalesHistory.ts"
import { addCell } from "../support/SeveralCells.ts"

/** The number of sales that the query finds if it reads at most `newest_max` of the newest ids. */
const readOf = Effect.fnUntraced(function* (newest_max: number) {
  const sql = yield* cellClient
  const [row] = yield* pageOfDays(sql, { from: "2026-01-31" }, { page: 1, perPage: 5 }, newest_max)
  return { total: Number(row?.total), isCut: row?.cut }
})

describe("the newest sales of all companies", () => {
  layer(TestDatabase)((it) => {
    it.effect("are read only within the newest ids, before and after a second cell is added", () =>
      Effect.gen(function* () {
        yield* loadSalesHistory({ company: 1, sales: 30, days: 1 })
        assert.deepStrictEqual(yield* readOf(10), { total: 10, isCut: true })
        yield* addCell("norte")
        assert.deepStrictEqual(yield* readOf(10), { total: 10, isCut: true })
        yield* loadSalesHistory({ company: 2, sales: 30, days: 1 })
        assert.deepStrictEqual(yield* readOf(10), { total: 10, isCut: true })
        assert.deepStrictEqual(yield* readOf(30), { total: 30, isCut: true })
        // No sale has an id from 31 to 255: with the second cell, the sequence of the first cell continued at 256.
        assert.deepStrictEqual(yield* readOf(40), { total: 30, isCut: true })
        assert.deepStrictEqual(yield* readOf(266), { total: 41, isCut: true })
        assert.deepStrictEqual(yield* readOf(300), { total: 60, isCut: false })
      })
    )
  })
})
