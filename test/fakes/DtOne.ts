import { Clock, Effect } from "effect"
import {
  type Booking,
  endingOf,
  type FakeProduct,
  type FakeStatement,
  products,
  statusOf,
  transactionJson
} from "./DtOneData.ts"
import {
  DeliveryRecord,
  type FakeReply,
  type FakeRequest,
  fakeServer,
  Misbehaviours,
  type Treatment
} from "./FakeServer.ts"

/** Credentials that the fake accepts. */
export const credentials = { key: "clave-de-prueba", secret: "secreto-de-prueba" }

const authorization = `Basic ${Buffer.from(`${credentials.key}:${credentials.secret}`).toString("base64")}`

const lateBy_ms = 600_000

const errorReply = (status: number, code: number): FakeReply => ({
  status,
  body: { errors: [{ code, message: `Error ${code}` }] }
})

/** Body of a request to create a transaction. */
interface TransactionRequest {
  readonly external_id?: string
  readonly product_id?: number
  readonly auto_confirm?: boolean
  readonly calculation_mode?: string
  readonly destination?: { readonly unit: string; readonly amount: number }
  readonly credit_party_identifier?: { readonly mobile_number?: string; readonly account_number?: string }
  readonly statement_identifier?: object
  readonly mobile_number?: string
  readonly account_number?: string
}

/**
 * A local fake of DT One's sandbox, as far as DT One's public documentation describes it. It uses the clock of the code
 * that starts it, and misbehaves on request. Source: DT One DVS API 1.23.0, public OpenAPI description.
 */
export class FakeDtOne {
  readonly truth = new DeliveryRecord()
  readonly misbehaviours = new Misbehaviours()
  /** Every request in order, with the xid or account that it concerns. */
  readonly requests: Array<FakeRequest & { readonly about: string }> = []
  /** The balances of the account, in DT One's form. */
  balances: ReadonlyArray<object> = [
    { id: 1, unit_type: "CURRENCY", unit: "USD", available: 1234.56789, holding: 10.5, credit_limit: 0 }
  ]
  readonly #bookings = new Map<string, Booking>()
  readonly #patches = new Map<string, object>()
  readonly #scripted = new Map<string, ReadonlyArray<FakeReply>>()
  readonly #bills = new Map<string, ReadonlyArray<FakeStatement>>()
  readonly #waiting = new Set<() => void>()
  readonly #now_ms: () => number

  private constructor(now_ms: () => number) {
    this.#now_ms = now_ms
  }

  /** Starts the fake. It stops with the scope. */
  static readonly start = Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const fake = new FakeDtOne(() => clock.currentTimeMillisUnsafe())
    const url = yield* fakeServer((asked) => fake.#treat(asked))
    return { fake, url }
  })

  /** The xid of every request to create a transaction, including repeated requests. */
  get sent(): ReadonlyArray<string> {
    return this.requests.filter(({ path }) => path === "/v1/async/transactions").map(({ about }) => about)
  }

  /** Answers the next request about a subject with this error, and does not execute the request. */
  failNext(about: string, status: number, ...codes: ReadonlyArray<number>): void {
    this.replyNext(about, { status, body: { errors: codes.map((code) => ({ code, message: `Error ${code}` })) } })
  }

  replyNext(about: string, reply: FakeReply): void {
    this.#scripted.set(about, [...(this.#scripted.get(about) ?? []), reply])
  }

  /** Replaces fields of a transaction in all later responses. */
  overrideFields(xid: string, fields: object): void {
    this.#patches.set(xid, fields)
  }

  /** Sets the final status of a transaction, as an employee of DT One could do by hand. */
  setStatus(xid: string, status: string): void {
    const booking = this.#bookings.get(xid)
    if (booking === undefined) throw new Error(`the fake has no transaction ${xid}`)
    this.#bookings.set(xid, { ...booking, ending: { ...booking.ending, status, delay_ms: 0 } })
    if (status !== "COMPLETED") this.truth.takeBack(xid)
  }

  /** Sets the unpaid bills of an account. */
  setBills(account: string, ...statements: ReadonlyArray<FakeStatement>): void {
    this.#bills.set(account, statements)
  }

  /** Waits until this many requests about a subject have arrived. */
  awaitRequests(about: string, times = 1): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const look = () => {
        if (this.requests.filter((request) => request.about === about).length < times) return
        this.#waiting.delete(look)
        resume(Effect.void)
      }
      this.#waiting.add(look)
      look()
    })
  }

  #treat(asked: FakeRequest): Treatment {
    const body = (asked.body ?? {}) as TransactionRequest
    const about =
      body.external_id ??
      asked.query.get("external_id") ??
      body.account_number ??
      body.mobile_number ??
      asked.query.get("operator_id") ??
      ""
    this.requests.push({ ...asked, about })
    for (const look of this.#waiting) look()
    const misbehaviour = this.misbehaviours.next(about)
    const [scripted, ...rest] = this.#scripted.get(about) ?? []
    this.#scripted.set(about, rest)
    const reply = () => {
      if (asked.headers.authorization !== authorization) return errorReply(401, 1000401)
      return scripted ?? this.#route(asked, body, about, misbehaviour)
    }
    return { misbehaviour, reply }
  }

  #route(
    { method, path, query }: FakeRequest,
    body: TransactionRequest,
    about: string,
    misbehaviour: Treatment["misbehaviour"]
  ): FakeReply {
    switch (`${method} ${path}`) {
      case "POST /v1/async/transactions":
        return this.#create(body, misbehaviour)
      case "GET /v1/transactions":
        return this.#find(about, misbehaviour)
      case "POST /v1/lookup/statement-inquiry":
        return { status: 200, body: this.#bills.get(about) ?? [] }
      case "POST /v1/lookup/mobile-number":
        return /^\+1(809|829|849)\d{7}$/.test(about)
          ? { status: 200, body: [{ id: 50, name: "Caribe Móvil", identified: true }] }
          : errorReply(400, 1005003)
      case "GET /v1/balances":
        return { status: 200, body: this.balances }
      case "GET /v1/products":
        return productPage(query)
      default:
        return errorReply(404, 1000404)
    }
  }

  #create(body: TransactionRequest, misbehaviour: Treatment["misbehaviour"]): FakeReply {
    const booked = this.#book(body, misbehaviour === "late" ? lateBy_ms : null)
    if ("status" in booked) return booked
    if (misbehaviour === "duplicate") return errorReply(400, 1007001)
    // DT One's response to the request that creates a transaction shows the first status, not the final one.
    return { status: 201, body: this.#transactionShown(booked, misbehaviour, { status: statusOf("CONFIRMED") }) }
  }

  #book(body: TransactionRequest, delay_ms: number | null): Booking | FakeReply {
    const { credit_party_identifier: party = {}, external_id: externalId = "", statement_identifier } = body
    const product = products.find(({ id }) => id === body.product_id)
    const number = party.mobile_number ?? party.account_number ?? ""
    if (externalId === "" || externalId.length > 40 || body.auto_confirm !== true) return errorReply(400, 1000400)
    if (this.#bookings.has(externalId)) return errorReply(400, 1007001)
    if (product === undefined) return errorReply(404, 1003001)
    if (party.mobile_number !== undefined && !/^\+[1-9]\d{6,14}$/.test(number)) return errorReply(400, 1005003)
    if (number === "") return errorReply(400, 1000400)
    const faulty = outOfRange(product, body)
    if (faulty !== null) return faulty
    const ending = endingOf(number)
    const booking: Booking = {
      id: 2_400_000_000 + this.#bookings.size,
      externalId,
      product,
      party,
      statement: statement_identifier ?? null,
      amount: body.destination?.amount ?? null,
      createdAt_ms: this.#now_ms(),
      ending: {
        ...ending,
        pin: ending.pin || product.type.includes("PIN"),
        delay_ms: delay_ms ?? ending.delay_ms
      }
    }
    this.#bookings.set(externalId, booking)
    const pesos = booking.amount ?? Number(product.destination.amount)
    if (ending.status === "COMPLETED") this.truth.deliver(externalId, Math.round(pesos * 100))
    return booking
  }

  #find(xid: string, misbehaviour: Treatment["misbehaviour"]): FakeReply {
    const booking = this.#bookings.get(xid)
    if (booking === undefined || misbehaviour === "not found") return { status: 200, body: [] }
    const body = this.#transactionShown(booking, misbehaviour)
    return { status: 200, body: misbehaviour === "duplicate" ? [body, body] : [body] }
  }

  #transactionShown(booking: Booking, misbehaviour: Treatment["misbehaviour"], more: object = {}) {
    const shown = { ...transactionJson(booking, this.#now_ms()), ...more, ...this.#patches.get(booking.externalId) }
    return misbehaviour === "contradiction" ? { ...shown, external_id: "RD-000000000000000000000000" } : shown
  }
}

const outOfRange = ({ destination: { amount: range } }: FakeProduct, body: TransactionRequest): FakeReply | null => {
  if (typeof range === "number") return null
  const { calculation_mode, destination } = body
  if (calculation_mode !== "DESTINATION_AMOUNT" || destination === undefined) return errorReply(400, 1000400)
  if (destination.unit !== "DOP") return errorReply(400, 1003003)
  return destination.amount < range.min || destination.amount > range.max ? errorReply(400, 1003002) : null
}

const productPage = (query: URLSearchParams): FakeReply => {
  const perPage = Number(query.get("per_page") ?? 50)
  const number = Number(query.get("page") ?? 1)
  const all = products.filter(
    ({ operator, type }) => type === query.get("type") && String(operator.id) === query.get("operator_id")
  )
  return {
    status: 200,
    body: all.slice((number - 1) * perPage, number * perPage),
    headers: { "x-total": String(all.length), "x-total-pages": String(Math.ceil(all.length / perPage)) }
  }
}
