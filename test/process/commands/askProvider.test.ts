import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as ResolutionsPostgres from "../../../adapters/postgres/ledger/ResolutionsPostgres.ts"
import { TransactionId } from "../../../core/domain/Ids.ts"
import type { Role } from "../../../core/domain/Operator.ts"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import { ReversalAnswer } from "../../../core/domain/Reversal.ts"
import { DispatchAnswer } from "../../../core/domain/Sale.ts"
import type { ReversalStatus, Status } from "../../../core/domain/Status.ts"
import { CurrentActor } from "../../../core/ports/CurrentActor.ts"
import { askProvider } from "../../../core/workflows/AskProvider.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { actorNamed } from "../../support/OperatorAccounts.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { get, post, sell } from "../../support/service/HttpCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { TestServer } from "../../support/service/TestServer.ts"

const ask = (id: number, role: Role = "supervisor") =>
  askProvider(TransactionId.make(id)).pipe(
    Effect.provideService(CurrentActor, { ...actorNamed("Ana"), role }),
    Effect.provide(ResolutionsPostgres.layer)
  )

const delivered = StatusAnswer.Delivered({ delivery: { authCode: "PRUEBA-1", rechargeToken: null } })
const refused = StatusAnswer.Refused({ refusal: "INVALID_PHONE" })

/** The available and held pesos of the company, and the audit events of the questions about the sale. */
const after = Effect.fnUntraced(function* (auth: Record<string, string>, id: number) {
  const { body } = yield* get("/v1/saldo", auth)
  const sql = yield* PgClient.PgClient
  const audited = yield* sql<{ details: Record<string, unknown> }>`
    select details from directory.audit_event
    where action = 'provider_asked' and details ->> 'transactionId' = ${`${id}`}
    order by id`
  return {
    money: [body.data.saldo_disponible, body.data.saldo_retenido],
    audited: audited.map(({ details: { about, operator, said, won } }) => [about, operator, said, won])
  }
})

let numbers = 0
// The simulator decides the outcome by the last digit. 9 means delivered.
const nextIdentifier = () => `2045${String(++numbers).padStart(4, "0")}9`

/** A sale of 100 pesos with an unknown outcome. */
const pendingSale = Effect.fnUntraced(function* (status: StatusAnswer) {
  const { provider } = yield* Script
  const { auth } = yield* customer()
  const identifier = nextIdentifier()
  provider.set(identifier, {
    dispatch: () => Effect.succeed(DispatchAnswer.Unknown()),
    status: () => Effect.succeed(status)
  })
  const { body } = yield* sell({ service_id: 7, amount: 100, identifier }, auth)
  return { auth, id: body.error.details.transaction_id as number, identifier }
})

layer(TestServer, { excludeTestServices: true })("an operator's question to the provider", (it) => {
  it.effect.each([
    [delivered, "SUCCESS", true, [900, 0]],
    [refused, "FAILED", true, [1_000, 0]],
    [StatusAnswer.Unknown(), "PENDING", false, [900, 100]],
    [StatusAnswer.TakenBack(), "PENDING", false, [900, 100]],
    [StatusAnswer.NotFound(), "PENDING", false, [900, 100]]
  ] as ReadonlyArray<readonly [StatusAnswer, Status, boolean, Array<number>]>)(
    "about a pending sale, with the answer %j, leaves the sale %s",
    ([answer, status, won, money]) =>
      Effect.gen(function* () {
        const { auth, id } = yield* pendingSale(answer)
        const asked = yield* ask(id)
        assert.deepStrictEqual([asked.about, asked.said, asked.status, asked.won], ["Sale", answer._tag, status, won])
        assert.deepStrictEqual(yield* after(auth, id), { money, audited: [["sale", "Ana", answer._tag, won]] })
      })
  )

  it.effect("never settles a sale that the provider does not know, however often and late the operator asks", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { auth, id } = yield* pendingSale(StatusAnswer.NotFound())
      for (const wait of ["20 minutes", "6 minutes", "6 minutes"] as const) {
        yield* pass(wait)
        yield* ask(id)
      }
      assert.deepStrictEqual((yield* after(auth, id)).money, [900, 100])
      // Recovery counts only its own questions.
      yield* recover("all")
      assert.deepStrictEqual((yield* after(auth, id)).money, [900, 100])
    })
  )

  it.effect("is refused while the call that made the sale may still run, for a reversed sale, and to a cashier", () =>
    Effect.gen(function* () {
      const { crash } = yield* Script
      const { pass } = yield* ManualClock
      const { auth } = yield* customer()
      const identifier = nextIdentifier()
      crash.add(identifier)
      yield* sell({ service_id: 7, amount: 100, identifier }, { ...auth, "idempotency-key": "caída" })
      const { body } = yield* get("/v1/transacciones", auth)
      const [{ status, transaction_id }] = body.data.items
      assert.strictEqual(status, "PROCESSING")
      assert.strictEqual((yield* Effect.flip(ask(transaction_id)))._tag, "NotAskable")
      assert.strictEqual((yield* Effect.flip(ask(transaction_id, "cajero")))._tag, "NotAllowed")
      yield* pass("1 minute")
      assert.strictEqual((yield* ask(transaction_id)).about, "Sale")

      const sold = yield* sell({ service_id: 7, amount: 100, identifier: nextIdentifier() }, auth)
      const id = sold.body.data.transaction_id
      yield* post(`/v1/transacciones/${id}/anular`, {}, { ...auth, "idempotency-key": "anular" })
      const error = yield* Effect.flip(ask(id))
      assert.deepStrictEqual([error._tag, "why" in error && error.why], ["NotAskable", "reversed"])
      assert.strictEqual((yield* Effect.flip(ask(999_999)))._tag, "UnknownTransaction")
    })
  )

  it.effect.each([
    [ReversalAnswer.Confirmed(), "REVERSED", "CONFIRMED", true, [1_000, 0]],
    [ReversalAnswer.Denied(), "SUCCESS", "DENIED", true, [900, 0]],
    [ReversalAnswer.NotFound(), "SUCCESS", "PENDING", false, [900, 0]]
  ] as ReadonlyArray<readonly [ReversalAnswer, Status, ReversalStatus, boolean, Array<number>]>)(
    "about a pending reversal, with the answer %j, leaves the sale %s",
    ([answer, status, reversal, won, money]) =>
      Effect.gen(function* () {
        const { provider } = yield* Script
        const { pass } = yield* ManualClock
        const { auth } = yield* customer()
        const identifier = nextIdentifier()
        provider.set(identifier, {
          reverse: () => Effect.succeed(ReversalAnswer.Unknown()),
          reversalStatus: () => Effect.succeed(answer)
        })
        const id = (yield* sell({ service_id: 7, amount: 100, identifier }, auth)).body.data.transaction_id
        const path = `/v1/transacciones/${id}/anular`
        assert.strictEqual((yield* post(path, {}, { ...auth, "idempotency-key": "anular" })).status, 202)
        assert.strictEqual((yield* Effect.flip(ask(id)))._tag, "NotAskable")
        yield* pass("1 minute")
        const asked = yield* ask(id)
        assert.deepStrictEqual(
          [asked.about, asked.said, asked.status, asked.reversal, asked.won],
          ["Reversal", answer._tag, status, reversal, won]
        )
        assert.deepStrictEqual(yield* after(auth, id), { money, audited: [["reversal", "Ana", answer._tag, won]] })
      })
  )

  it.effect("about a settled sale moves no money, and an answer that contradicts the status raises an alert", () =>
    Effect.gen(function* () {
      const { provider } = yield* Script
      const { auth } = yield* customer()
      const identifier = nextIdentifier()
      const id = (yield* sell({ service_id: 7, amount: 100, identifier }, auth)).body.data.transaction_id
      provider.set(identifier, { status: () => Effect.succeed(delivered) })
      const agreed = yield* ask(id)
      assert.deepStrictEqual([agreed.about, agreed.status, agreed.contradiction], ["Settled", "SUCCESS", null])
      provider.set(identifier, { status: () => Effect.succeed(refused) })
      assert.strictEqual((yield* ask(id)).contradiction, "late_refusal")
      assert.deepStrictEqual((yield* after(auth, id)).money, [900, 0])
      const sql = yield* PgClient.PgClient
      const alerts = yield* sql`
        select from directory.audit_event where action = 'late_refusal' and details ->> 'transactionId' = ${`${id}`}`
      assert.lengthOf(alerts, 1)
    })
  )
})
