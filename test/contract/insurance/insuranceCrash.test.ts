import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Redacted } from "effect"
import { simulatedInsurer } from "../../../adapters/insurer/SimulatedInsurer.ts"
import { DatabaseServer } from "../../../facade/settings/DatabaseServer.ts"
import { commandLineOn } from "../../support/CommandLine.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { get } from "../../support/service/HttpCalls.ts"
import { type Headers, insuranceCompany, plateEnding, quoted, spanish } from "../../support/service/InsuranceCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { TestServer } from "../../support/service/TestServer.ts"
import { leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

/** `saldo reconcile`, beside the server, once the sale can have lost the call that made it. */
const reconcile = Effect.gen(function* () {
  const { pass } = yield* ManualClock
  const { url } = yield* DatabaseServer
  yield* pass("61 seconds")
  return yield* commandLineOn(Redacted.value(url)).answer("reconcile")
})

/** How a plate's sale ends when the insurer is asked about it: its status, its state, what its key then says. */
const endings = [
  ["58", "SUCCESS", "emitida", 201],
  ["51", "FAILED", "fallida", 422],
  ["12", "PENDING", "emitiendo", 202]
] as const

/** What the insurer is asked to issue for a plate, by what is sold. */
const countIssued = (placa: string) =>
  Script.useSync(({ insurer: script }) => {
    const issued: Array<string> = []
    script.set(placa, {
      issue: (order) => {
        issued.push(order.identifier)
        return simulatedInsurer.issue(order)
      }
    })
    return issued
  })

/** A sale whose process died when the amount was reserved, and nobody had asked the insurer. */
const diedReserving = Effect.fnUntraced(function* (auth: Headers, ending: string, key: Headers) {
  const { crash } = yield* Script
  const under = yield* quoted(auth, plateEnding(ending))
  const issued = yield* countIssued(under.placa)
  crash.add(under.placa)
  assert.strictEqual((yield* spanish.sell(auth, under.id, under.placa, key)).status, 500)
  crash.delete(under.placa)
  return { ...under, issued }
})

layer(TestServer, { excludeTestServices: true })("a sale of an insurance whose process is gone", (it) => {
  it.effect.each(endings)("in cobrando, of a plate that ends in %s: %s", ([ending, status, estado, replayed]) =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const key = { "idempotency-key": randomUUID() }
      const { id, issued, placa, total } = yield* diedReserving(auth, ending, key)
      assert.strictEqual((yield* spanish.read(auth, id)).body.data.estado, "cobrando")
      const again = yield* leavesRowsUnchanged(spanish.sell(auth, id, placa, key))
      assert.deepStrictEqual([again.status, again.body.error.code], [409, "IDEMPOTENT_REQUEST_IN_PROGRESS"])
      yield* reconcile
      yield* ended(auth, { id, placa, total }, { key, status, estado, replayed })
      assert.deepStrictEqual(issued, [])
    })
  )

  it.effect.each(endings)("in emitiendo, of a plate that ends in %s: %s", ([ending, status, estado, replayed]) =>
    Effect.gen(function* () {
      const { settle } = yield* Script
      const { auth } = yield* insuranceCompany()
      const { id, placa, total } = yield* quoted(auth, plateEnding(ending))
      const issued = yield* countIssued(placa)
      // It asks the insurer, and stands still before it can write what that said.
      const [asked, wakes, written] = [
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>()
      ]
      settle.set(placa, (write) =>
        Deferred.succeed(asked, undefined).pipe(
          Effect.andThen(Deferred.await(wakes)),
          Effect.andThen(write),
          Effect.tap(Deferred.succeed(written, undefined))
        )
      )
      const key = { "idempotency-key": randomUUID() }
      yield* Effect.forkScoped(spanish.sell(auth, id, placa, key))
      yield* Deferred.await(asked)
      assert.strictEqual((yield* spanish.read(auth, id)).body.data.estado, "emitiendo")
      yield* reconcile
      yield* ended(auth, { id, placa, total }, { key, status, estado, replayed })
      // Whoever wakes up late changes nothing.
      yield* Deferred.succeed(wakes, undefined)
      yield* Deferred.await(written)
      yield* ended(auth, { id, placa, total }, { key, status, estado, replayed })
      assert.deepStrictEqual(issued, [placa])
    })
  )
})

interface Ending {
  readonly key: Headers
  readonly status: string
  readonly estado: string
  /** How the key is answered now. */
  readonly replayed: number
}

/** Holds money, sale, insurance and key against how the sale ended. */
const ended = Effect.fnUntraced(function* (
  auth: Headers,
  { id, placa, total }: { readonly id: number; readonly placa: string; readonly total: number },
  { estado, key, replayed, status }: Ending
) {
  const insurance = (yield* spanish.read(auth, id)).body.data
  const sale = (yield* get(`/v1/transacciones/${insurance.transaction_id}`, auth)).body.data
  assert.deepStrictEqual([sale.status, insurance.estado], [status, estado])
  assert.strictEqual(insurance.numero_poliza, sale.auth_code)
  const { saldo_actual, saldo_retenido } = (yield* get("/v1/saldo", auth)).body.data
  assert.strictEqual(saldo_actual, status === "SUCCESS" ? Math.round((50_000 - total) * 100) / 100 : 50_000)
  assert.strictEqual(saldo_retenido, status === "PENDING" ? total : 0)
  const replay = yield* leavesRowsUnchanged(spanish.sell(auth, id, placa, key))
  assert.deepStrictEqual([replay.status, replay.headers.get("idempotent-replay")], [replayed, "true"])
  const other = yield* leavesRowsUnchanged(spanish.sell(auth, id, placa))
  assert.deepStrictEqual([other.status, other.body.error.code], [409, "SEGURO_YA_VENDIDO"])
})
