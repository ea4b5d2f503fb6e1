import { createHash } from "node:crypto"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { zero } from "../../../core/domain/Money.ts"
import { misbehaviours } from "../../fakes/FakeServer.ts"
import type { ApiResponse } from "../../support/ApiDocument.ts"
import { consult, post, sell } from "../../support/service/HttpCalls.ts"
import { type Headers, insuranceCompany, plan, spanish } from "../../support/service/InsuranceCalls.ts"
import { anotherServer } from "../../support/service/TestServer.ts"
import { unusedAddress } from "./Gateways.ts"
import { ExternalFakes, insurable, lastCode, played } from "./Production.ts"
import type { RandomFaults } from "./RandomFaults.ts"

/** The products that the buyer buys in turn. */
const products = [
  "topUp",
  "electricity",
  "credit",
  "package",
  "loan",
  "bill",
  "topUp",
  "credit",
  "topUp",
  "insurance"
] as const

/** The body of a sale, or null when the steps before the sale failed. */
type Body = object | null

/** Runs a step up to five times until it succeeds; null if all five tries fail. */
const repeatStep = Effect.fnUntraced(function* <E, R>(step: Effect.Effect<ApiResponse, E, R>) {
  for (let time = 0; time < 5; time++) {
    const answer = yield* step
    if (answer.status < 300) return answer.body.data
  }
  return null
})

/** A sale of the first option that a lookup finds; null if it finds none. */
const firstOption = Effect.fnUntraced(function* (auth: Headers, service_id: number, identifier: string) {
  const { provider } = yield* ExternalFakes
  provider.offer(identifier)
  const found = yield* repeatStep(consult(service_id, identifier, auth))
  const opcion_id = found?.opciones[0]?.opcion_id
  return opcion_id === undefined ? null : { service_id, identifier, opcion_id }
})

const verified = Effect.fnUntraced(function* (auth: Headers, id: number, phone: string) {
  for (let time = 0; time < 4; time++) {
    const code = yield* lastCode(phone)
    if (code !== undefined && (yield* spanish.verify(auth, id, code)).status === 200) return true
    yield* spanish.resend(auth, id)
  }
  return false
})

/** A sale of an insurance, after all steps from the plate to the quote; null if a step fails. */
const quoted = Effect.fnUntraced(function* (auth: Headers) {
  const application = yield* insurable
  const begun = yield* repeatStep(spanish.start(auth, application))
  if (begun === null) return null
  const { seguro_id: id } = begun
  if (!(yield* verified(auth, id, application.telefono))) return null
  if ((yield* repeatStep(spanish.choose(auth, id, "LE", plan))) === null) return null
  if ((yield* repeatStep(spanish.quote(auth, id))) === null) return null
  return { service_id: application.service_id, identifier: application.placa, opcion_id: `seguro:${id}` }
})

/** A company that buys every product, sometimes through a server that cannot reach the external services. */
export const makeBuyer = Effect.fnUntraced(function* (chaos: RandomFaults, dispatchTimeout_ms: number) {
  const { provider, variables } = yield* ExternalFakes
  const { chance } = chaos
  const unlimited = { daily: zero, weekly: zero, monthly: zero }
  const wanted = { company: { environment: "production" }, token: { realLookups: true } } as const
  const { auth, companyId } = yield* insuranceCompany({ ...wanted, limits: unlimited, money: 2_000_000 })
  const unreachable = Object.entries(variables).map(([name, value]) => [
    name,
    /_URL$/.test(name) ? unusedAddress : value
  ])
  const cutOff = yield* anotherServer(Object.fromEntries(unreachable), played)
  const bodies = new Map<number, Body>()
  /** The ids of the sales to be reversed. */
  const toReverse: Array<number> = []

  const nameOf = (key: string) => createHash("sha256").update(`${companyId}:${key}`).digest("hex").slice(0, 24)
  const keyOf = (number: number) => `venta-${number}`
  const xidOf = (number: number) => `RD-${nameOf(keyOf(number))}`

  const phoneOf = (number: number) => {
    const sandboxed = `${chance.pick([1, 2, 3], number, "delay")}0${chance.pick([0, 1, 2, 5, 7], number, "end")}`
    return `8095${String(number).padStart(3, "0")}${chance.of(number, "sandboxed") < 0.3 ? sandboxed : "999"}`
  }

  const bodyOf = (
    number: number
  ): Effect.Effect<Body, never, ExternalFakes | Effect.Services<ReturnType<typeof quoted>>> => {
    const amount = 50 + Math.floor(chance.of(number, "amount") * 40_000) / 100
    const account = `CUENTA-${number}`
    switch (products[number % products.length]) {
      case "electricity":
        return Effect.succeed({ service_id: 4, identifier: account, amount: amount + 50 })
      case "credit":
        return Effect.succeed({ service_id: 7, identifier: account, amount })
      case "loan":
        return Effect.succeed({ service_id: 8, identifier: account, amount })
      case "package":
        return firstOption(auth, 3, phoneOf(number))
      case "bill":
        return firstOption(auth, 5, account)
      case "insurance":
        return quoted(auth)
      default:
        return Effect.succeed({ service_id: 1, identifier: phoneOf(number), amount })
    }
  }

  /** Sends a sale again and checks that the response is the stored response of the first call. */
  const checkReplay = Effect.fnUntraced(function* (number: number, body: object, first: ApiResponse) {
    const again = yield* sell(body, { ...auth, "idempotency-key": keyOf(number) })
    assert.deepStrictEqual([again.status, again.headers.get("idempotent-replay")], [201, "true"])
    assert.deepStrictEqual(again.body.data, first.body.data)
  })

  const reverseSale = Effect.fnUntraced(function* (number: number, id: number) {
    chaos.settled(xidOf(number))
    provider.changeStatus(xidOf(number))
    toReverse.push(id)
    const key = `anula-${number}`
    yield* post(`/v1/transacciones/${id}/anular`, undefined, { ...auth, "idempotency-key": key })
  })

  /**
   * Sends the sale once. Returns false if the sale failed because a service was unavailable, and must be retried with the
   * same key. 30 % of these sales are not retried: for them the result is true.
   */
  const attempt = Effect.fnUntraced(function* (number: number, body: object, time: number) {
    const sale = sell(body, { ...auth, "idempotency-key": keyOf(number) })
    const answer = yield* chance.of(number, time, "cut off") < 0.1 ? cutOff(sale) : sale
    if (answer.status === 201) {
      if (chance.of(number, "repeated") < 0.2) yield* checkReplay(number, body, answer)
      const { service, transaction_id } = answer.body.data
      if (service.id === 7 && chance.of(number, "regret") < 0.6) yield* reverseSale(number, transaction_id)
    }
    const unavailable = ["SERVICE_UNAVAILABLE", "SEGUROS_NO_DISPONIBLE"].includes(answer.body.error?.code)
    return !unavailable || chance.of(number, "patience") < 0.3
  })

  /** Begins or continues a sale. Returns whether it is finished. */
  const buy = Effect.fnUntraced(function* (number: number, time: number) {
    const xid = xidOf(number)
    if (time === 0) {
      const misbehaves = chance.of(number, "misbehaves") < 0.5
      const misbehaviour = misbehaves ? (misbehaviours[number % misbehaviours.length] ?? null) : null
      chaos.expect(
        xid,
        misbehaviour,
        products[number % products.length] === "insurance" ? undefined : dispatchTimeout_ms
      )
      if (chance.of(number, "refused") < 0.08) provider.refuse(xid)
      bodies.set(number, yield* bodyOf(number))
    }
    const body = bodies.get(number) ?? null
    const over = body === null || (yield* attempt(number, body, time))
    if (over) chaos.settled(xid)
    return over
  })

  return { auth, companyId, xidOf, buy, toReverse }
})
