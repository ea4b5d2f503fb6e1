import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Effect, Redacted } from "effect"
import { ServiceId } from "../../../core/domain/Ids.ts"
import { formatLocal } from "../../../core/domain/LocalTime.ts"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import { ReversalAnswer } from "../../../core/domain/Reversal.ts"
import { DispatchAnswer } from "../../../core/domain/Sale.ts"
import { CatalogueAdmin } from "../../../core/ports/Catalogue.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { DatabaseServer } from "../../../facade/settings/DatabaseServer.ts"
import { commandLineOn } from "../../support/CommandLine.ts"
import { asLoginIn } from "../../support/DatabaseLogins.ts"
import { eventually } from "../../support/Eventually.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { post, sell } from "../../support/service/HttpCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { TestServer } from "../../support/service/TestServer.ts"

// biome-ignore lint/suspicious/noExplicitAny: printed JSON has no type; the assertions check it
type Printed = any

/** The history in `saldo transactions show`, as JSON and as text. */
const shown = Effect.fnUntraced(function* (id: number) {
  const { url } = yield* DatabaseServer
  const { answer, run } = commandLineOn(asLoginIn("saldo_operator", Redacted.value(url)))
  const { historia } = yield* answer("transactions", "show", `${id}`)
  const { stdout } = yield* run("transactions", "show", `${id}`)
  return { historia, words: stdout.split("\n\n")[1] ?? "" }
})

const replaysIn = (historia: Printed) => historia.filter(({ evento }: Printed) => evento === "replayed")

/** Waits until the history contains these replay counts, because a replay is recorded after its response. */
const withReplays = (id: number, times: ReadonlyArray<number>) =>
  eventually(shown(id), ({ historia }) => `${replaysIn(historia).map(({ veces }: Printed) => veces)}` === `${times}`)

const sold = { service_id: 7, amount: 100 }

layer(TestServer, { excludeTestServices: true })("the history of a sale", (it) => {
  it.effect("lists reservation, settlement, entry and response of a successful sale", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      const { body } = yield* sell({ ...sold, identifier: "204510003" }, { ...auth, "idempotency-key": "una" })
      const { historia, words } = yield* shown(body.data.transaction_id)
      const fecha = "2026-03-11 10:00:00"
      assert.deepStrictEqual(historia, [
        {
          ...{ fecha, evento: "reserved", idempotency_key: "una", monto: 100 },
          dinero: {
            antes: { disponible: 100, retenido: 0, cobrado: 0 },
            despues: { disponible: 0, retenido: 100, cobrado: 0 }
          }
        },
        { fecha, evento: "settled", status: "SUCCESS", por: "call", auth_code: body.data.auth_code, motivo: null },
        {
          ...{ fecha, evento: "entered", movimiento_id: historia[2].movimiento_id, tipo: "sale", monto: -100 },
          ...{ saldo_antes: 1_000, saldo: 900 },
          dinero: {
            antes: { disponible: 0, retenido: 100, cobrado: 0 },
            despues: { disponible: 0, retenido: 0, cobrado: 100 }
          }
        },
        { fecha, evento: "answered", respuesta: "Delivered", por: "call", se_repite_hasta: "2026-03-12 10:00:00" }
      ])
      assert.include(
        words,
        `${fecha}  reserved: 100 pesos held, under the key una (available 100 -> 0, held 0 -> 100)\n`
      )
      assert.include(
        words,
        "answered Delivered by the call itself; a retry receives the same response until 2026-03-12 10:00:00"
      )
    })
  )

  it.effect("groups equal answers to recovery and shows how the sale ended", () =>
    Effect.gen(function* () {
      const { provider } = yield* Script
      const { pass } = yield* ManualClock
      const { auth } = yield* customer()
      const identifier = "204510009"
      const said = [StatusAnswer.Unknown(), StatusAnswer.Unknown(), StatusAnswer.NotFound()]
      const delivery = { authCode: "PRUEBA-1", rechargeToken: null }
      provider.set(identifier, {
        dispatch: () => Effect.succeed(DispatchAnswer.Unknown()),
        status: () => Effect.sync(() => said.shift() ?? StatusAnswer.Delivered({ delivery }))
      })
      const { body, status } = yield* sell({ ...sold, identifier }, auth)
      assert.strictEqual(status, 202)
      for (const wait of ["10 seconds", "1 minute", "5 minutes", "5 minutes"] as const) {
        yield* pass(wait)
        yield* recover("due")
      }
      const id = body.error.details.transaction_id
      const path = `/v1/transacciones/${id}/anular`
      assert.strictEqual((yield* post(path, {}, { ...auth, "idempotency-key": "dos" })).status, 200)
      const { historia, words } = yield* shown(id)
      assert.deepStrictEqual(
        historia.map(({ evento, por = null, respuesta = null, veces = null }: Printed) => [
          evento,
          por,
          respuesta,
          veces
        ]),
        [
          ["reserved", null, null, null],
          ["answered", "call", "Pending", null],
          ["asked", null, "Unknown", 2],
          ["asked", null, "NotFound", 1],
          ["asked", null, "Delivered", 1],
          ["settled", "recovery", null, null],
          ["entered", null, null, null],
          ["reversal_begun", null, null, null],
          ["reversal_ended", "call", null, null],
          ["entered", null, null, null]
        ]
      )
      assert.deepStrictEqual(
        historia.flatMap((each: Printed) => (each.evento === "settled" ? [[each.status, each.auth_code]] : [])),
        [["SUCCESS", "PRUEBA-1"]]
      )
      assert.include(words, "status query about the sale: Unknown, 2 times until")
      assert.include(words, "settled by recovery: SUCCESS, PRUEBA-1")
    })
  )

  it.effect("shows that recovery settled a reversal whose provider call timed out", () =>
    Effect.gen(function* () {
      const { provider } = yield* Script
      const { pass } = yield* ManualClock
      const { auth } = yield* customer()
      const identifier = "204510006"
      provider.set(identifier, { reverse: () => Effect.succeed(ReversalAnswer.Unknown()) })
      const id = (yield* sell({ ...sold, identifier }, auth)).body.data.transaction_id
      const path = `/v1/transacciones/${id}/anular`
      assert.strictEqual((yield* post(path, {}, { ...auth, "idempotency-key": "tres" })).status, 202)
      yield* pass("10 seconds")
      yield* recover("due")
      const { words } = yield* shown(id)
      assert.include(words, "status query about the reversal: Confirmed")
      assert.match(words, /reversal RD-\S+ ended by recovery: CONFIRMED/)
    })
  )

  it.effect("counts replays, even after the service is withheld from the company", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { auth, companyId } = yield* customer()
      const headers = { ...auth, "idempotency-key": "cuatro" }
      const sale = { ...sold, identifier: "204510004" }
      const id = (yield* sell(sale, headers)).body.data.transaction_id
      const takeBack = post(`/v1/transacciones/${id}/anular`, {}, { ...auth, "idempotency-key": "cinco" })
      yield* takeBack
      yield* pass("1 minute")
      yield* Effect.all(
        Arr.makeBy(20, () => sell(sale, headers)),
        { concurrency: "unbounded" }
      )
      yield* takeBack
      yield* withReplays(id, [20, 1])
      yield* pass("1 minute")
      yield* CatalogueAdmin.use((catalogue) => catalogue.setEnabled(companyId, ServiceId.make(7), false))
      yield* eventually(sell(sale, auth), ({ status }) => status === 422)
      yield* sell(sale, headers)
      assert.strictEqual((yield* sell({ ...sale, amount: 50 }, headers)).status, 422)
      const { historia, words } = yield* withReplays(id, [21, 1])
      const [ofSale, ofReversal] = replaysIn(historia)
      assert.strictEqual(ofSale.ultima, formatLocal(yield* DateTime.now))
      assert.deepStrictEqual([ofSale.sobre, ofReversal.sobre], ["sale", "reversal"])
      assert.match(words, /a retry received the stored response of the sale, 21 times until [0-9: -]+\n/)
      assert.match(words, /a retry received the stored response of the reversal(\n|$)/)
    })
  )

  it.effect("distinguishes a sale that was never sent from a refused one", () =>
    Effect.gen(function* () {
      const { provider } = yield* Script
      const { auth } = yield* customer()
      provider.set("204510007", { dispatch: () => Effect.succeed(DispatchAnswer.NotSent()) })
      assert.strictEqual((yield* sell({ ...sold, identifier: "204510007" }, auth)).status, 422)
      const { body } = yield* sell({ ...sold, identifier: "204510001" }, auth)
      const refused = body.error.details.transaction_id
      assert.include((yield* shown(refused - 1)).words, "settled by the call itself: FAILED, never sent")
      assert.include((yield* shown(refused)).words, "settled by the call itself: FAILED, TRANSACTION_REJECTED")
    })
  )

  it.effect("shows a later answer of the provider that contradicts the settlement", () =>
    Effect.gen(function* () {
      const { provider } = yield* Script
      const { pass } = yield* ManualClock
      const { auth } = yield* customer()
      const identifier = "204510008"
      provider.set(identifier, { dispatch: () => Effect.succeed(DispatchAnswer.Unknown()) })
      const id = (yield* sell({ ...sold, identifier }, auth)).body.error.details.transaction_id
      // A second recovery receives the opposite answer while the first one settles.
      provider.set(identifier, {
        status: () =>
          Effect.gen(function* () {
            provider.set(identifier, {
              status: () => Effect.succeed(StatusAnswer.Refused({ refusal: "INVALID_PHONE" }))
            })
            yield* pass("2 minutes")
            yield* recover("due")
            return StatusAnswer.Delivered({ delivery: { authCode: "TARDE-1", rechargeToken: null } })
          }).pipe(Effect.provide(services))
      })
      const services = yield* Effect.context<Effect.Services<ReturnType<typeof recover>>>()
      yield* pass("10 seconds")
      yield* recover("due")
      // The report is recorded in the background.
      const { historia } = yield* eventually(shown(id), ({ historia }) => historia.at(-1).evento === "late_success")
      assert.strictEqual(historia.at(-1).detalles.status, "FAILED")
    })
  )
})
