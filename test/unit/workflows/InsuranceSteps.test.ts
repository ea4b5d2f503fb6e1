import { assert, describe, it } from "@effect/vitest"
import { Effect, Struct } from "effect"
import type { CoreError } from "../../../core/domain/Errors.ts"
import { CompanyId, InsuranceId } from "../../../core/domain/Ids.ts"
import type { Insurance } from "../../../core/domain/Insurance.ts"
import { InsuranceState } from "../../../core/domain/InsuranceState.ts"
import type { Session } from "../../../core/domain/Session.ts"
import { SmsAnswer } from "../../../core/domain/Sms.ts"
import {
  choosePlan,
  insuranceOf,
  plansOf,
  policyOf,
  quoteInsurance,
  resendCode,
  verifyCode
} from "../../../core/workflows/InsuranceSteps.ts"
import { session } from "../../support/Examples.ts"
import { fund } from "../../support/InMemoryWorld.ts"
import {
  begin,
  buy,
  code,
  firstVersion,
  insuring,
  now,
  planned,
  quoted,
  reserved,
  seller,
  verified
} from "../support/InsuranceWorld.ts"

const bought = (plate: string) => Effect.tap(quoted(plate), (insurance) => buy(insurance))

/** Brings an insurance into a state, through the steps of the buyer and the sale. */
const reach = Effect.fnUntraced(function* (state: InsuranceState) {
  switch (state) {
    case "iniciada":
    case "otp_enviado":
      return yield* begin()
    case "otp_validado":
      return yield* verified()
    case "plan_confirmado":
      return yield* planned()
    case "cotizado":
      return yield* quoted()
    case "cobrando":
      return yield* Effect.tap(quoted(), reserved)
    case "emitiendo":
      return yield* bought("A123412")
    case "emitida":
      return yield* bought("A123458")
    case "fallida":
      return yield* bought("A123451")
  }
})

/**
 * Services for a test that starts in this state. For `iniciada`, the SMS gateway accepts no message, so the insurance
 * stays in this state. For the other states, the gateway accepts every message.
 */
const worldOf = (state: InsuranceState) =>
  insuring(
    state === "iniciada" ? { gateway: { send: () => Effect.succeed(SmsAnswer.NotSent({ reason: "busy" })) } } : {}
  )

const steps = {
  resend: (by: Session, { id }: Insurance) => resendCode(by, id),
  verify: (by: Session, { id }: Insurance) => verifyCode(by, id, code),
  plans: (by: Session, insurance: Insurance) => plansOf(by, insurance.id, firstVersion(insurance)),
  choose: (by: Session, insurance: Insurance) =>
    choosePlan(by, insurance.id, { version: firstVersion(insurance), plan: "LEY-6" }),
  quote: (by: Session, { id }: Insurance) => quoteInsurance(by, id, [])
}
type Step = keyof typeof steps
const names = Struct.keys(steps)

/** Every request about an insurance: the steps and the reads. */
const questions = {
  ...steps,
  read: (by: Session, { id }: Insurance) => insuranceOf(by, id),
  documents: (by: Session, { id }: Insurance) => policyOf(by, id)
}
type Question = keyof typeof questions

const ask = (
  question: Question,
  by: Session,
  about: Insurance
): Effect.Effect<unknown, CoreError, Effect.Services<ReturnType<(typeof questions)[Question]>>> =>
  questions[question](by, about)

/** The state after each step, for each state in which the step is allowed. */
const inOrder: { readonly [_ in Step]: { readonly [_ in InsuranceState]?: InsuranceState } } = {
  resend: { iniciada: "iniciada", otp_enviado: "otp_enviado" },
  verify: { iniciada: "otp_validado", otp_enviado: "otp_validado" },
  plans: { otp_validado: "otp_validado", plan_confirmado: "plan_confirmado", cotizado: "cotizado" },
  choose: { otp_validado: "plan_confirmado", plan_confirmado: "plan_confirmado", cotizado: "plan_confirmado" },
  quote: { plan_confirmado: "cotizado", cotizado: "cotizado" }
}

describe("a request about an insurance", () => {
  const cases = InsuranceState.literals.flatMap((state) =>
    names.map((step) => [step, state, inOrder[step][state] ?? "out of order"] as const)
  )

  it.effect.each(cases)("for the step %s in the state %s leads to: %s", ([step, state, expected]) => {
    const { layer } = worldOf(state)
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const before = yield* now(yield* reach(state))
      assert.strictEqual(before.state, state)
      const error = yield* Effect.match(ask(step, seller, before), {
        onSuccess: () => null,
        onFailure: (failure) => (failure._tag === "StepOutOfOrder" ? failure.state : assert.fail(failure._tag))
      })
      assert.strictEqual(error, expected === "out of order" ? state : null)
      const after = yield* now(before)
      if (expected === "out of order") assert.deepStrictEqual(after, before)
      else assert.strictEqual(after.state, expected)
    }).pipe(Effect.provide(layer))
  })

  it.effect.each(InsuranceState.literals)(
    "for the documents succeeds only if the policy is issued: state %s",
    (state) => {
      const { layer } = worldOf(state)
      return Effect.gen(function* () {
        yield* fund(1_000_000)
        const insurance = yield* now(yield* reach(state))
        const found = yield* Effect.match(policyOf(seller, insurance.id), {
          onSuccess: ({ policy }) => policy.number,
          onFailure: ({ _tag }) => _tag
        })
        assert.strictEqual(found, state === "emitida" ? insurance.policy?.number : "PolicyNotIssued")
      }).pipe(Effect.provide(layer))
    }
  )
})

describe("an insurance of another company", () => {
  const neighbour: Session = { ...seller, company: { ...seller.company, id: CompanyId.make(8) } }
  it.effect.each(Struct.keys(questions))("is not found by the request %s", (question) => {
    const { layer } = insuring()
    return Effect.gen(function* () {
      const insurance = yield* planned()
      const before = yield* now(insurance)
      const tag = (by: Session, about: Insurance) =>
        Effect.map(Effect.flip(ask(question, by, about)), ({ _tag }) => _tag)
      assert.strictEqual(yield* tag(neighbour, insurance), "NotFound")
      assert.strictEqual(yield* tag(seller, { ...insurance, id: InsuranceId.make(99) }), "NotFound")
      assert.strictEqual(yield* tag(session, insurance), "Forbidden")
      assert.deepStrictEqual(yield* now(insurance), before)
    }).pipe(Effect.provide(layer))
  })
})
