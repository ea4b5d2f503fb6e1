import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Layer, Option, Result } from "effect"
import * as ResolutionsPostgres from "../../../adapters/postgres/ledger/ResolutionsPostgres.ts"
import { TransactionId } from "../../../core/domain/Ids.ts"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import { Finding } from "../../../core/domain/Resolution.ts"
import { confirmResolution, proposeResolution } from "../../../core/workflows/Resolve.ts"
import { by, CommandLine } from "../../support/CommandLine.ts"
import { atOnce } from "../../support/Concurrency.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { actingAs } from "../../support/OperatorAccounts.ts"
import { sold } from "../../support/service/ReversalCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { TestServer } from "../../support/service/TestServer.ts"
import { first, moneyOf, proposalFlag, unresolvedOperations } from "../support/Resolutions.ts"

/** The audit events of a company's confirmed proposals. */
const confirmations = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  return yield* sql<{ action: string; operator: string; won: boolean | null }>`
    select action, details ->> 'operator' as operator, (details ->> 'won')::boolean as won
    from directory.audit_event
    where company_id = ${company} and action in ('resolution_agreed', 'resolution_confirmed')
    order by id`
})

layer(CommandLine.layer, { excludeTestServices: true })(
  "several operators who confirm a proposal at the same time",
  (it) => {
    describe.each(unresolvedOperations)("for $operation", ({ code, done, second, unresolved }) => {
      it.effect.each([1, 2, 3])(
        "settle the operation once, and a refused operator learns who confirmed the proposal: round %d",
        (round) =>
          Effect.gen(function* () {
            const { answer, run } = yield* CommandLine
            const { company, id } = yield* unresolved(`${code}-${round}`)
            yield* answer("transactions", "resolve", id, ...done.proposal, ...first)
            const [, ...unasked] = second
            const confirm = (name: string) =>
              run("transactions", "confirm", id, ...proposalFlag(1), by(name), ...unasked, "--json")
            const names = ["turno-2", "turno-3", "turno-4"]
            const ran = yield* Effect.forEach(names, confirm, { concurrency: "unbounded" })
            const events = yield* confirmations(company)
            const [winner = "", ...others] = events.flatMap(({ action, operator }) =>
              action === "resolution_agreed" ? [operator] : []
            )
            assert.deepStrictEqual(others, [])
            assert.deepStrictEqual(
              names.filter((_, index) => ran[index]?.code === 0),
              [winner]
            )
            assert.lengthOf(
              events.filter(({ won }) => won),
              1
            )
            for (const { stderr } of ran.filter(({ code }) => code !== 0)) {
              const { details, message } = JSON.parse(stderr).error
              assert.strictEqual(details.confirmada_por, winner)
              assert.match(details.confirmada_en, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
              assert.include(message, `${winner} confirmed the proposal at ${details.confirmada_en}.`)
            }
            assert.deepStrictEqual(yield* moneyOf(company), done.money)
            assert.isTrue((yield* answer("audit")).ok)
          })
      )
    })
  }
)

const Serving = Layer.provideMerge(ResolutionsPostgres.layer, TestServer)

layer(Serving, { excludeTestServices: true })("two operators who confirm a proposal at the same time", (it) => {
  /** A sale without an answer of the provider for 20 minutes. An operator has proposed to settle it as failed. */
  const proposed = Effect.fnUntraced(function* (identifier: string) {
    const { pass } = yield* ManualClock
    const { provider } = yield* Script
    provider.set(identifier, { status: () => Effect.succeed(StatusAnswer.Unknown()) })
    const { companyId, id } = yield* sold(identifier, 1)
    yield* pass("20 minutes")
    const transactionId = TransactionId.make(id)
    const finding = Finding.cases.Failed.make({})
    yield* proposeResolution(transactionId, { finding, reason: "ticket 123" }).pipe(actingAs("turno-1"))
    return { companyId, transactionId }
  })

  const confirm = (transactionId: TransactionId, operator: string) =>
    confirmResolution(transactionId, { evenUnasked: false, number: 1 }).pipe(actingAs(operator))

  it.effect("record one confirmation if both had read the unconfirmed proposal", () =>
    Effect.gen(function* () {
      const identifier = "8095550112"
      const { companyId, transactionId } = yield* proposed(identifier)
      const { provider } = yield* Script
      // Both operators' commands query the provider before either of them continues.
      const bothAsked = yield* Deferred.make<void>()
      let asked = 0
      provider.set(identifier, {
        status: () =>
          Effect.gen(function* () {
            if (++asked === 2) yield* Deferred.succeed(bothAsked, undefined)
            yield* Deferred.await(bothAsked)
            return StatusAnswer.Unknown()
          })
      })
      const services = yield* Effect.context<Effect.Services<ReturnType<typeof confirm>>>()
      const names = ["turno-2", "turno-3"]
      const results = yield* atOnce(names.map((name) => Effect.provide(confirm(transactionId, name), services)))
      const winner = names[results.findIndex(Result.isSuccess)] ?? ""
      const refused = results.find(Result.isFailure)?.failure
      assert.isTrue(refused?._tag === "NotConfirmable" && refused.why === "confirmed")
      assert.strictEqual(refused?._tag === "NotConfirmable" && refused.confirmation?.by, winner)
      assert.deepStrictEqual(yield* confirmations(companyId), [
        { action: "resolution_agreed", operator: winner, won: null },
        { action: "resolution_confirmed", operator: winner, won: true }
      ])
    })
  )

  // Time between the two confirmations, the operator who continues first -> the operators whose
  // confirmations are stored, and the only operator who receives success.
  it.effect.each([
    ["59 seconds", "turno-3", "8095550212", ["turno-2"], "turno-2"],
    ["1 minute", "turno-2", "8095550312", ["turno-2", "turno-3"], "turno-2"],
    ["1 minute", "turno-3", "8095550412", ["turno-2", "turno-3"], "turno-3"]
  ] as const)(
    "give success to only one of them if the second confirms %s after the first and %s continues first",
    ([elapsed, writesFirst, identifier, confirmers, winner]) =>
      Effect.gen(function* () {
        const { companyId, transactionId } = yield* proposed(identifier)
        const { pass } = yield* ManualClock
        const { settle } = yield* Script
        const services = yield* Effect.context<Effect.Services<ReturnType<typeof confirm>>>()
        const firstWrote = yield* Deferred.make<void>()
        const secondConfirmed = yield* Deferred.make<void>()
        const second = yield* Deferred.make<Result.Result<unknown, { readonly _tag: string }>>()
        const runSecond = Deferred.into(
          Effect.result(Effect.provide(confirm(transactionId, "turno-3"), services)),
          second
        )
        settle.set(identifier, (write) =>
          Effect.gen(function* () {
            settle.delete(identifier)
            yield* pass(elapsed)
            if (writesFirst === "turno-3") {
              yield* runSecond
              return yield* write
            }
            settle.set(identifier, (secondWrite) =>
              Deferred.succeed(secondConfirmed, undefined).pipe(
                Effect.andThen(Deferred.await(firstWrote)),
                Effect.andThen(secondWrite)
              )
            )
            yield* Effect.forkDetach(runSecond)
            yield* Deferred.await(secondConfirmed)
            return yield* Effect.ensuring(write, Deferred.succeed(firstWrote, undefined))
          })
        )
        const results = [yield* Effect.result(confirm(transactionId, "turno-2")), yield* Deferred.await(second)]
        settle.delete(identifier)
        const loser = winner === "turno-2" ? 1 : 0
        assert.deepStrictEqual(results.map(Result.isSuccess), [loser === 1, loser === 0])
        const refused = results[loser]?.pipe(Result.getFailure, Option.getOrThrow)
        assert.nestedPropertyVal(refused, "why", "confirmed")
        assert.nestedPropertyVal(refused, "confirmation.by", winner)
        assert.deepStrictEqual(yield* confirmations(companyId), [
          ...confirmers.map((operator) => ({ action: "resolution_agreed", operator, won: null })),
          { action: "resolution_confirmed", operator: winner, won: true }
        ])
      })
  )
})
