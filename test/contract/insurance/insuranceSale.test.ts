import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Centavos } from "../../../core/domain/Money.ts"
import { DispatchAnswer } from "../../../core/domain/Sale.ts"
import { Accounts } from "../../../core/ports/Accounts.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { deposit } from "../../support/service/CustomerCompany.ts"
import { get, moneyOf, sell } from "../../support/service/HttpCalls.ts"
import {
  inState,
  insuranceCompany,
  insuranceService,
  plateEnding,
  quoted,
  spanish
} from "../../support/service/InsuranceCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { SpreadTestServer } from "../../support/service/TestServer.ts"
import { leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

const fewer = (pesos: number): number => Math.round((50_000 - pesos) * 100) / 100

layer(SpreadTestServer, { excludeTestServices: true })("the sale of an insurance (contract 4.6)", (it) => {
  it.effect("is charged once per key, and a replay returns the same policy", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id, placa, total } = yield* quoted(auth)
      const key = { "idempotency-key": randomUUID() }
      const first = yield* spanish.sell(auth, id, placa, key)
      assert.strictEqual(first.status, 201)
      const replay = yield* leavesRowsUnchanged(spanish.sell(auth, id, placa, key))
      assert.deepStrictEqual([replay.status, replay.body.data], [201, first.body.data])
      assert.strictEqual(replay.headers.get("idempotent-replay"), "true")
      assert.deepInclude(yield* moneyOf(auth), { available: fewer(total), held: 0 })
      const other = yield* leavesRowsUnchanged(spanish.sell(auth, id, placa))
      assert.deepStrictEqual([other.status, other.body.error.code], [409, "SEGURO_YA_VENDIDO"])
      const { transaction_id } = first.body.data
      const consultar_en = `/v1/seguros/${id}`
      assert.deepStrictEqual(other.body.error.details, {
        seguro_id: id,
        estado: "emitida",
        transaction_id,
        consultar_en
      })
    })
  )

  it.effect("is charged once per quote, even under eight concurrent keys", () =>
    Effect.gen(function* () {
      const { insurer: script } = yield* Script
      const { auth } = yield* insuranceCompany()
      const { id, placa, total } = yield* quoted(auth)
      let issued = 0
      script.set(placa, {
        issue: ({ xid }) =>
          Effect.sync(() => {
            issued += 1
            const validity = { from: "2026-03-11", until: "2027-03-10" }
            return DispatchAnswer.Delivered({ delivery: { number: xid, validity } })
          })
      })
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => spanish.sell(auth, id, placa)),
        { concurrency: "unbounded" }
      )
      const won = answers.filter(({ status }) => status === 201)
      assert.deepStrictEqual([won.length, issued], [1, 1])
      for (const { body, status } of answers.filter((answer) => answer !== won[0])) {
        assert.deepStrictEqual([status, body.error.code], [409, "SEGURO_YA_VENDIDO"])
      }
      assert.deepInclude(yield* moneyOf(auth), { available: fewer(total), held: 0 })
      const { data } = (yield* spanish.read(auth, id)).body
      assert.deepStrictEqual([data.estado, data.numero_poliza], ["emitida", won[0]?.body.data.auth_code])
    })
  )

  it.effect("requires a quote that is less than 30 minutes old", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { auth } = yield* insuranceCompany()
      const [early, late] = [yield* quoted(auth), yield* quoted(auth)]
      yield* pass("1799999 millis")
      assert.strictEqual((yield* spanish.sell(auth, early.id, early.placa)).status, 201)
      yield* pass("1 millis")
      const { body, status } = yield* leavesRowsUnchanged(spanish.sell(auth, late.id, late.placa))
      assert.deepStrictEqual([status, body.error.code], [409, "COTIZACION_VENCIDA"])
      assert.strictEqual((yield* spanish.quote(auth, late.id)).status, 200)
      assert.strictEqual((yield* spanish.sell(auth, late.id, late.placa)).status, 201)
    })
  )

  it.effect("releases the money and closes the insurance when the insurer refuses the policy", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id, placa } = yield* quoted(auth, plateEnding("51"))
      const { body, status } = yield* spanish.sell(auth, id, placa)
      assert.deepStrictEqual([status, body.error.code], [422, "SEGURO_NO_EMITIDO"])
      assert.strictEqual(body.error.details.status, "FAILED")
      assert.deepInclude(yield* moneyOf(auth), { available: 50_000, held: 0 })
      const again = yield* leavesRowsUnchanged(spanish.sell(auth, id, placa))
      assert.deepStrictEqual([again.status, again.body.error.code], [409, "SEGURO_YA_VENDIDO"])
      assert.match(again.body.error.message, /empiece de nuevo/)
      const { data } = (yield* spanish.read(auth, id)).body
      assert.deepStrictEqual([data.estado, data.documentos], ["fallida", null])
    })
  )

  it.effect.each([
    ["02", "FAILED", "fallida"],
    ["12", "PENDING", "emitiendo"],
    ["22", "SUCCESS", "emitida"]
  ] as const)(
    "gets its final status from reconciliation after an unknown outcome: plate ending %s becomes %s",
    ([ending, status, estado]) =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { auth } = yield* insuranceCompany()
        const { id, placa, total } = yield* quoted(auth, plateEnding(ending))
        const pending = yield* spanish.sell(auth, id, placa)
        assert.deepStrictEqual([pending.status, pending.body.error.code], [202, "TRANSACTION_PENDING"])
        assert.deepInclude(yield* moneyOf(auth), { available: fewer(total), held: total })
        assert.strictEqual((yield* spanish.read(auth, id)).body.data.estado, "emitiendo")
        yield* pass("16 seconds")
        yield* recover("all")
        const sale = (yield* get(pending.body.error.details.consultar_en, auth)).body.data
        const policy = (yield* spanish.read(auth, id)).body.data
        assert.deepStrictEqual([sale.status, policy.estado], [status, estado])
        assert.strictEqual(policy.numero_poliza, sale.auth_code)
        assert.deepInclude(
          yield* moneyOf(auth),
          status === "FAILED"
            ? { available: 50_000, held: 0 }
            : { available: fewer(total), held: status === "PENDING" ? total : 0 }
        )
      })
  )

  it.effect("leaves the quote valid when the insurer could not be reached", () =>
    Effect.gen(function* () {
      const { insurer: script } = yield* Script
      const { auth } = yield* insuranceCompany()
      const { id, placa } = yield* quoted(auth)
      script.set(placa, { issue: () => Effect.succeed(DispatchAnswer.NotSent()) })
      const key = { "idempotency-key": randomUUID() }
      const { body, status } = yield* spanish.sell(auth, id, placa, key)
      assert.deepStrictEqual([status, body.error.code], [422, "SERVICE_UNAVAILABLE"])
      assert.deepInclude(yield* moneyOf(auth), { available: 50_000, held: 0 })
      assert.strictEqual((yield* spanish.read(auth, id)).body.data.estado, "cotizado")
      script.delete(placa)
      assert.strictEqual((yield* spanish.sell(auth, id, placa, key)).status, 201)
    })
  )

  it.effect("leaves the quote valid while no insurer is configured", () =>
    Effect.gen(function* () {
      const { simulated } = yield* Script
      const { auth } = yield* insuranceCompany({ company: { environment: "production" } })
      simulated.add("production")
      const { id, placa } = yield* quoted(auth)
      simulated.delete("production")
      const key = { "idempotency-key": randomUUID() }
      const { body, headers, status } = yield* leavesRowsUnchanged(spanish.sell(auth, id, placa, key))
      assert.deepStrictEqual([status, body.error.code], [503, "SEGUROS_NO_DISPONIBLE"])
      assert.strictEqual(headers.get("retry-after"), "30")
      simulated.add("production")
      assert.strictEqual((yield* spanish.sell(auth, id, placa, key)).status, 201)
      simulated.delete("production")
    })
  )

  it.effect("leaves the quote valid when the balance is too low", () =>
    Effect.gen(function* () {
      const { auth, companyId } = yield* insuranceCompany({ money: 1 })
      const { id, placa, total } = yield* quoted(auth)
      const key = { "idempotency-key": randomUUID() }
      const { body, status } = yield* leavesRowsUnchanged(spanish.sell(auth, id, placa, key))
      assert.deepStrictEqual([status, body.error.code], [422, "INSUFFICIENT_BALANCE"])
      assert.deepStrictEqual(body.error.details, { saldo_disponible: 1, monto_requerido: total })
      yield* deposit(companyId, total - 1, "lo justo")
      assert.strictEqual((yield* spanish.sell(auth, id, placa, key)).status, 201)
      assert.deepInclude(yield* moneyOf(auth), { available: 0, held: 0 })
    })
  )

  it.effect("leaves the quote valid when a limit is exceeded", () =>
    Effect.gen(function* () {
      const { auth, companyId } = yield* insuranceCompany({ limits: { daily: Centavos.make(100) } })
      const { id, placa } = yield* quoted(auth)
      const { body, status } = yield* leavesRowsUnchanged(spanish.sell(auth, id, placa))
      assert.deepStrictEqual([status, body.error.code, body.error.details.limite], [422, "LIMIT_EXCEEDED", 1])
      const limits = { daily: Centavos.make(0) }
      const now = yield* DateTime.now
      yield* Accounts.use((accounts) => accounts.configure(companyId, limits, now))
      assert.strictEqual((yield* spanish.sell(auth, id, placa)).status, 201)
    })
  )

  it.effect("is rejected when its plate, option, service or amount differs from the quote", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id, placa, total } = yield* quoted(auth)
      const sale = { service_id: insuranceService, identifier: placa, opcion_id: `seguro:${id}` }
      const wrongs: ReadonlyArray<readonly [object, object]> = [
        [{ identifier: plateEnding() }, { opcion_id: "invalido" }],
        [{ opcion_id: "seguro:" }, { opcion_id: "invalido" }],
        [{ opcion_id: "seguro:0" }, { opcion_id: "invalido" }],
        [{ opcion_id: `seguro:0${id}` }, { opcion_id: "invalido" }],
        [{ opcion_id: `seguro: ${id}` }, { opcion_id: "invalido" }],
        [{ opcion_id: `Seguro:${id}` }, { opcion_id: "invalido" }],
        [{ opcion_id: "seguro:987654321" }, { opcion_id: "invalido" }],
        [{ opcion_id: String(id) }, { opcion_id: "invalido" }],
        [{ service_id: 3 }, { opcion_id: "invalido" }],
        [{ amount: 1 }, { amount: "no_coincide", precio_real: total }]
      ]
      for (const [wrong, details] of wrongs) {
        const { body, status } = yield* leavesRowsUnchanged(sell({ ...sale, ...wrong }, auth))
        assert.deepStrictEqual([status, body.error.code, body.error.details], [422, "VALIDATION_ERROR", details])
      }
      const { opcion_id: _, ...optionless } = sale
      const { como_comprar, ...details } = (yield* leavesRowsUnchanged(sell(optionless, auth))).body.error.details
      assert.deepStrictEqual(details, { opcion_id: "requerido", flujo: "seguros", consultar_en: "/v1/seguros" })
      assert.include(como_comprar, "/v1/seguros")
      assert.strictEqual((yield* sell({ ...sale, amount: total }, auth)).status, 201)
    })
  )

  it.effect("is rejected while another sale of the insurance runs, with the path to query the state", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id, placa } = yield* inState.cobrando(auth, spanish)
      const { body } = yield* leavesRowsUnchanged(spanish.sell(auth, id, placa))
      const { transaction_id } = (yield* spanish.read(auth, id)).body.data
      const consultar_en = `/v1/seguros/${id}`
      assert.deepStrictEqual(body.error.details, { seguro_id: id, estado: "cobrando", transaction_id, consultar_en })
    })
  )
})
