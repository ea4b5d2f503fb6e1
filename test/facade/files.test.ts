import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, Layer, Stream } from "effect"
import type { Entry } from "../../core/domain/Entry.ts"
import { Centavos } from "../../core/domain/Money.ts"
import { ReceiptRenderer } from "../../core/ports/ReceiptRenderer.ts"
import { Statement } from "../../core/ports/Statement.ts"
import { as, call, get, sell } from "./support/Calls.ts"
import { serviceWith } from "./support/Service.ts"

const entry: Entry = {
  id: 1,
  type: "deposit",
  amount: 100,
  balance: Centavos.make(100),
  transactionId: null,
  reference: null,
  createdAt: DateTime.makeUnsafe("2026-01-31T18:05:09Z")
}

const broken = new Error("select * from cell.entry")

/** Days of which no entry can be read, and of which the second cannot. */
const [unreadable, torn] = ["2026-01-01", "2026-01-02"]

const rowsFrom = (day: string | undefined): Stream.Stream<Entry> => {
  if (day === unreadable) return Stream.die(broken)
  return day === torn ? Stream.concat(Stream.succeed(entry), Stream.die(broken)) : Stream.succeed(entry)
}

/** Pages cannot be read, and nothing can be drawn: whoever asks for what he does not answer with, fails. */
const unserved = Layer.merge(
  Layer.succeed(Statement, { page: () => Effect.die(broken), all: (_, { from }) => rowsFrom(from) }),
  Layer.succeed(ReceiptRenderer, { pdf: () => Effect.die(broken) })
)

const sale = { service_id: 1, identifier: "8095551234", amount: 100 }

const byTrpc = (name: string, input: object) =>
  call(`/trpc/${name}?input=${encodeURIComponent(JSON.stringify(input))}`, { headers: as("todo") })

layer(serviceWith(unserved), { excludeTestServices: true })("a file", (it) => {
  it.effect("of a statement is written without reading a page of it", () =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* get("/v1/movimientos?formato=csv")
      assert.deepStrictEqual([status, headers.get("content-type")], [200, "text/csv; charset=utf-8"])
      assert.strictEqual(headers.get("content-disposition"), 'attachment; filename="movimientos.csv"')
      assert.include(headers.get("access-control-expose-headers"), "Content-Disposition")
      assert.strictEqual(text.split("\r\n")[1], "1,deposit,1,1,,,2026-01-31 14:05:09")
    })
  )

  it.effect("is not drawn for tRPC's callers, who are answered with a value", () =>
    Effect.gen(function* () {
      const { transaction_id } = (yield* sell(sale)).body.data
      const { body, status } = yield* byTrpc("transacciones.recibo", { id: transaction_id, formato: "pdf" })
      assert.deepStrictEqual([status, body.result.data.transaction_id], [200, transaction_id])
    })
  )

  it.effect.each([{ method: "GET" }, { method: "HEAD" }])(
    "that cannot be begun is refused in the envelope: %j",
    (how) =>
      Effect.gen(function* () {
        const { transaction_id } = (yield* sell(sale)).body.data
        for (const path of [
          `/v1/transacciones/${transaction_id}/recibo?formato=pdf`,
          `/v1/movimientos?formato=csv&date_from=${unreadable}`
        ]) {
          const answer = yield* call(path, { ...how, headers: as("todo") })
          assert.strictEqual(answer.status, 500)
          assert.strictEqual(answer.headers.get("x-ratelimit-limit"), "100000")
          assert.isFalse(answer.headers.has("content-disposition"))
          if (how.method === "GET") assert.strictEqual(answer.body.error.code, "INTERNAL_ERROR")
        }
      })
  )

  it.effect("that breaks off ends the connection, so that nobody takes it for whole", () =>
    Effect.gen(function* () {
      const ended = yield* Effect.exit(get(`/v1/movimientos?formato=csv&date_from=${torn}`))
      assert.isTrue(Exit.isFailure(ended))
      assert.match(String(ended), /terminated|other side closed/)
    })
  )
})
