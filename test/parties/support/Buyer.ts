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

/** What is bought, in turn. */
const wares = [
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

/** What a sale asks for, or null if it did not come so far. */
type Body = object | null

/** Asks again while somebody outside does not answer; null if it never does. */
const persist = Effect.fnUntraced(function* <E, R>(step: Effect.Effect<ApiResponse, E, R>) {
  for (let time = 0; time < 5; time++) {
    const answer = yield* step
    if (answer.status < 300) return answer.body.data
  }
  return null
})

/** Looks up what there is, and wants the first of it. */
const chosen = Effect.fnUntraced(function* (auth: Headers, service_id: number, identifier: string) {
  const { provider } = yield* ExternalFakes
  provider.offer(identifier)
  const found = yield* persist(consult(service_id, identifier, auth))
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

/** Goes all the way from a plate to a quote. */
const quoted = Effect.fnUntraced(function* (auth: Headers) {
  const application = yield* insurable
  const begun = yield* persist(spanish.start(auth, application))
  if (begun === null) return null
  const { seguro_id: id } = begun
  if (!(yield* verified(auth, id, application.telefono))) return null
  if ((yield* persist(spanish.choose(auth, id, "LE", plan))) === null) return null
  if ((yield* persist(spanish.quote(auth, id))) === null) return null
  return { service_id: application.service_id, identifier: application.placa, opcion_id: `seguro:${id}` }
})

/** A company that buys everything there is, from a service that is not always well connected. */
export const makeBuyer = Effect.fnUntraced(function* (chaos: RandomFaults, dispatchPatience_ms: number) {
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
  /** The sales that were to be taken back. */
  const regretted: Array<number> = []

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
    switch (wares[number % wares.length]) {
      case "electricity":
        return Effect.succeed({ service_id: 4, identifier: account, amount: amount + 50 })
      case "credit":
        return Effect.succeed({ service_id: 7, identifier: account, amount })
      case "loan":
        return Effect.succeed({ service_id: 8, identifier: account, amount })
      case "package":
        return chosen(auth, 3, phoneOf(number))
      case "bill":
        return chosen(auth, 5, account)
      case "insurance":
        return quoted(auth)
      default:
        return Effect.succeed({ service_id: 1, identifier: phoneOf(number), amount })
    }
  }

  /** A seller that repeats itself hears the same. */
  const repeated = Effect.fnUntraced(function* (number: number, body: object, first: ApiResponse) {
    const again = yield* sell(body, { ...auth, "idempotency-key": keyOf(number) })
    assert.deepStrictEqual([again.status, again.headers.get("idempotent-replay")], [201, "true"])
    assert.deepStrictEqual(again.body.data, first.body.data)
  })

  const regret = Effect.fnUntraced(function* (number: number, id: number) {
    chaos.settled(xidOf(number))
    provider.takeBack(xidOf(number))
    regretted.push(id)
    const key = `anula-${number}`
    yield* post(`/v1/transacciones/${id}/anular`, undefined, { ...auth, "idempotency-key": key })
  })

  /** Sells once; false if it came to nothing, and the seller will try again with the same key. Some do not. */
  const attempt = Effect.fnUntraced(function* (number: number, body: object, time: number) {
    const sale = sell(body, { ...auth, "idempotency-key": keyOf(number) })
    const answer = yield* chance.of(number, time, "cut off") < 0.1 ? cutOff(sale) : sale
    if (answer.status === 201) {
      if (chance.of(number, "repeated") < 0.2) yield* repeated(number, body, answer)
      const { service, transaction_id } = answer.body.data
      if (service.id === 7 && chance.of(number, "regret") < 0.6) yield* regret(number, transaction_id)
    }
    const unavailable = ["SERVICE_UNAVAILABLE", "SEGUROS_NO_DISPONIBLE"].includes(answer.body.error?.code)
    return !unavailable || chance.of(number, "patience") < 0.3
  })

  /** Begins a sale, or goes on with it; says whether it is over. */
  const buy = Effect.fnUntraced(function* (number: number, time: number) {
    const xid = xidOf(number)
    if (time === 0) {
      const misbehaves = chance.of(number, "misbehaves") < 0.5
      const misbehaviour = misbehaves ? (misbehaviours[number % misbehaviours.length] ?? null) : null
      chaos.expect(xid, misbehaviour, wares[number % wares.length] === "insurance" ? undefined : dispatchPatience_ms)
      if (chance.of(number, "refused") < 0.08) provider.refuse(xid)
      bodies.set(number, yield* bodyOf(number))
    }
    const body = bodies.get(number) ?? null
    const over = body === null || (yield* attempt(number, body, time))
    if (over) chaos.settled(xid)
    return over
  })

  return { auth, companyId, xidOf, buy, regretted }
})
