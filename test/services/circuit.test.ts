import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Providers } from "../../core/ports/Provider.ts"
import { sendDue } from "../../core/workflows/SendSms.ts"
import type { Misbehaviours } from "../fakes/FakeServer.ts"
import type { ApiResponse } from "../support/ApiDocument.ts"
import { eventually } from "../support/Eventually.ts"
import { ManualClock } from "../support/InProcessService.ts"
import { get, sell } from "../support/service/HttpCalls.ts"
import { type Headers, insuranceCompany as insuring, spanish } from "../support/service/InsuranceCalls.ts"
import { scripted } from "../support/service/ScriptedPorts.ts"
import { leavesRowsUnchanged } from "../support/service/UnchangedRows.ts"
import { ExternalFakes, insurable, production, quotedLive } from "./support/Production.ts"

/** The fake of an external service. */
interface Fake {
  readonly requests: ReadonlyArray<unknown>
  readonly misbehaviours: Misbehaviours
}

const company = insuring({ company: { environment: "production" } })

/** A new sale at each run. */
const topUp = (auth: Headers) =>
  Effect.suspend(() => sell({ service_id: 1, identifier: "8095550012", amount: 100 }, auth))

const codeOf = ({ body }: ApiResponse): string | undefined => body.error?.code

/** Failures in a row that open the circuit breaker. */
const failures_max = 10

/** Moves the clock second by second, and lets every fiber run after each second, until the condition holds. */
const secondsUntil = Effect.fnUntraced(function* <R>(holds: Effect.Effect<boolean, never, R>) {
  const { pass } = yield* ManualClock
  const second = Effect.andThen(pass("1 second"), Effect.repeat(Effect.yieldNow, { times: 50 }))
  yield* Effect.repeat(Effect.andThen(second, holds), { until: (yes) => yes })
})

/** The error code of a call, after a check that it changed no row and sent no request. */
const blockedCode = Effect.fnUntraced(function* <E, R>({ requests }: Fake, what: Effect.Effect<ApiResponse, E, R>) {
  const before = requests.length
  const answer = yield* leavesRowsUnchanged(what)
  assert.strictEqual(requests.length, before)
  return codeOf(answer)
})

/** Ends the faults and waits until the circuit breaker allows a trial call. */
const recovered = Effect.fnUntraced(function* ({ misbehaviours }: Fake) {
  const { pass } = yield* ManualClock
  misbehaviours.otherwise(() => null)
  yield* pass("10 seconds")
})

const refusesSales = Effect.flatMap(Providers, ({ serving }) => Effect.isFailure(serving("production")))

describe.each(["http", "dtone"] as const)("with PROVIDER=%s", (name) => {
  describe.each(["broken before", "cut after"] as const)("with the fault %s", (how) => {
    layer(production(name), { excludeTestServices: true })("in every call", (it) => {
      it.effect("the provider receives no more calls and nothing is reserved, until one trial call succeeds", () =>
        Effect.gen(function* () {
          const { provider } = yield* ExternalFakes
          const { auth } = yield* company
          provider.misbehaviours.otherwise(() => how)
          yield* eventually(topUp(auth), (answer) => codeOf(answer) === "SERVICE_UNAVAILABLE")
          assert.isAtLeast(provider.requests.length, failures_max)
          assert.isAtMost(provider.requests.length, 2 * failures_max)
          assert.strictEqual(yield* blockedCode(provider, topUp(auth)), "SERVICE_UNAVAILABLE")
          yield* recovered(provider)
          assert.strictEqual((yield* topUp(auth)).status, 201)
          assert.strictEqual((yield* topUp(auth)).status, 201)
        })
      )
    })
  })

  // Uses the real pauses of the provider adapter, which pass as the test moves the clock.
  layer(production(name, {}, scripted), { excludeTestServices: true })("without a response", (it) => {
    it.effect("the provider receives no more calls and nothing is reserved, until the circuit breaker may close", () =>
      Effect.gen(function* () {
        const { provider } = yield* ExternalFakes
        const { auth } = yield* company
        provider.misbehaviours.otherwise(() => "silent before")
        const going = yield* Effect.forkChild(
          Effect.all(
            Array.from({ length: failures_max }, () => topUp(auth)),
            { concurrency: "unbounded" }
          )
        )
        yield* Effect.repeat(Effect.yieldNow, { until: () => provider.requests.length === failures_max })
        yield* secondsUntil(refusesSales)
        // The ten sales still change rows, so a check that no row changes would fail. A second company shows that no new sale
        // is reserved.
        const other = yield* company
        assert.strictEqual(codeOf(yield* topUp(other.auth)), "SERVICE_UNAVAILABLE")
        assert.isEmpty((yield* get("/v1/transacciones", other.auth)).body.data.items)
        yield* secondsUntil(Effect.sync(() => going.pollUnsafe() !== undefined))
        for (const { status } of yield* Fiber.join(going)) assert.strictEqual(status, 202)
        yield* recovered(provider)
        assert.isFalse(yield* refusesSales)
      })
    )
  })
})

layer(production("http"), { excludeTestServices: true })("an insurer that keeps failing", (it) => {
  it.effect("receives no more calls, and no insurance starts or is sold, until one trial call succeeds", () =>
    Effect.gen(function* () {
      const { insurer } = yield* ExternalFakes
      const { auth } = yield* company
      const { id, placa } = yield* quotedLive(auth)
      const application = yield* insurable
      insurer.misbehaviours.otherwise(() => "broken before")
      const begin = spanish.start(auth, application)
      yield* Effect.replicateEffect(begin, failures_max, { discard: true })
      assert.strictEqual(yield* blockedCode(insurer, begin), "SEGUROS_NO_DISPONIBLE")
      assert.strictEqual(yield* blockedCode(insurer, spanish.sell(auth, id, placa)), "SEGUROS_NO_DISPONIBLE")
      yield* recovered(insurer)
      assert.strictEqual((yield* begin).status, 201)
      assert.strictEqual((yield* spanish.sell(auth, id, placa)).status, 201)
    })
  )
})

layer(production("http"), { excludeTestServices: true })("an SMS gateway that keeps failing", (it) => {
  it.effect("receives no more messages, and no insurance starts, until one trial message succeeds", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { insurer, sms } = yield* ExternalFakes
      const { auth } = yield* company
      sms.misbehaviours.otherwise(() => "broken before")
      const begin = Effect.flatMap(insurable, (application) => spanish.start(auth, application))
      const begun = yield* Effect.replicateEffect(begin, failures_max)
      for (const { body } of begun) assert.isFalse(body.data.otp_enviado)
      for (const fake of [sms, insurer]) assert.strictEqual(yield* blockedCode(fake, begin), "SEGUROS_NO_DISPONIBLE")
      assert.isEmpty(sms.sent)
      yield* recovered(sms)
      // The first message that is sent closes the circuit breaker for the other messages.
      yield* sendDue()
      yield* pass("2 minutes")
      yield* sendDue()
      assert.lengthOf(sms.sent, failures_max)
      assert.isTrue((yield* begin).body.data.otp_enviado)
    })
  )
})
