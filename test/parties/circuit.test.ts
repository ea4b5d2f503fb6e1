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

/** A party's fake. */
interface Fake {
  readonly requests: ReadonlyArray<unknown>
  readonly misbehaviours: Misbehaviours
}

const company = insuring({ company: { environment: "production" } })

/** Another one each time. */
const topUp = (auth: Headers) =>
  Effect.suspend(() => sell({ service_id: 1, identifier: "8095550012", amount: 100 }, auth))

const codeOf = ({ body }: ApiResponse): string | undefined => body.error?.code

/** So many calls in a row fail, and the circuit opens. */
const enough = 10

/** Lets time pass, and everybody do what they do at each second, until it is so. */
const secondsUntil = Effect.fnUntraced(function* <R>(isSo: Effect.Effect<boolean, never, R>) {
  const { pass } = yield* ManualClock
  const second = Effect.andThen(pass("1 second"), Effect.repeat(Effect.yieldNow, { times: 50 }))
  yield* Effect.repeat(Effect.andThen(second, isSo), { until: (so) => so })
})

/** Does what must change nothing, and be heard of by nobody. */
const withheld = Effect.fnUntraced(function* <E, R>({ requests }: Fake, what: Effect.Effect<ApiResponse, E, R>) {
  const before = requests.length
  const answer = yield* leavesRowsUnchanged(what)
  assert.strictEqual(requests.length, before)
  return codeOf(answer)
})

/** The party behaves well again, and the circuit's time is over. */
const healed = Effect.fnUntraced(function* ({ misbehaviours }: Fake) {
  const { pass } = yield* ManualClock
  misbehaviours.otherwise(() => null)
  yield* pass("10 seconds")
})

const refusesSales = Effect.flatMap(Providers, ({ serving }) => Effect.isFailure(serving("production")))

describe.each(["http", "dtone"] as const)("with PROVIDER=%s", (name) => {
  describe.each(["broken before", "cut after"] as const)("that is %s", (how) => {
    layer(production(name), { excludeTestServices: true })("again and again", (it) => {
      it.effect("the provider is left alone and nothing is reserved, until it is asked once more", () =>
        Effect.gen(function* () {
          const { provider } = yield* ExternalFakes
          const { auth } = yield* company
          provider.misbehaviours.otherwise(() => how)
          yield* eventually(topUp(auth), (answer) => codeOf(answer) === "SERVICE_UNAVAILABLE")
          assert.isAtLeast(provider.requests.length, enough)
          assert.isAtMost(provider.requests.length, 2 * enough)
          assert.strictEqual(yield* withheld(provider, topUp(auth)), "SERVICE_UNAVAILABLE")
          yield* healed(provider)
          assert.strictEqual((yield* topUp(auth)).status, 201)
          assert.strictEqual((yield* topUp(auth)).status, 201)
        })
      )
    })
  })

  // Its pauses pass with the seconds.
  layer(production(name, {}, scripted), { excludeTestServices: true })("that is silent", (it) => {
    it.effect("the provider is left alone and nothing is reserved, until its time is over", () =>
      Effect.gen(function* () {
        const { provider } = yield* ExternalFakes
        const { auth } = yield* company
        provider.misbehaviours.otherwise(() => "silent before")
        const going = yield* Effect.forkChild(
          Effect.all(
            Array.from({ length: enough }, () => topUp(auth)),
            { concurrency: "unbounded" }
          )
        )
        yield* Effect.repeat(Effect.yieldNow, { until: () => provider.requests.length === enough })
        yield* secondsUntil(refusesSales)
        // The ten are being written meanwhile, so another company tells whether anything is reserved.
        const other = yield* company
        assert.strictEqual(codeOf(yield* topUp(other.auth)), "SERVICE_UNAVAILABLE")
        assert.isEmpty((yield* get("/v1/transacciones", other.auth)).body.data.items)
        yield* secondsUntil(Effect.sync(() => going.pollUnsafe() !== undefined))
        for (const { status } of yield* Fiber.join(going)) assert.strictEqual(status, 202)
        yield* healed(provider)
        assert.isFalse(yield* refusesSales)
      })
    )
  })
})

layer(production("http"), { excludeTestServices: true })("an insurer that fails again and again", (it) => {
  it.effect("is left alone, and neither begins an insurance nor sells a quote, until it is asked once more", () =>
    Effect.gen(function* () {
      const { insurer } = yield* ExternalFakes
      const { auth } = yield* company
      const { id, placa } = yield* quotedLive(auth)
      const application = yield* insurable
      insurer.misbehaviours.otherwise(() => "broken before")
      const begin = spanish.start(auth, application)
      yield* Effect.replicateEffect(begin, enough, { discard: true })
      assert.strictEqual(yield* withheld(insurer, begin), "SEGUROS_NO_DISPONIBLE")
      assert.strictEqual(yield* withheld(insurer, spanish.sell(auth, id, placa)), "SEGUROS_NO_DISPONIBLE")
      yield* healed(insurer)
      assert.strictEqual((yield* begin).status, 201)
      assert.strictEqual((yield* spanish.sell(auth, id, placa)).status, 201)
    })
  )
})

layer(production("http"), { excludeTestServices: true })("a gateway of messages that fails again and again", (it) => {
  it.effect("is left alone, and no insurance begins that nobody could verify, until it is asked once more", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { insurer, sms } = yield* ExternalFakes
      const { auth } = yield* company
      sms.misbehaviours.otherwise(() => "broken before")
      const begin = Effect.flatMap(insurable, (application) => spanish.start(auth, application))
      const begun = yield* Effect.replicateEffect(begin, enough)
      for (const { body } of begun) assert.isFalse(body.data.otp_enviado)
      for (const fake of [sms, insurer]) assert.strictEqual(yield* withheld(fake, begin), "SEGUROS_NO_DISPONIBLE")
      assert.isEmpty(sms.sent)
      yield* healed(sms)
      // The first that goes shows that the others can.
      yield* sendDue()
      yield* pass("2 minutes")
      yield* sendDue()
      assert.lengthOf(sms.sent, enough)
      assert.isTrue((yield* begin).body.data.otp_enviado)
    })
  )
})
