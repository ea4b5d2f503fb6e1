import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"
import { sellInEveryState } from "../../support/EveryState.ts"
import { companyWithWebhook } from "../support/CompanyWebhooks.ts"

layer(CommandLine.layer, { excludeTestServices: true })("the events of a sale", (it) => {
  it.effect("are in the history of the sale with their deliveries, and a failed delivery can be sent again", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      const { companyId, webhookId } = yield* companyWithWebhook
      const other = yield* companyWithWebhook
      yield* sellInEveryState(companyId)
      yield* sellInEveryState(other.companyId)
      const xid = `RD-${companyId}-reversed`
      const eventsOf = Effect.map(answer("transactions", "show", xid), ({ acciones, historia }) => ({
        acciones,
        events: historia.filter(({ evento }: { readonly evento: string }) => evento === "reported")
      }))
      const { events } = yield* eventsOf
      const waiting = { webhook_id: webhookId, estado: "pendiente", intento: 0, http_status: null, error: null }
      assert.deepStrictEqual(
        events.map(({ entregas, type }: Record<string, unknown>) => [type, entregas]),
        [
          ["transaction.succeeded", [waiting]],
          ["transaction.reversed", [waiting]]
        ]
      )

      const sql = yield* PgClient.PgClient
      yield* sql`
        update cell.delivery
        set state = 'fallida', attempts = 10, http_status = 503, error = 'http_503', duration_ms = 9
        where company_id = ${companyId} and sequence = ${events[1].secuencia}`
      const { acciones, events: failed } = yield* eventsOf
      assert.deepStrictEqual(failed[1].entregas, [
        { webhook_id: webhookId, estado: "fallida", intento: 10, http_status: 503, error: "http_503" }
      ])
      assert.deepStrictEqual(acciones, [
        { accion: "nothing", motivo: "REVERSED", permitida: true },
        { accion: "replay", webhook_id: webhookId, secuencias: [events[1].secuencia], permitida: true }
      ])
      const { stdout } = yield* run("transactions", "show", xid)
      assert.include(stdout, `transaction.reversed: webhook ${webhookId} fallida, attempts 10, status 503, http_503`)
      // The printed command sends the event again.
      const command = /saldo (webhook replay .*)$/m.exec(stdout)?.[1] ?? ""
      assert.strictEqual((yield* answer(...command.split(" "))).eventos, 1)
      assert.deepStrictEqual((yield* eventsOf).events[1].entregas, [waiting])
    })
  )
})
