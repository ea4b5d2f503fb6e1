import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicationFor, spanish } from "../contract/support/Insuring.ts"
import { unchanged } from "../contract/support/Rows.ts"
import { another, testServer } from "../contract/support/Server.ts"
import { consult, sell } from "../facade/support/Calls.ts"
import { insurable, quotedLive } from "./support/LiveInsurance.ts"
import { Outsiders, played, production } from "./support/Production.ts"
import { company, refusal, unheard, wares } from "./support/Wares.ts"

/** What a company in production hears of a party that is not there. */
const noProvider = [422, "SERVICE_UNAVAILABLE"]
const noInsurer = [503, "SEGUROS_NO_DISPONIBLE"]

layer(testServer({}), { excludeTestServices: true })("a company in production, while nobody is configured", (it) => {
  it.effect.each(wares.filter(([, , amount]) => amount !== null))(
    "cannot sell service %i to %s, and nothing is reserved",
    ([service_id, identifier, amount]) =>
      Effect.gen(function* () {
        const { auth } = yield* company("production")
        const answer = yield* unchanged(sell({ service_id, identifier, amount }, auth))
        assert.deepStrictEqual(refusal(answer), noProvider)
        assert.strictEqual(answer.headers.get("retry-after"), "30")
      })
  )

  it.effect("is shown examples of packages, and cannot buy one", () =>
    Effect.gen(function* () {
      const { auth } = yield* company("production")
      const wanted = { service_id: 3, identifier: "8495550044" }
      const { opciones, origen_datos } = (yield* consult(wanted.service_id, wanted.identifier, auth)).body.data
      assert.strictEqual(origen_datos, "simulado")
      const answer = yield* unchanged(sell({ ...wanted, opcion_id: opciones[0].opcion_id }, auth))
      assert.deepStrictEqual(refusal(answer), noProvider)
    })
  )

  it.effect("cannot begin an insurance", () =>
    Effect.gen(function* () {
      const { auth } = yield* company("production")
      assert.deepStrictEqual(refusal(yield* unchanged(spanish.start(auth, applicationFor()))), noInsurer)
    })
  )
})

/** A server on the same database, without one of the parties. */
const without = (party: "PROVIDER" | "INSURER" | "SMS") =>
  Effect.flatMap(Outsiders, ({ variables }) => another({ ...variables, [party]: "none" }, played))

layer(production("http"), { excludeTestServices: true })(
  "a company in production, while one party is missing",
  (it) => {
    it.effect("sells all that goes through the others", () =>
      Effect.gen(function* () {
        const { auth } = yield* company("production")
        const topUp = sell({ service_id: 1, identifier: "8095550012", amount: 100 }, auth)
        const noProviders = yield* without("PROVIDER")
        assert.deepStrictEqual(refusal(yield* noProviders(unchanged(topUp))), noProvider)
        const { id, placa } = yield* noProviders(quotedLive(auth))
        assert.strictEqual((yield* noProviders(spanish.sell(auth, id, placa))).status, 201)
        for (const party of ["INSURER", "SMS"] as const) {
          assert.strictEqual((yield* (yield* without(party))(topUp)).status, 201)
        }
      })
    )

    it.effect.each(["INSURER", "SMS"] as const)("cannot begin an insurance without %s, and asks nobody", (party) =>
      Effect.gen(function* () {
        const { auth } = yield* company("production")
        const missing = yield* without(party)
        const application = yield* insurable
        const answer = yield* unheard(unchanged(missing(spanish.start(auth, application))))
        assert.deepStrictEqual(refusal(answer), noInsurer)
      })
    )

    it.effect("cannot sell a quote while its insurer is missing, and can afterwards", () =>
      Effect.gen(function* () {
        const { auth } = yield* company("production")
        const { id, placa } = yield* quotedLive(auth)
        const missing = yield* without("INSURER")
        assert.deepStrictEqual(refusal(yield* unheard(unchanged(missing(spanish.sell(auth, id, placa))))), noInsurer)
        assert.strictEqual((yield* spanish.read(auth, id)).body.data.estado, "cotizado")
        assert.strictEqual((yield* spanish.sell(auth, id, placa)).status, 201)
      })
    )
  }
)
