import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { recover } from "../../core/workflows/Recover.ts"
import { consult, get, post, sell } from "../facade/support/Calls.ts"
import { ManualClock } from "../support/InProcessService.ts"
import { insurer, quoted, spanish } from "./support/Insuring.ts"
import { forms } from "./support/Reversing.ts"
import { TestServer } from "./support/Server.ts"

const [reversal] = forms as [(typeof forms)[number]]

/** Whom Postgres sees, and whether they may change the ledger by themselves. */
const logins = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return yield* sql<{ login: string; may: boolean }>`
    select distinct
      usename::text as login,
      has_table_privilege(usename, 'cell.entry', 'UPDATE, DELETE, TRUNCATE, INSERT') as may
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and usename <> session_user`
})

layer(TestServer, { excludeTestServices: true })("a server whose login owns nothing", (it) => {
  it.effect("sells, recovers, reverses, looks up and insures, and its books are right", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      assert.deepStrictEqual(yield* logins, [{ login: "test_saldo_server", may: false }])

      const { auth } = yield* insurer({ money: 60_000 })
      const sold = yield* sell({ service_id: 7, identifier: "204510003", amount: 100 }, auth)
      assert.strictEqual(sold.status, 201)

      const unknown = yield* sell({ service_id: 1, identifier: "8095550132", amount: 200 }, auth)
      assert.strictEqual(unknown.status, 202)
      yield* pass("1 minutes")
      yield* recover("due")
      const { transaction_id } = unknown.body.error.details
      assert.strictEqual((yield* get(`/v1/transacciones/${transaction_id}`, auth)).body.data.status, "SUCCESS")

      assert.strictEqual((yield* reversal.reverse(sold.body.data.transaction_id, auth)).status, 200)

      const { opciones } = (yield* consult(3, "8095550123", auth)).body.data
      const { opcion_id, precio } = opciones[0]
      const bought = yield* sell({ service_id: 3, identifier: "8095550123", opcion_id }, auth)
      assert.deepStrictEqual([bought.status, bought.body.data.amount], [201, precio])

      const { id, placa, total } = yield* quoted(auth)
      assert.strictEqual((yield* spanish.sell(auth, id, placa)).status, 201)

      const { items, pagination } = (yield* get("/v1/movimientos", auth)).body.data
      assert.strictEqual(pagination.total, 6)
      assert.strictEqual(items[0].saldo, 60_000 - 200 - precio - total)
      assert.strictEqual((yield* get("/v1/saldo", auth)).body.data.saldo_actual, items[0].saldo)
      assert.strictEqual((yield* post("/v1/recargas", {}, auth)).status, 422)
    })
  )
})
