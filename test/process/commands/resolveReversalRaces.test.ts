import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as ResolutionsPostgres from "../../../adapters/postgres/ledger/ResolutionsPostgres.ts"
import { TransactionId } from "../../../core/domain/Ids.ts"
import { Finding } from "../../../core/domain/Resolution.ts"
import { ReversalAnswer } from "../../../core/domain/Reversal.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { confirmResolution, proposeResolution } from "../../../core/workflows/Resolve.ts"
import { DatabaseServer } from "../../../facade/settings/DatabaseServer.ts"
import { commandLineOn } from "../../support/CommandLine.ts"
import { asLoginIn } from "../../support/DatabaseLogins.ts"
import { eventually } from "../../support/Eventually.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { actingAs } from "../../support/OperatorAccounts.ts"
import { reversalForms, sold, statusOf } from "../../support/service/ReversalCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { TestServer } from "../../support/service/TestServer.ts"

const Serving = Layer.provideMerge(ResolutionsPostgres.layer, TestServer)

layer(Serving, { excludeTestServices: true })("a reversal that operators and recovery settle concurrently", (it) => {
  const { reverse } = reversalForms[0] as (typeof reversalForms)[number]

  /** A sale of 100 pesos with a reversal that the provider has not answered for 20 minutes. */
  const silent = Effect.fnUntraced(function* (identifier: string) {
    const { pass } = yield* ManualClock
    const { provider } = yield* Script
    const unknown = () => Effect.succeed(ReversalAnswer.Unknown())
    provider.set(identifier, { reverse: unknown, reversalStatus: unknown })
    const sale = yield* sold(identifier)
    assert.strictEqual((yield* reverse(sale.id, sale.auth, "una")).status, 202)
    yield* pass("20 minutes")
    return { ...sale, transactionId: TransactionId.make(sale.id) }
  })

  const propose = (transactionId: TransactionId) =>
    proposeResolution(transactionId, { finding: Finding.cases.Reversed.make({}), reason: "ticket 123" }).pipe(
      actingAs("turno-1")
    )
  const confirm = (transactionId: TransactionId) =>
    confirmResolution(transactionId, { evenUnasked: false, number: 1 }).pipe(actingAs("turno-2"))

  // Answer with which recovery settles during the confirmation, identifier -> status of the reversal, status of the
  // sale, centavos available, alerts.
  it.effect.each([
    [ReversalAnswer.Confirmed(), "204510105", "CONFIRMED", "REVERSED", 100_000, 0],
    [ReversalAnswer.Denied(), "204510106", "DENIED", "SUCCESS", 90_000, 1]
  ] as const)(
    "keeps the outcome that was stored first: %j",
    ([answer, identifier, reversal, status, available, alerts]) =>
      Effect.gen(function* () {
        const { provider } = yield* Script
        const { pass } = yield* ManualClock
        const { auth, companyId, id, transactionId } = yield* silent(identifier)
        yield* propose(transactionId)
        const services = yield* Effect.context<Effect.Services<ReturnType<typeof recover>>>()
        provider.set(identifier, {
          reversalStatus: () =>
            Effect.gen(function* () {
              provider.set(identifier, { reversalStatus: () => Effect.succeed(answer) })
              yield* pass("10 minutes")
              yield* recover("due")
              return ReversalAnswer.Unknown()
            }).pipe(Effect.provide(services))
        })
        const { operator: _, order: __, ...confirmed } = yield* confirm(transactionId)
        assert.deepStrictEqual(confirmed, { finding: Finding.cases.Reversed.make({}), reversal, status })
        assert.strictEqual(yield* statusOf(auth, id), status)
        const sql = yield* PgClient.PgClient
        const books = Effect.map(
          sql<{ available: number; alerts: number }>`
            select available::int, (
              select count(*)::int from directory.audit_event
              where company_id = ${companyId} and action = 'late_reversal'
            ) as alerts
            from cell.balance
            where company_id = ${companyId}`,
          ([row]) => row
        )
        // The alert is recorded in the background.
        const row = yield* eventually(books, (now) => now !== undefined && now.alerts >= alerts)
        assert.deepStrictEqual(row, { available, alerts })
      })
  )

  it.effect(
    "replays its response for the first key and refuses a second key after the operators settled the reversal",
    () =>
      Effect.gen(function* () {
        const { auth, id, transactionId } = yield* silent("204510107")
        yield* propose(transactionId)
        yield* confirm(transactionId)
        assert.strictEqual((yield* reverse(id, auth, "una")).status, 202)
        const { body } = yield* reverse(id, auth, "otra")
        assert.strictEqual(body.error.details.status, "no_anulable")
        const { url } = yield* DatabaseServer
        const { answer } = commandLineOn(asLoginIn("saldo_operator", Redacted.value(url)))
        assert.isTrue((yield* answer("audit")).ok)
      })
  )
})
