import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as HttpInsurer from "../../adapters/insurer/HttpInsurer.ts"
import {
  InsuranceRejected,
  InsuranceUnavailable,
  PolicyActive,
  VehicleUnsupported
} from "../../core/domain/InsuranceErrors.ts"
import { Amount } from "../../core/domain/Money.ts"
import { Cedula, Phone, Plate } from "../../core/domain/Person.ts"
import type { Insurer } from "../../core/ports/Insurer.ts"
import {
  foundVehicle,
  gatewayAt,
  isSilent,
  Outside,
  secret,
  startInsurer,
  unusedAddress,
  withLogLines
} from "./support/Gateways.ts"

const plate = Plate.make("A123456")
const owner = { cedula: Cedula.make("00112345678"), phone: Phone.make("8095551234"), plate, product: "ley" }
const ofCase = { reference: "C-1", plate, version: "LE 1.8" }
const wanted = { ...ofCase, plan: "LEY-12", extras: ["grua"] as const }

const version = { id: "LE 1.8", name: "Corolla LE 1.8", suggested: true }
const found = foundVehicle("C-1", version)
const plan = { code: "LEY-12", name: "Ley", coverage: "La ley.", months: 12, price_centavos: 595_050, suggested: true }
const extra = { code: "grua", name: "Grúa", price_centavos: 85_000 }
const offered = { outcome: "offered", detail: "Toyota Corolla, 2018", plans: [plan], extras: [extra] }
const quoted = { outcome: "quoted", quote: "Q-1", total_centavos: 680_050 }

const inspecting = { path: "/v1/inspections", ask: (insurer: Insurer) => insurer.inspect(owner) }
const planning = { path: "/v1/plans", ask: (insurer: Insurer) => insurer.plans(ofCase) }
const quoting = { path: "/v1/quotes", ask: (insurer: Insurer) => insurer.quote(wanted) }

const no = { outcome: "rejected", reason: "La cédula no es la del dueño." }
const rejected = new InsuranceRejected({ reason: "La cédula no es la del dueño." })
const unavailable = new InsuranceUnavailable()

layer(Outside)("a step before the sale of a policy", (it) => {
  it.effect("returns the vehicle, the plans and the quote of the insurer", () =>
    Effect.gen(function* () {
      const { gateway, insurer } = yield* startInsurer
      gateway.steps.set(`/v1/inspections ${plate}`, found)
      gateway.steps.set(`/v1/plans ${plate}`, offered)
      gateway.steps.set(`/v1/quotes ${plate}`, quoted)
      const { outcome: _, ...inspected } = found
      assert.deepStrictEqual(yield* insurer.inspect(owner), inspected as never)
      const { price_centavos: price, ...ofPlan } = plan
      const { price_centavos: priceOfExtra, ...ofExtra } = extra
      assert.deepStrictEqual((yield* insurer.plans(ofCase)) as object, {
        detail: "Toyota Corolla, 2018",
        plans: [{ ...ofPlan, price }],
        extras: [{ ...ofExtra, price: priceOfExtra }]
      })
      assert.deepStrictEqual(yield* insurer.quote(wanted), { reference: "Q-1", total: Amount.make(680_050) })
      assert.deepStrictEqual(
        gateway.requests.map(({ body }) => body),
        [owner, ofCase, wanted]
      )
    })
  )

  it.effect.each([
    ["the owner is not accepted", inspecting, no, rejected],
    ["the vehicle cannot be insured", inspecting, { outcome: "vehicle_unsupported" }, new VehicleUnsupported()],
    ["the version is not accepted", planning, no, rejected],
    ["the plan is not accepted", quoting, no, rejected],
    [
      "the plan is not accepted, for a reason with hidden characters",
      quoting,
      { ...no, reason: `\u202e${no.reason}\u200b` },
      rejected
    ],
    [
      "the vehicle already has a policy",
      quoting,
      { outcome: "policy_active", renewable_from: "2026-12-01" },
      new PolicyActive({ renewableFrom: "2026-12-01" })
    ]
  ] as const)("ends with a specific error because %s", ([, { ask, path }, answer, error]) =>
    Effect.gen(function* () {
      const { gateway, insurer } = yield* startInsurer
      gateway.steps.set(`${path} ${plate}`, answer)
      assert.deepStrictEqual((yield* Effect.flip(ask(insurer) as Effect.Effect<unknown, unknown>)) as object, error)
    })
  )

  it.effect.each([
    ["an owner without a name", inspecting, { ...found, holder: "" }],
    ["an unknown vehicle type", inspecting, { ...found, vehicle: { ...found.vehicle, type: "bote" } }],
    ["a hidden character in the id of a version", inspecting, { ...found, versions: [{ ...version, id: "L\u200bE" }] }],
    ["a hidden character in the code of a plan", planning, { ...offered, plans: [{ ...plan, code: "LEY\u200e" }] }],
    ["a hidden character in the quote", quoting, { ...quoted, quote: "\ufeffQ-1" }],
    ["no version", inspecting, { ...found, versions: [] }],
    ["two versions with one id", inspecting, { ...found, versions: [version, { ...version, name: "XLE" }] }],
    ["the outcome of another step", inspecting, quoted],
    ["two plans with one code", planning, { ...offered, plans: [plan, { ...plan, price_centavos: 1 }] }],
    ["a plan without a price", planning, { ...offered, plans: [{ ...plan, price_centavos: 0 }] }],
    ["a plan of zero months", planning, { ...offered, plans: [{ ...plan, months: 0 }] }],
    ["an unknown extra", planning, { ...offered, extras: [{ ...extra, code: "avion" }] }],
    ["a price with a fraction of a centavo", quoting, { ...quoted, total_centavos: 6_800.5 }],
    ["a quote without a reference", quoting, { ...quoted, quote: undefined }],
    ["an impossible date", quoting, { outcome: "policy_active", renewable_from: "2026-02-30" }]
  ] as const)("is unavailable and logs an error when the response has %s", ([, { ask }, body]) =>
    Effect.gen(function* () {
      const { gateway, insurer } = yield* startInsurer
      gateway.replyNext(plate, { status: 200, body })
      const asking = Effect.flip(ask(insurer) as Effect.Effect<unknown, unknown>)
      const { answer, lines } = yield* withLogLines(asking)
      assert.deepStrictEqual(answer as object, unavailable)
      assert.deepStrictEqual(
        lines.map(({ level }) => level),
        ["Error"]
      )
      for (const hidden of [owner.cedula, owner.phone, secret, "Ana"]) {
        assert.notInclude(JSON.stringify(lines), hidden)
      }
    })
  )

  it.effect.each(
    [inspecting, planning, quoting].flatMap((step) =>
      (["cut before", "cut midway", "broken before", "garbage"] as const).map(
        (misbehaviour) => [misbehaviour, step] as const
      )
    )
  )("is unavailable under the fault %s", ([misbehaviour, { ask }]) =>
    Effect.gen(function* () {
      const { gateway, insurer } = yield* startInsurer
      gateway.misbehaviours.plan(plate, misbehaviour)
      const asking = ask(insurer) as Effect.Effect<unknown, unknown>
      assert.deepStrictEqual((yield* Effect.flip(asking)) as object, unavailable)
    })
  )

  it.effect("is unavailable when the insurer cannot be reached, and waits when the insurer is silent", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* Effect.flip((yield* HttpInsurer.make(gatewayAt(unusedAddress))).inspect(owner)),
        unavailable
      )
      const { gateway, insurer } = yield* startInsurer
      gateway.misbehaviours.plan(plate, "silent before")
      assert.isTrue(yield* isSilent(insurer.quote(wanted), gateway.arrivals.reach(1)))
    })
  )
})
