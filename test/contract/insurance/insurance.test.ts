import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Insured } from "../../../core/domain/Insurance.ts"
import type { Extra, Plan, Version } from "../../../core/domain/InsuranceOffer.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { DispatchAnswer, type Order } from "../../../core/domain/Sale.ts"
import { createClient } from "../../../facade/client/index.ts"
import { ServiceAddress } from "../../support/InProcessService.ts"
import { get } from "../../support/service/HttpCalls.ts"
import { secret } from "../../support/service/InMemoryService.ts"
import {
  applicationFor,
  insuranceCompany,
  insuranceForms,
  plan,
  plateEnding,
  quoted,
  rightCode,
  spanish
} from "../../support/service/InsuranceCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { SpreadTestServer } from "../../support/service/TestServer.ts"

const vehicle: Insured["vehicle"] = {
  brand: "Toyota",
  model: "Corolla",
  year: 2019,
  type: "automovil",
  chassis: "JTDBR32E720114521"
}
const versions: ReadonlyArray<Version> = [
  { id: "XSE 2.0", name: "Corolla XSE 2.0", suggested: false },
  { id: "LE 1.8 & más", name: "Corolla LE 1.8", suggested: true }
]
const ofLaw: Plan = {
  code: "LEY-12",
  name: "Ley, un año",
  coverage: "Lo que la ley exige.",
  months: 12,
  price: Amount.make(595_050),
  suggested: true
}
const tow: Extra = { code: "grua", name: "Grúa", price: Amount.make(85_000) }
const validity = { from: "2026-03-11", until: "2027-03-10" }

/** Gives the insurer fixed responses for a plate. Returns the list of orders that the insurer receives. */
const knownInsurer = Effect.fnUntraced(function* (plate: string) {
  const { insurer: script } = yield* Script
  const issued: Array<Order> = []
  script.set(plate, {
    inspect: () =>
      Effect.succeed({ reference: "CASO-1", holder: "Titular de Prueba", vehicle, renewal: true, versions }),
    plans: () => Effect.succeed({ detail: "Toyota Corolla LE 1.8, 2019", plans: [ofLaw], extras: [tow] }),
    quote: () => Effect.succeed({ reference: "COT-7", total: Amount.make(680_050) }),
    issue: (order) => {
      issued.push(order)
      return Effect.succeed(DispatchAnswer.Delivered({ delivery: { number: "POL-77", validity } }))
    }
  })
  return issued
})

// Masked personal data, as responses show it.
const masked = {
  titular: "T*** d*** P***",
  vehiculo: { marca: "Toyota", modelo: "Corolla", anio: 2019, tipo: "automovil", chasis: "***4521" }
}
const planShown = {
  cd_tipo_plan: "LEY-12",
  nombre: "Ley, un año",
  cobertura: "Lo que la ley exige.",
  vigencia_meses: 12,
  precio: 5950.5
}
const towShown = { codigo: "grua", nombre: "Grúa", precio: 850 }
const nothingYet = {
  plan: null,
  opcionales: null,
  monto_total: null,
  transaction_id: null,
  numero_poliza: null,
  vigencia_desde: null,
  vigencia_hasta: null,
  documentos: null
}

layer(SpreadTestServer, { excludeTestServices: true })("an insurance (contract 4.6)", (it) => {
  describe.each(insuranceForms.map((at) => [at.form, at] as const))("at %s", (_, at) => {
    it.effect("leads from a plate to a policy, and masks the vehicle owner's data", () =>
      Effect.gen(function* () {
        const { auth } = yield* insuranceCompany()
        const placa = plateEnding()
        const issued = yield* knownInsurer(placa)
        const application = { ...applicationFor(placa), telefono: "8095551234", terminal_id: "caja-1" }

        const start = yield* at.start(auth, application)
        const { seguro_id: id, mensaje, ...begun } = start.body.data
        assert.strictEqual(start.status, 201)
        assert.deepStrictEqual(begun, {
          ...masked,
          placa,
          tipo_vehiculo: "automovil",
          tiene_renovacion: true,
          telefono: "809***1234",
          otp_enviado: true,
          otp_expira_en: 600
        })
        assert.match(mensaje, /código/)
        const shown = { seguro_id: id, ...masked, placa }
        const read = Effect.map(at.read(auth, id), ({ body }) => body.data)
        assert.deepStrictEqual(yield* read, { ...shown, estado: "otp_enviado", ...nothingYet })

        const resent = yield* at.resend(auth, id)
        assert.deepStrictEqual([resent.status, resent.body.data], [200, { otp_enviado: true, otp_expira_en: 600 }])
        assert.deepStrictEqual((yield* at.verify(auth, id)).body.data, {
          seguro_id: id,
          marca: "Toyota",
          modelo: "Corolla",
          version_unica: false,
          sugerida: "LE 1.8 & más",
          versiones: [
            { id: "XSE 2.0", nombre: "Corolla XSE 2.0", sugerida: false },
            { id: "LE 1.8 & más", nombre: "Corolla LE 1.8", sugerida: true }
          ]
        })

        const { precio, ...planOffered } = planShown
        assert.deepStrictEqual((yield* at.plans(auth, id, "LE 1.8 & más")).body.data, {
          detalle: "Toyota Corolla LE 1.8, 2019",
          planes: [{ ...planOffered, precio_referencia: precio, sugerido: true }]
        })
        assert.deepStrictEqual((yield* at.choose(auth, id, "LE 1.8 & más")).body.data, {
          plan: planShown,
          servicios_opcionales: [towShown]
        })
        assert.deepStrictEqual((yield* at.quote(auth, id, { incluye_grua: true })).body.data, {
          ...shown,
          service_id: 6,
          opcion_id: `seguro:${id}`,
          monto_total: 6800.5,
          moneda: "DOP",
          valida_minutos: 30,
          opcionales: [towShown]
        })

        const { body, status } = yield* at.sell(auth, id, placa)
        assert.deepStrictEqual(
          [status, body.data.status, body.data.auth_code, body.data.amount, body.data.identifier],
          [201, "SUCCESS", "POL-77", 6800.5, placa]
        )
        assert.deepStrictEqual(
          issued.map(({ reference, xid }) => [reference, xid]),
          [["COT-7", body.data.xid]]
        )
        const documento = (tipo: string) => `/v1/seguros/${id}/documento?tipo=${tipo}`
        assert.deepStrictEqual(yield* read, {
          ...shown,
          estado: "emitida",
          plan: planShown,
          opcionales: [towShown],
          monto_total: 6800.5,
          transaction_id: body.data.transaction_id,
          numero_poliza: "POL-77",
          vigencia_desde: "2026-03-11",
          vigencia_hasta: "2027-03-10",
          documentos: { poliza: documento("poliza"), marbete: documento("marbete") }
        })
        assert.strictEqual((yield* get("/v1/saldo", auth)).body.data.saldo_actual, 50_000 - 6800.5)
      })
    )

    it.effect(
      "is available only to a company with insurance enabled; the response to another company states the reason",
      () =>
        Effect.gen(function* () {
          const [enabled, other] = [
            yield* insuranceCompany(),
            yield* insuranceCompany({ company: { insuranceEnabled: false } })
          ]
          assert.deepStrictEqual((yield* at.available(enabled.auth)).body.data, {
            disponible: true,
            servicios: [{ service_id: 6, nombre: "Seguro Obligatorio de Vehículos" }],
            motivo: null
          })
          const { body, status } = yield* at.available(other.auth)
          assert.deepStrictEqual(
            [status, body.data],
            [200, { disponible: false, servicios: [], motivo: "no_habilitado" }]
          )
        })
    )

    it.effect("treats a plate in lower case and in upper case as the same plate", () =>
      Effect.gen(function* () {
        const { auth } = yield* insuranceCompany()
        const small = plateEnding().toLowerCase()
        const { id, placa } = yield* quoted(auth, small, at)
        const read = yield* at.read(auth, id)
        assert.strictEqual(read.body.data.placa, small.toUpperCase())
        const { body, status } = yield* at.sell(auth, id, placa)
        assert.deepStrictEqual([status, body.data.identifier], [201, small])
      })
    )
  })

  it.effect("has the same steps in the client package, where documents are base64 values or bytes", () =>
    Effect.gen(function* () {
      const { apiKey } = yield* insuranceCompany()
      const { url } = yield* ServiceAddress
      const { documentoPdf, recargas, seguros } = createClient({ url, apiKey, apiSecret: secret })
      const application = applicationFor()
      const issued = Effect.promise(async () => {
        const { seguro_id: id } = await seguros.iniciar.mutate(application)
        const { versiones } = await seguros.verificar.mutate({ id, codigo: rightCode })
        const version = versiones[0]?.id ?? ""
        const { planes } = await seguros.planes.query({ id, version })
        await seguros.elegirPlan.mutate({ id, version, cd_tipo_plan: plan })
        const { opcion_id } = await seguros.cotizar.mutate({ id, incluye_casa_conductor: true })
        const sale = { service_id: 6, identifier: application.placa, opcion_id, idempotency_key: opcion_id }
        const { auth_code } = await recargas.crear.mutate(sale)
        const { numero_poliza } = await seguros.ver.query({ id })
        const file = await seguros.documento.query({ id, tipo: "marbete" })
        return { id, planes, auth_code, numero_poliza, file, bytes: await documentoPdf(id, "marbete") }
      })
      const { auth_code, bytes, file, id, numero_poliza, planes } = yield* issued
      assert.include(
        planes.map(({ cd_tipo_plan }) => cd_tipo_plan),
        plan
      )
      assert.strictEqual(numero_poliza, auth_code)
      assert.strictEqual(file.nombre, `marbete-${id}.pdf`)
      assert.strictEqual(Buffer.from(file.pdf_base64, "base64").subarray(0, 5).toString(), "%PDF-")
      assert.strictEqual(Buffer.from(bytes).toString("base64"), file.pdf_base64)
    })
  )

  it.effect("has a transaction and a receipt like any other sale", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id, placa, total } = yield* quoted(auth)
      const { auth_code, transaction_id } = (yield* spanish.sell(auth, id, placa)).body.data
      for (const path of [`/v1/transacciones/${transaction_id}`, `/v1/transacciones/${transaction_id}/recibo`]) {
        const { body, status } = yield* get(path, auth)
        assert.deepStrictEqual(
          [status, body.data.auth_code, body.data.amount, body.data.identifier],
          [200, auth_code, total, placa]
        )
      }
    })
  )
})
