import { assert, describe, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import type { InsuranceState } from "../../core/domain/InsuranceState.ts"
import { get } from "../facade/support/Calls.ts"
import { forms, inState, insurer, type Steps, type Under } from "./support/Insuring.ts"
import { unchanged } from "./support/Rows.ts"
import { TestServer } from "./support/Server.ts"

const steps = {
  resend: (at: Steps, { auth, id }: Under) => at.resend(auth, id),
  verify: (at: Steps, { auth, id }: Under) => at.verify(auth, id),
  plans: (at: Steps, { auth, id, version }: Under) => at.plans(auth, id, version),
  choose: (at: Steps, { auth, id, version }: Under) => at.choose(auth, id, version),
  quote: (at: Steps, { auth, id }: Under) => at.quote(auth, id),
  sell: (at: Steps, { auth, id, placa }: Under) => at.sell(auth, id, placa),
  read: (at: Steps, { auth, id }: Under) => at.read(auth, id),
  document: (at: Steps, { auth, id }: Under) => get(at.documentPath(id, "poliza"), auth)
}

const order = "SEGURO_PASO_INVALIDO"
const price = "SEGURO_SIN_COTIZAR"
const sold = "SEGURO_YA_VENDIDO"
const paper = "POLIZA_NO_EMITIDA"

type Expected = 200 | 201 | typeof order | typeof price | typeof sold | typeof paper

/** What each step is told in each state. Contract: 3.3 and 4.6. */
const table: ReadonlyArray<readonly [InsuranceState, ...ReadonlyArray<Expected>]> = [
  // state           resend verify plans  choose quote  sell   read document
  ["iniciada", 200, 200, order, order, order, price, 200, paper],
  ["otp_enviado", 200, 200, order, order, order, price, 200, paper],
  ["otp_validado", order, order, 200, 200, order, price, 200, paper],
  ["plan_confirmado", order, order, 200, 200, 200, price, 200, paper],
  ["cotizado", order, order, 200, 200, 200, 201, 200, paper],
  ["cobrando", order, order, order, order, order, sold, 200, paper],
  ["emitiendo", order, order, order, order, order, sold, 200, paper],
  ["emitida", order, order, order, order, order, sold, 200, 200],
  ["fallida", order, order, order, order, order, sold, 200, paper]
]

/** The state that a step leads to where it is in order; the others leave it as it was. */
const leads: Partial<Record<keyof typeof steps, InsuranceState>> = {
  resend: "otp_enviado",
  verify: "otp_validado",
  choose: "plan_confirmado",
  quote: "cotizado",
  sell: "emitida"
}

const names = Struct.keys(steps)
const pairs = table.flatMap(([state, ...row]) =>
  names.map((step, index) => [step, state, row[index] ?? assert.fail("the row is too short")] as const)
)

layer(TestServer, { excludeTestServices: true })("the steps of an insurance (3.3)", (it) => {
  describe.each(forms.map((at) => [at.form, at] as const))("at %s", (_, at) => {
    it.effect.each(pairs.filter((_, index) => forms[index % forms.length] === at))(
      "%s in %s: %s",
      ([step, state, expected]) =>
        Effect.gen(function* () {
          const { auth } = yield* insurer()
          const under = yield* inState[state](auth, at)
          const stateNow = Effect.map(at.read(auth, under.id), ({ body }) => body.data.estado)
          assert.strictEqual(yield* stateNow, state)
          const taken = steps[step](at, under)
          if (typeof expected === "number") {
            assert.strictEqual((yield* taken).status, expected)
            assert.strictEqual(yield* stateNow, leads[step] ?? state)
          } else {
            const { body } = yield* unchanged(taken)
            assert.strictEqual(body.error.code, expected)
            if (expected !== price) assert.strictEqual(body.error.details.estado, state)
          }
        })
    )
  })
})
