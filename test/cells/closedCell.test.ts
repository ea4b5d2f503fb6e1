import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { CompanyId } from "../../core/domain/Ids.ts"
import { addCell } from "../support/SeveralCells.ts"
import { customer } from "../support/service/CustomerCompany.ts"
import { callEndpoint, guardedPaths } from "../support/service/Endpoints.ts"
import { get, sell } from "../support/service/HttpCalls.ts"
import { TestServer } from "../support/service/TestServer.ts"

const rowsOf = Effect.fnUntraced(function* (companyId: CompanyId) {
  const sql = yield* PgClient.PgClient
  return yield* sql`
    select b.available, b.sales, b.last_event, (select count(*) from norte.idempotency) as keys
    from norte.balance as b
    where b.company_id = ${companyId}`
})

layer(TestServer, { excludeTestServices: true, timeout: "2 minutes" })("a closed cell", (it) => {
  it.effect("refuses every call of its companies with 503 and Retry-After, while the other cells sell", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* addCell("norte")
      const closed = yield* customer()
      const open = yield* customer()
      yield* sql`update directory.company set cell = 'cell' where id = ${open.companyId}`
      yield* sql`update directory.cell set state = 'closed' where name = 'norte'`
      yield* sql`select norte.close_companies(array[${closed.companyId}]::bigint[], true, now())`
      const before = yield* rowsOf(closed.companyId)
      for (const path of guardedPaths) {
        const { body, headers, status } = yield* callEndpoint(path, closed.auth)
        const named = `${path.path}: ${JSON.stringify(body)}`
        assert.deepStrictEqual([status, body?.error.code], [503, "SERVICE_UNAVAILABLE"], named)
        assert.isAbove(Number(headers.get("retry-after")), 0, named)
      }
      assert.deepStrictEqual(yield* rowsOf(closed.companyId), before)
      assert.strictEqual((yield* get("/v1/saldo", open.auth)).status, 200)
      assert.strictEqual((yield* sell({ service_id: 1, identifier: "8095550123", amount: 100 }, open.auth)).status, 201)
    })
  )
})
