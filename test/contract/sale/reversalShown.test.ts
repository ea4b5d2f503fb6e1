import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { ReversalAnswer } from "../../../core/domain/Reversal.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { createClient } from "../../../facade/client/index.ts"
import { ManualClock, ServiceAddress } from "../../support/InProcessService.ts"
import { newToken } from "../../support/service/CustomerCompany.ts"
import { get, post } from "../../support/service/HttpCalls.ts"
import { secret } from "../../support/service/InMemoryService.ts"
import { sold } from "../../support/service/ReversalCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { SpreadTestServer } from "../../support/service/TestServer.ts"

type Shown = { readonly status: string; readonly solicitada_en: string; readonly resuelta_en: string | null } | null

/** Asserts this value of `anulacion` in the detail over REST and tRPC, and in the item of the list. */
const shows = Effect.fnUntraced(function* (
  { auth, companyId, id }: Effect.Success<ReturnType<typeof sold>>,
  shown: Shown
) {
  const { url } = yield* ServiceAddress
  const { apiKey } = yield* newToken(companyId)
  const client = createClient({ url, apiKey, apiSecret: secret })
  const detail = (yield* get(`/v1/transacciones/${id}`, auth)).body.data
  assert.deepStrictEqual(detail.anulacion, shown)
  assert.deepStrictEqual(yield* Effect.promise(() => client.transacciones.ver.query({ id })), detail)
  for (const query of ["", `?xid=${detail.xid}`]) {
    const { items } = (yield* get(`/v1/transacciones${query}`, auth)).body.data
    assert.deepStrictEqual(items, [detail])
  }
})

const requested = "2026-03-11 10:15:00"
const recovered = "2026-03-11 10:15:05"
const pending = { status: "PENDING", solicitada_en: requested, resuelta_en: null }

/** Outcome, identifier of the sale, then `anulacion` after the response and after recovery. Contract: 2.5. */
const reversals: ReadonlyArray<readonly [what: string, identifier: string, answered: Shown, recovered: Shown]> = [
  ["confirmed", "204518", ...twice({ status: "REVERSED", solicitada_en: requested, resuelta_en: requested })],
  ["denied", "204593", ...twice({ status: "DENIED", solicitada_en: requested, resuelta_en: requested })],
  ["unknown, and later confirmed", "204594", pending, { ...pending, status: "REVERSED", resuelta_en: recovered }],
  ["unknown, and later denied", "negada", pending, { ...pending, status: "DENIED", resuelta_en: recovered }],
  ["still unknown", "perdida", ...twice(pending)],
  [
    "not sent to the provider",
    "sin-envio",
    ...twice({ status: "DENIED", solicitada_en: requested, resuelta_en: requested })
  ]
]

function twice(shown: Shown): readonly [Shown, Shown] {
  return [shown, shown]
}

layer(SpreadTestServer, { excludeTestServices: true })("a transaction (contract 2.5)", (it) => {
  it.effect("shows no reversal before a reversal is requested", () =>
    Effect.gen(function* () {
      yield* shows(yield* sold("204518"), null)
      yield* shows(yield* sold("8095551234", 1), null)
      yield* shows(yield* sold("204511"), null)
    })
  )

  it.effect.each(reversals)("shows a reversal that is %s", ([, identifier, answered, afterRecovery]) =>
    Effect.gen(function* () {
      const { pass, until } = yield* ManualClock
      const { provider } = yield* Script
      const unknown = { reverse: () => Effect.succeed(ReversalAnswer.Unknown()) }
      provider.set("negada", { ...unknown, reversalStatus: () => Effect.succeed(ReversalAnswer.Denied()) })
      provider.set("perdida", { ...unknown, reversalStatus: () => Effect.succeed(ReversalAnswer.Unknown()) })
      provider.set("sin-envio", { reverse: () => Effect.succeed(ReversalAnswer.NotSent()) })
      yield* until("2026-03-11T10:14:00-04:00")
      const sale = yield* sold(identifier)
      yield* pass("1 minutes")
      yield* post(`/v1/transacciones/${sale.id}/anular`, {}, { ...sale.auth, "idempotency-key": "r1" })
      yield* shows(sale, answered)
      yield* pass("5 seconds")
      yield* recover("due")
      yield* shows(sale, afterRecovery)
    })
  )

  it.effect("shows a reversal as pending while the call to the provider runs", () =>
    Effect.gen(function* () {
      const { until } = yield* ManualClock
      const { provider } = yield* Script
      const asked = Deferred.makeUnsafe<void>()
      const reply = Deferred.makeUnsafe<ReversalAnswer>()
      provider.set("lenta", {
        reverse: () => Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(reply))
      })
      yield* until("2026-03-11T10:15:00-04:00")
      const sale = yield* sold("lenta")
      const path = `/v1/transacciones/${sale.id}/anular`
      const answer = yield* Effect.forkChild(post(path, {}, { ...sale.auth, "idempotency-key": "r1" }))
      yield* Deferred.await(asked)
      yield* shows(sale, pending)
      yield* Deferred.succeed(reply, ReversalAnswer.Confirmed())
      const shown = { status: "REVERSED", solicitada_en: requested, resuelta_en: requested }
      assert.deepStrictEqual((yield* Fiber.join(answer)).body.data.anulacion, shown)
    })
  )

  it.effect("shows the latest of several reversals", () =>
    Effect.gen(function* () {
      const { pass, until } = yield* ManualClock
      const { provider } = yield* Script
      yield* until("2026-03-11T10:13:00-04:00")
      const sale = yield* sold("204593-b")
      const reverse = (key: string) =>
        post(`/v1/transacciones/${sale.id}/anular`, {}, { ...sale.auth, "idempotency-key": key })
      for (const answer of [ReversalAnswer.Denied(), ReversalAnswer.Denied(), ReversalAnswer.Confirmed()]) {
        provider.set("204593-b", { reverse: () => Effect.succeed(answer) })
        yield* reverse(answer._tag)
        yield* pass("1 minutes")
        yield* reverse(`${answer._tag} again`)
      }
      yield* shows(sale, { status: "REVERSED", solicitada_en: requested, resuelta_en: requested })
    })
  )
})
