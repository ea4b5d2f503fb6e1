import { type Context, DateTime, Duration, Effect, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { TerminalId } from "../../../core/domain/Ids.ts"
import type { Insurance } from "../../../core/domain/Insurance.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { Plate } from "../../../core/domain/Person.ts"
import { type Order, Verdict } from "../../../core/domain/Sale.ts"
import { Insurances } from "../../../core/ports/Insurances.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { type ClaimedSms, Outbox, type SmsResult } from "../../../core/ports/Outbox.ts"
import { codeToSend, newInsurance, plan, quotedEvent, tow, version } from "../../support/InsuranceExample.ts"
import { insuranceIntent } from "../../support/SalesOnPostgres.ts"
import type { InsuranceCommand } from "./InsuranceCommands.ts"
import type { VerdictTag } from "./LedgerCommands.ts"

export type Ports = Insurances | Outbox | Ledger

type Begun = Pick<Insurance, "companyId" | "id">
type Message = Pick<ClaimedSms, "companyId" | "insuranceId" | "message">

/** Insurances in Postgres or in memory, and what has begun there in this life. */
export interface Side {
  readonly ports: Context.Context<Ports>
  readonly begun: Array<Begun>
  readonly messages: Array<Message>
  readonly orders: Array<Order>
  /** The first company of this life. */
  readonly company: number
}

/** What a command counts from the first, over and over. */
const nth = <A>(all: ReadonlyArray<A>, which: number): A | undefined => all[which % Math.max(all.length, 1)]

const told = <A, E extends { readonly _tag: string }>(result: Result.Result<A, E>) =>
  Result.match(result, {
    onSuccess: (answered) => ({ answered }),
    onFailure: (error) => ({ refused: error._tag, facts: { ...error } })
  })

const verdicts: { readonly [Tag in VerdictTag]: Verdict } = {
  Confirm: Verdict.Confirm({
    delivery: { authCode: "P-1", rechargeToken: null, validity: { from: "2026-03-04", until: "2027-03-03" } }
  }),
  Release: Verdict.Release({ refusal: "SEGURO_NO_EMITIDO" }),
  Free: Verdict.Free(),
  Hold: Verdict.Hold()
}

const results = (now: DateTime.Utc): { readonly [Tag in SmsResult["_tag"]]: SmsResult } => ({
  Sent: { _tag: "Sent", reference: "SM1" },
  Later: { _tag: "Later", at: DateTime.add(now, { seconds: 5 }), reason: "busy" },
  Failed: { _tag: "Failed", reason: "no such phone" },
  Unknown: { _tag: "Unknown", reason: "no answer" }
})

const record = Effect.fnUntraced(function* (message: Message, result: SmsResult["_tag"]) {
  const now = yield* DateTime.now
  yield* Outbox.use((outbox) => outbox.record(message, results(now)[result], now))
})

const begin = Effect.fnUntraced(function* (side: Side, command: InsuranceCommand & { readonly do: "begin" }) {
  const insurances = yield* Insurances
  const id = yield* insurances.nextId
  const insurance = yield* newInsurance(side.company + command.company, {
    plate: Plate.make(command.plate),
    terminalId: command.terminal === null ? null : TerminalId.make(command.terminal)
  })
  const first = yield* codeToSend(`message ${side.messages.length}`)
  side.begun.push({ companyId: insurance.companyId, id })
  side.messages.push({ companyId: insurance.companyId, insuranceId: id, message: first.sms.message })
  return yield* insurances.create(id, insurance, first)
})

const resend = Effect.fnUntraced(function* (side: Side, { companyId, id }: Begun) {
  const next = yield* codeToSend(`message ${side.messages.length}`)
  const resent = yield* Effect.result(Insurances.use((insurances) => insurances.resend(companyId, id, next)))
  if (Result.isSuccess(resent)) side.messages.push({ companyId, insuranceId: id, message: next.sms.message })
  return told(resent)
})

const sell = Effect.fnUntraced(function* (
  side: Side,
  { companyId, id }: Begun,
  command: InsuranceCommand & { readonly do: "sell" }
) {
  const found = Option.getOrThrow(yield* Insurances.use((insurances) => insurances.find(companyId, id)))
  const intent = insuranceIntent(found, command.key)
  // Whoever sells it was once told a price.
  const amount = command.as === "quoted" ? intent.amount : Amount.make(9_999)
  const wanted = {
    ...intent,
    amount,
    fingerprint: (0x1000 + side.begun.findIndex((each) => each.id === id)).toString(16)
  }
  const reserved = yield* Effect.result(Ledger.use((ledger) => ledger.reserve(wanted)))
  if (Result.isSuccess(reserved) && reserved.success._tag === "Reservation") side.orders.push(reserved.success.order)
  return told(reserved)
})

/** One of the steps that choose, for the version and the plan of those names. */
const chosen = Effect.fnUntraced(function* (
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
  // Which of those that are due at the same instant come first is left open, but not how many.
  return limit === 1
    ? claimed.length
    : claimed.toSorted((left, right) => (left.message.text < right.message.text ? -1 : 1))
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
    case "record": {
      const message = nth(side.messages, command.which)
      return message === undefined ? null : yield* record(message, command.result)
    }
    case "issue": {
      const order = nth(side.orders, command.which)
      return order === undefined ? null : yield* insurances.beginIssue(order)
    }
    case "settle": {
      const order = nth(side.orders, command.which)
      if (order === undefined) return null
      const settlement = { order, verdict: verdicts[command.verdict], at: yield* DateTime.now, notFound: 0 }
      return yield* Ledger.use((ledger) => ledger.settle(settlement))
    }
  }
  const meant = nth(side.begun, command.which)
  if (meant === undefined) return null
  const { companyId, id } = meant
  switch (command.do) {
    case "resend":
      return yield* resend(side, meant)
    case "attempt":
      return told(yield* Effect.result(insurances.attempt(companyId, id)))
    case "sell":
      return yield* sell(side, meant, command)
    default: {
      const step = yield* chosen(command)
      return told(yield* Effect.result(insurances.advance(companyId, id, step)))
    }
  }
})

/** What everybody can see of the insurances and of the messages that did not arrive. */
const view = Effect.fnUntraced(function* ({ begun, company }: Side) {
  const insurances = yield* Insurances
  const undelivered = yield* Outbox.use((outbox) => outbox.undelivered(10_000))
  return {
    insurances: yield* Effect.forEach(begun, ({ companyId, id }) => insurances.find(companyId, id)),
    undelivered: undelivered.filter(({ companyId }) => companyId >= company)
  }
})

/** The answer as plain data, in which ids are what they are called in this life. */
const plain = (side: Side, value: unknown): unknown => {
  if (DateTime.isDateTime(value)) return DateTime.formatIso(value)
  if (Option.isOption(value)) return plain(side, Option.getOrNull(value))
  if (Array.isArray(value)) return value.map((each) => plain(side, each))
  if (typeof value === "string") return named(side, value)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, member]) => [field, called(side, field, value, member) ?? plain(side, member)])
  )
}

/** Messages, and the hashes that name them, are called by their number. */
const named = ({ messages }: Side, text: string): string => {
  const number = messages.findIndex(({ message }) => text.endsWith(message.id))
  return number === -1 ? text : `message ${number}`
}

const called = (side: Side, field: string, of: object, id: unknown): string | null => {
  if (field === "transactionId" && id !== null)
    return `sale ${side.orders.findIndex(({ transactionId }) => transactionId === id)}`
  if (field === "insuranceId" || (field === "id" && "insured" in of))
    return `insurance ${side.begun.findIndex((each) => each.id === id)}`
  return null
}

/** Takes the step on one side and tells, in a form that can be compared, what it answered. */
export const perform = (side: Side, command: InsuranceCommand) =>
  Effect.map(Effect.provideContext(answer(side, command), side.ports), (answered) => plain(side, answered))

export const look = (side: Side) =>
  Effect.map(Effect.provideContext(view(side), side.ports), (seen) => plain(side, seen))
