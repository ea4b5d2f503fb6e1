import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { formatLocal } from "../../../core/domain/LocalTime.ts"
import { PanoramaReads } from "../../../core/ports/PanoramaReads.ts"
import { Panoramas } from "../../../core/workflows/ReadPanorama.ts"
import { panoramaView } from "../../../facade/api/PanoramaView.ts"
import { addCompany, at, PanoramaDatabase, type Sale, sell } from "./PanoramaData.ts"

// The local day of 10 March 2026 lasts from 04:00 UTC to 04:00 UTC.
const march10 = { since: at("2026-03-10T04:00:00Z"), until: at("2026-03-11T04:00:00Z") }

layer(PanoramaDatabase)("the sales of a day", (it) => {
  it.effect("are grouped by local hour and service, without other days and environments", () =>
    Effect.gen(function* () {
      yield* sell([
        ["2026-03-10T03:59:59.999Z", "SUCCESS", 1, 1],
        ["2026-03-10T04:00:00Z", "SUCCESS", 1, 1_000],
        ["2026-03-10T04:59:59.999Z", "SUCCESS", 1, 2_000],
        ["2026-03-10T04:30:00Z", "SUCCESS", 2, 500],
        ["2026-03-10T05:00:00Z", "FAILED", 1, 700],
        ["2026-03-10T05:10:00Z", "REVERSED", 1, 900],
        ["2026-03-10T05:20:00Z", "PENDING", 1, 800],
        ["2026-03-10T05:20:00Z", "PROCESSING", 1, 800],
        ["2026-03-11T03:59:59.999Z", "SUCCESS", 1, 300],
        ["2026-03-11T04:00:00Z", "SUCCESS", 1, 1]
      ])
      yield* sell([["2026-03-10T05:00:00Z", "SUCCESS", 1, 60]], "development")
      const { sales } = yield* PanoramaReads
      const none = { sold: 0, amount: 0, failed: 0, reversed: 0, unresolved: 0 }
      const [service1, service2] = [1, 2].map((id) => ({ id, name: `Servicio ${id}` }))
      assert.deepStrictEqual<unknown>(yield* sales("production", march10), [
        { ...none, hour: 0, service: service1, sold: 2, amount: 3_000 },
        { ...none, hour: 0, service: service2, sold: 1, amount: 500 },
        { ...none, hour: 1, service: service1, failed: 1, reversed: 1, unresolved: 2 },
        { ...none, hour: 23, service: service1, sold: 1, amount: 300 }
      ])
      assert.deepStrictEqual<unknown>(yield* sales("development", march10), [
        { ...none, hour: 1, service: service1, sold: 1, amount: 60 }
      ])
      assert.deepStrictEqual(
        yield* sales("production", { since: at("2026-03-20T04:00:00Z"), until: at("2026-03-21T04:00:00Z") }),
        []
      )
    })
  )
})

layer(PanoramaDatabase)("the results of suppliers", (it) => {
  it.effect("count settled sales and their durations, for each supplier and each of its services", () =>
    Effect.gen(function* () {
      // Service 1: 20 sales of 1 to 20 s, the last one failed. Service 2: one sale of 60 s, reversed later.
      yield* sell(
        Array.from({ length: 20 }, (_, n): Sale => {
          return ["2026-03-10T15:00:00Z", n === 19 ? "FAILED" : "SUCCESS", 1, 100, n + 1]
        })
      )
      yield* sell([
        ["2026-03-10T15:00:00Z", "REVERSED", 2, 100, 60],
        ["2026-03-10T15:00:00Z", "PENDING", 2, 100],
        ["2026-03-11T15:00:00Z", "FAILED", 2, 100]
      ])
      yield* sell([["2026-03-10T15:00:00Z", "SUCCESS", 3, 100, 0.25]], "production", "insurance")
      const { suppliers } = yield* PanoramaReads
      const service = (id: number) => ({ id, name: `Servicio ${id}` })
      assert.deepStrictEqual<unknown>(yield* suppliers("production", march10), [
        { supplier: "provider", service: null, delivered: 20, failed: 1, median_ms: 11_000, p95_ms: 20_000 },
        { supplier: "provider", service: service(1), delivered: 19, failed: 1, median_ms: 10_000, p95_ms: 19_000 },
        { supplier: "provider", service: service(2), delivered: 1, failed: 0, median_ms: 60_000, p95_ms: 60_000 },
        { supplier: "insurer", service: null, delivered: 1, failed: 0, median_ms: 250, p95_ms: 250 },
        { supplier: "insurer", service: service(3), delivered: 1, failed: 0, median_ms: 250, p95_ms: 250 }
      ])
      assert.deepStrictEqual(yield* suppliers("development", march10), [])
    })
  )
})

// The panorama is the first page of the console. This page compares the sales of today with the sales of a week before.
layer(PanoramaDatabase)("the panorama", (it) => {
  it.effect("compares today with the same weekday a week before, until the same time", () =>
    Effect.gen(function* () {
      yield* addCompany("Tienda", "production")
      yield* sell([
        // 3 March, the same weekday: before, at and after 12:30 local time, and the last hour of the day before.
        ["2026-03-03T03:59:59Z", "SUCCESS", 1, 1],
        ["2026-03-03T10:00:00Z", "SUCCESS", 1, 1_000],
        ["2026-03-03T16:29:59.999Z", "SUCCESS", 1, 2_000],
        ["2026-03-03T16:30:00Z", "SUCCESS", 1, 4_000],
        ["2026-03-03T22:00:00Z", "SUCCESS", 2, 8_000],
        // 10 March.
        ["2026-03-10T03:59:59Z", "SUCCESS", 1, 1],
        ["2026-03-10T04:00:00Z", "SUCCESS", 2, 300],
        ["2026-03-10T16:29:00Z", "SUCCESS", 1, 200],
        ["2026-03-10T16:29:30Z", "PENDING", 1, 700]
      ])
      yield* TestClock.setTime(DateTime.toEpochMillis(at("2026-03-10T16:30:00Z")))
      const view = panoramaView(yield* (yield* Panoramas).read(undefined), formatLocal)
      assert.strictEqual(view.ambiente, "production")
      assert.strictEqual(view.fecha, "2026-03-10 12:30:00")
      const none = { ventas: 0, monto: 0, fallidas: 0, anuladas: 0, sin_resolver: 0 }
      assert.strictEqual(view.hoy.dia, "2026-03-10")
      assert.deepStrictEqual(view.hoy.total, { ...none, ventas: 2, monto: 5, sin_resolver: 1 })
      assert.strictEqual(view.hace_una_semana.dia, "2026-03-03")
      assert.deepStrictEqual(view.hace_una_semana.total, { ...none, ventas: 4, monto: 150 })
      assert.deepStrictEqual(view.hace_una_semana_hasta_esta_hora, { ...none, ventas: 2, monto: 30 })
      assert.deepStrictEqual(
        view.hoy.horas.flatMap(({ hora, monto }) => (monto === 0 ? [] : [[hora, monto]])),
        [
          [0, 3],
          [12, 2]
        ]
      )
      assert.deepStrictEqual(
        view.servicios.map(({ hace_una_semana, hoy, servicio }) => [servicio, hoy.monto, hace_una_semana.monto]),
        [
          ["Servicio 2", 3, 0],
          ["Servicio 1", 2, 30]
        ]
      )
      assert.strictEqual(view.retenido.total, 7)
      assert.deepStrictEqual(view.suplidores.ultima_hora[0]?.exito, 1)
    }).pipe(Effect.provide(Layer.provideMerge(Panoramas.layer, TestClock.layer())))
  )
})
