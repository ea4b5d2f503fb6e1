import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { simulatedInsurer } from "../../../adapters/insurer/SimulatedInsurer.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { get } from "../../support/service/HttpCalls.ts"
import { type Headers, insuranceCompany, plateEnding, quoted, spanish } from "../../support/service/InsuranceCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { operatorCommands, SpreadTestServer } from "../../support/service/TestServer.ts"
import { leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

/** Runs `saldo reconcile` while the server runs, after the lease of the crashed sale has expired. */
const reconcile = Effect.gen(function* () {
  const { pass } = yield* ManualClock
  yield* pass("61 seconds")
  return yield* (yield* operatorCommands).answer("reconcile")
})

/**
 * Last digits of a plate, which determine the simulated insurer's response. After recovery: status of the sale, state
 * of the insurance, HTTP status of a replay.
 */
const endings = [
  ["58", "SUCCESS", "emitida", 201],
  ["51", "FAILED", "fallida", 422],
  ["12", "PENDING", "emitiendo", 202]
] as const

/** Records the orders that the insurer receives for a plate. */
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

/** A sale whose process crashed after it reserved the amount and before it called the insurer. */
const crashedAfterReserving = Effect.fnUntraced(function* (auth: Headers, ending: string, key: Headers) {
  const { crash } = yield* Script
  const under = yield* quoted(auth, plateEnding(ending))
  const issued = yield* countIssued(under.placa)
  crash.add(under.placa)
  assert.strictEqual((yield* spanish.sell(auth, under.id, under.placa, key)).status, 500)
  crash.delete(under.placa)
  return { ...under, issued }
})

layer(SpreadTestServer, { excludeTestServices: true })("an insurance sale whose process crashed", (it) => {
  it.effect.each(endings)(
    "before it called the insurer (state cobrando) is settled by reconciliation: plate ending %s, status %s",
    ([ending, status, estado, replayed]) =>
      Effect.gen(function* () {
        const { auth } = yield* insuranceCompany()
        const key = { "idempotency-key": randomUUID() }
        const { id, issued, placa, total } = yield* crashedAfterReserving(auth, ending, key)
        assert.strictEqual((yield* spanish.read(auth, id)).body.data.estado, "cobrando")
        const again = yield* leavesRowsUnchanged(spanish.sell(auth, id, placa, key))
        assert.deepStrictEqual([again.status, again.body.error.code], [409, "IDEMPOTENT_REQUEST_IN_PROGRESS"])
        yield* reconcile
        yield* checkEnding(auth, { id, placa, total }, { key, status, estado, replayed })
        assert.deepStrictEqual(issued, [])
      })
  )

  it.effect.each(endings)(
    "after it called the insurer (state emitiendo) is settled by reconciliation: plate ending %s, status %s",
    ([ending, status, estado, replayed]) =>
      Effect.gen(function* () {
        const { settle } = yield* Script
        const { auth } = yield* insuranceCompany()
        const { id, placa, total } = yield* quoted(auth, plateEnding(ending))
        const issued = yield* countIssued(placa)
        // The sale calls the insurer and stops before it can record the response.
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
        yield* checkEnding(auth, { id, placa, total }, { key, status, estado, replayed })
        // The stopped sale resumes after recovery, and its late write changes nothing.
        yield* Deferred.succeed(wakes, undefined)
        yield* Deferred.await(written)
        yield* checkEnding(auth, { id, placa, total }, { key, status, estado, replayed })
        assert.deepStrictEqual(issued, [placa])
      })
  )
})

interface Ending {
  readonly key: Headers
  readonly status: string
  readonly estado: string
  /** HTTP status of a replay. */
  readonly replayed: number
}

/** Asserts the balance, the status of the sale, the state of the insurance and the response to a replay. */
const checkEnding = Effect.fnUntraced(function* (
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
