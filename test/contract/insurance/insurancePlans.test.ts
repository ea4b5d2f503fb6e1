import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  applicationFor,
  insuranceCompany,
  planned,
  plateEnding,
  quoted,
  spanish,
  started,
  verified
} from "../../support/service/InsuranceCalls.ts"
import { SpreadTestServer } from "../../support/service/TestServer.ts"
import { leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

interface Priced {
  readonly codigo: string
  readonly precio: number
}

const sum = (prices: ReadonlyArray<number>): number =>
  prices.reduce((total, price) => total + Math.round(price * 100), 0) / 100

layer(SpreadTestServer, { excludeTestServices: true })("an insurance offer (contract 4.6)", (it) => {
  it.effect.each([
    ["56", true, true],
    ["57", false, false],
    ["58", false, true]
  ] as const)(
    "states whether there is only one version, and which version is suggested: plate ending %s, only %j, suggested %j",
    ([ending, sole, suggested]) =>
      Effect.gen(function* () {
        const { auth } = yield* insuranceCompany()
        const { id } = yield* started(auth, applicationFor(plateEnding(ending)))
        const { sugerida, version_unica, versiones } = (yield* spanish.verify(auth, id)).body.data
        assert.deepStrictEqual([version_unica, versiones.length === 1], [sole, sole])
        const marked = versiones.filter(({ sugerida: is }: { sugerida: boolean }) => is)
        assert.deepStrictEqual([sugerida !== null, sugerida], [suggested, marked[0]?.id ?? null])
      })
  )

  it.effect.each([
    [{}, []],
    [{ incluye_grua: false, incluye_casa_conductor: null }, []],
    [{ incluye_grua: true }, ["grua"]],
    [{ incluye_casa_conductor: true }, ["casa_conductor"]],
    [{ incluye_grua: true, incluye_casa_conductor: true }, ["grua", "casa_conductor"]]
  ] as const)("costs the price of the plan plus the prices of the extras selected by %j", ([wishes, codes]) =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id, placa, version } = yield* verified(auth)
      const { plan, servicios_opcionales } = (yield* spanish.choose(auth, id, version)).body.data
      const chosen = servicios_opcionales.filter(({ codigo }: Priced) => codes.some((code) => code === codigo))
      const total = sum([plan.precio, ...chosen.map(({ precio }: Priced) => precio)])
      const { monto_total, opcionales } = (yield* spanish.quote(auth, id, wishes)).body.data
      assert.deepStrictEqual([monto_total, opcionales], [total, chosen])
      const read = (yield* spanish.read(auth, id)).body.data
      assert.deepStrictEqual([read.monto_total, read.opcionales, read.plan], [total, chosen, plan])
      assert.strictEqual((yield* spanish.sell(auth, id, placa)).body.data.amount, total)
    })
  )

  it.effect("has no extra for towing a motorcycle, and a quote with this extra is rejected", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id, version } = yield* verified(auth, plateEnding("58", "K"))
      const { servicios_opcionales } = (yield* spanish.choose(auth, id, version)).body.data
      assert.deepStrictEqual(
        servicios_opcionales.map(({ codigo }: Priced) => codigo),
        ["casa_conductor"]
      )
      const refused = yield* leavesRowsUnchanged(
        spanish.quote(auth, id, { incluye_grua: true, incluye_casa_conductor: true })
      )
      assert.deepStrictEqual(
        [refused.status, refused.body.error.code, refused.body.error.details],
        [422, "VALIDATION_ERROR", { incluye_grua: "no_disponible" }]
      )
      assert.strictEqual((yield* spanish.quote(auth, id, { incluye_casa_conductor: true })).status, 200)
    })
  )

  it.effect("is sold at the price of the last quote", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id, placa, total } = yield* quoted(auth)
      const dearer = (yield* spanish.quote(auth, id, { incluye_grua: true })).body.data
      assert.isAbove(dearer.monto_total, total)
      const again = (yield* spanish.quote(auth, id)).body.data
      assert.deepStrictEqual([again.monto_total, again.opcionales], [total, []])
      assert.strictEqual((yield* spanish.sell(auth, id, placa)).body.data.amount, total)
    })
  )

  it.effect("loses its quote when another plan is chosen", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id, placa, version } = yield* quoted(auth)
      const other = (yield* spanish.choose(auth, id, version, "LEY-6")).body.data.plan
      const { estado, monto_total, opcionales, plan } = (yield* spanish.read(auth, id)).body.data
      assert.deepStrictEqual([estado, monto_total, opcionales, plan], ["plan_confirmado", null, null, other])
      const refused = yield* leavesRowsUnchanged(spanish.sell(auth, id, placa))
      assert.deepStrictEqual([refused.status, refused.body.error.code], [409, "SEGURO_SIN_COTIZAR"])
      assert.strictEqual((yield* spanish.quote(auth, id)).body.data.monto_total, other.precio)
      assert.strictEqual((yield* spanish.sell(auth, id, placa)).body.data.amount, other.precio)
    })
  )

  it.effect("rejects versions and plans that were not offered", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id, version } = yield* planned(auth)
      for (const [step, details] of [
        [spanish.plans(auth, id, "NO HAY"), { version: "invalido" }],
        [spanish.plans(auth, id, ""), { version: "invalido" }],
        [spanish.choose(auth, id, "NO HAY"), { version: "invalido" }],
        [spanish.choose(auth, id, version, "NO-HAY"), { cd_tipo_plan: "invalido" }]
      ] as const) {
        const { body, status } = yield* leavesRowsUnchanged(step)
        assert.deepStrictEqual([status, body.error.code, body.error.details], [422, "VALIDATION_ERROR", details])
      }
    })
  )
})
