import { type Context, DateTime, Duration, Effect, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { TerminalId } from "../../../core/domain/Ids.ts"
import type { Insurance } from "../../../core/domain/Insurance.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { Phone, Plate } from "../../../core/domain/Person.ts"
import { type Order, Verdict } from "../../../core/domain/Sale.ts"
import { Insurances } from "../../../core/ports/Insurances.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { type ClaimedSms, type DeliveryResult, Outbox, type SmsResult } from "../../../core/ports/Outbox.ts"
import { codeToSend, newInsurance, plan, quotedEvent, tow, version } from "../../support/InsuranceExample.ts"
import { insuranceIntent } from "../../support/SalesOnPostgres.ts"
import { type Names, outcomeOf, pick } from "./Comparison.ts"
import type { InsuranceCommand } from "./InsuranceCommands.ts"
import type { VerdictTag } from "./LedgerCommands.ts"

export type Ports = Insurances | Outbox | Ledger

type Begun = Pick<Insurance, "companyId" | "id">
type Message = Pick<ClaimedSms, "companyId" | "insuranceId" | "message">

/** One of the two stores, Postgres or memory, and what the scenario has created in it. */
export interface Side {
  readonly ports: Context.Context<Ports>
  readonly begun: Array<Begun>
  readonly messages: Array<Message>
  readonly orders: Array<Order>
  /** Id of the scenario's first company. */
  readonly company: number
}

const verdicts: { readonly [Tag in VerdictTag]: Verdict } = {
  Confirm: Verdict.Confirm({
    delivery: { authCode: "P-1", rechargeToken: null, validity: { from: "2026-03-04", until: "2027-03-03" } }
  }),
  Release: Verdict.Release({ refusal: "SEGURO_NO_EMITIDO" }),
  Free: Verdict.Free(),
  Hold: Verdict.Hold()
}

const results = (now: DateTime.Utc): { readonly [Tag in SmsResult["_tag"]]: SmsResult } => ({
  Sent: { _tag: "Sent", reference: "SM1", askAt: DateTime.add(now, { seconds: 5 }) },
  Later: { _tag: "Later", at: DateTime.add(now, { seconds: 5 }), reason: "busy" },
  Failed: { _tag: "Failed", reason: "no such phone" },
  Unknown: { _tag: "Unknown", reason: "no answer" }
})

const deliveries = (now: DateTime.Utc): { readonly [Tag in DeliveryResult["_tag"]]: DeliveryResult } => ({
  Delivered: { _tag: "Delivered" },
  Failed: { _tag: "Failed", reason: "twilio_30003" },
  Open: { _tag: "Open", askAt: DateTime.add(now, { seconds: 5 }) }
})

const record = Effect.fnUntraced(function* (message: Message, result: SmsResult["_tag"]) {
  const now = yield* DateTime.now
  yield* Outbox.use((outbox) => outbox.record(message, results(now)[result], now))
})

/** The phone of all insurances in this scenario. Other scenarios have other phones. */
const phoneOf = ({ company }: Side): Phone => Phone.make(`809${String(company).padStart(7, "0")}`)

const begin = Effect.fnUntraced(function* (side: Side, command: InsuranceCommand & { readonly do: "begin" }) {
  const insurances = yield* Insurances
  const insurance = yield* newInsurance(side.company + command.company, {
    environment: command.environment,
    plate: Plate.make(command.plate),
    terminalId: command.terminal === null ? null : TerminalId.make(command.terminal)
  })
  const first = yield* codeToSend(`message ${side.messages.length}`, phoneOf(side))
  const id = yield* insurances.nextId(insurance.companyId)
  const begun = yield* Effect.result(insurances.create(id, insurance, first))
  if (Result.isSuccess(begun)) {
    side.begun.push({ companyId: insurance.companyId, id })
    side.messages.push({ companyId: insurance.companyId, insuranceId: id, message: first.sms.message })
  }
  return outcomeOf(begun)
})

const resend = Effect.fnUntraced(function* (side: Side, { companyId, id }: Begun) {
  const next = yield* codeToSend(`message ${side.messages.length}`, phoneOf(side))
  const resent = yield* Effect.result(Insurances.use((insurances) => insurances.resend(companyId, id, next)))
  if (Result.isSuccess(resent)) side.messages.push({ companyId, insuranceId: id, message: next.sms.message })
  return outcomeOf(resent)
})

const sell = Effect.fnUntraced(function* (
  side: Side,
  { companyId, id }: Begun,
  command: InsuranceCommand & { readonly do: "sell" }
) {
  const found = Option.getOrThrow(yield* Insurances.use((insurances) => insurances.find(companyId, id)))
  const intent = insuranceIntent(found, command.key)
  // 99.99 pesos is below every quote.
  const amount = command.as === "quoted" ? intent.amount : Amount.make(9_999)
  const wanted = {
    ...intent,
    amount,
    fingerprint: (0x1000 + side.begun.findIndex((each) => each.id === id)).toString(16)
  }
  const reserved = yield* Effect.result(Ledger.use((ledger) => ledger.reserve(wanted)))
  if (Result.isSuccess(reserved) && reserved.success._tag === "Reservation") side.orders.push(reserved.success.order)
  return outcomeOf(reserved)
})

/** The event that a command stores in the insurance. */
const nextStep = Effect.fnUntraced(function* (
  command: InsuranceCommand & { readonly do: "verify" | "choose" | "quote" }
) {
  switch (command.do) {
    case "verify":
      return { event: "code_verified" } as const
    case "choose": {
      const named = { version: { ...version, id: command.version }, plan: { ...plan, code: command.plan } }
      return { event: "plan_chosen", ...named, extras: [tow] } as const
    }
    case "quote":
      return { ...(yield* quotedEvent(command.centavos)), version: command.version, plan: command.plan }
  }
})

const send = Effect.fnUntraced(function* (command: InsuranceCommand & { readonly do: "send" }) {
  const now = yield* DateTime.now
  const { lease_s, limit, result } = command
  const claimed = yield* Outbox.use((outbox) => outbox.claim({ now, lease: Duration.seconds(lease_s), limit }))
  if (result !== null) yield* Effect.forEach(claimed, (sms) => record(sms, result), { discard: true })
  // The order of SMS that are due at the same time is not defined. With limit 1, only their number is comparable.
  return limit === 1
    ? claimed.length
    : claimed.toSorted((left, right) => (left.message.text < right.message.text ? -1 : 1))
})

const trace = Effect.fnUntraced(function* (command: InsuranceCommand & { readonly do: "trace" }) {
  const now = yield* DateTime.now
  const { lease_s, limit, result } = command
  const outbox = yield* Outbox
  const claimed = yield* outbox.claimTraced({ now, lease: Duration.seconds(lease_s), limit })
  if (result !== null)
    yield* Effect.forEach(claimed, (sms) => outbox.recordDelivery(sms, deliveries(now)[result]), { discard: true })
  return limit === 1 ? claimed.length : claimed.toSorted((left, right) => (left.id < right.id ? -1 : 1))
})

const answer = Effect.fnUntraced(function* (side: Side, command: InsuranceCommand) {
  const insurances = yield* Insurances
  switch (command.do) {
    case "wait":
      return yield* TestClock.adjust(command.for_ms)
    case "begin":
      return yield* begin(side, command)
    case "send":
      return yield* send(command)
    case "trace":
      return yield* trace(command)
    case "record": {
      const message = pick(side.messages, command.which)
      return message === undefined ? null : yield* record(message, command.result)
    }
    case "issue": {
      const order = pick(side.orders, command.which)
      return order === undefined ? null : yield* insurances.beginIssue(order)
    }
    case "settle": {
      const order = pick(side.orders, command.which)
      if (order === undefined) return null
      const settlement = { order, verdict: verdicts[command.verdict], at: yield* DateTime.now, notFound: 0 }
      return yield* Ledger.use((ledger) => ledger.settle(settlement))
    }
  }
  const insurance = pick(side.begun, command.which)
  if (insurance === undefined) return null
  const { companyId, id } = insurance
  switch (command.do) {
    case "resend":
      return yield* resend(side, insurance)
    case "attempt":
      return outcomeOf(yield* Effect.result(insurances.attempt(companyId, id)))
    case "sell":
      return yield* sell(side, insurance, command)
    default: {
      const step = yield* nextStep(command)
      return outcomeOf(yield* Effect.result(insurances.advance(companyId, id, step)))
    }
  }
})

/** All insurances and all undelivered SMS of the scenario. */
const view = Effect.fnUntraced(function* ({ begun, company }: Side) {
  const insurances = yield* Insurances
  const undelivered = yield* Outbox.use((outbox) => outbox.undelivered(10_000))
  return {
    insurances: yield* Effect.forEach(begun, ({ companyId, id }) => insurances.find(companyId, id)),
    undelivered: undelivered.filter(({ companyId }) => companyId >= company)
  }
})

/** Replaces the id of an insurance, a sale or an SMS by its number in the scenario. */
const namesOf = ({ begun, messages, orders }: Side): Names => ({
  idOf: (field, object, value) => {
    if (field === "transactionId" && value !== null)
      return `sale ${orders.findIndex(({ transactionId }) => transactionId === value)}`
    if (field === "insuranceId" || (field === "id" && "insured" in object))
      return `insurance ${begun.findIndex(({ id }) => id === value)}`
    return
  },
  textOf: (text) => {
    const number = messages.findIndex(({ message }) => text.endsWith(message.id))
    return number === -1 ? text : `message ${number}`
  }
})

/** How to compare the insurance store in Postgres with the store in memory. */
export const insuranceStores = { answer, namesOf, view }
