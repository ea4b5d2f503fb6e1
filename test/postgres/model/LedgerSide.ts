import { type Context, DateTime, Duration, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { type CompanyId, IdempotencyKey, Identifier, ServiceId, TerminalId } from "../../../core/domain/Ids.ts"
import { dayOf, periodsAt, startOfDay } from "../../../core/domain/LocalTime.ts"
import { Amount, Centavos } from "../../../core/domain/Money.ts"
import type { Slice } from "../../../core/domain/Page.ts"
import type { Count } from "../../../core/domain/Recovery.ts"
import { type ReversalIntent, ReversalVerdict, type UnderReversal } from "../../../core/domain/Reversal.ts"
import { type Intent, type Order, Verdict } from "../../../core/domain/Sale.ts"
import type { Transaction } from "../../../core/domain/Transaction.ts"
import { Accounts, Adjustments } from "../../../core/ports/Accounts.ts"
import { Ledger, type Reserved, type ReserveError } from "../../../core/ports/Ledger.ts"
import { type ClaimedReversal, Reversals } from "../../../core/ports/Reversals.ts"
import { Transactions } from "../../../core/ports/Transactions.ts"
import { type ClaimedSale, type RecoveryClaim, Unresolved } from "../../../core/ports/Unresolved.ts"
import {
  type Command,
  companies,
  type Reversal,
  type ReversalVerdictTag,
  type Sale,
  type VerdictTag
} from "./LedgerCommands.ts"

export type Ports = Ledger | Accounts | Adjustments | Reversals | Transactions | Unresolved

/** One of the two ledgers, and the sales and reversals that have begun on it in this life. */
export interface Side {
  readonly ports: Context.Context<Ports>
  readonly orders: Array<Order>
  /** When claims were made, the last one last. */
  readonly claims: Array<DateTime.Utc>
  readonly reversals: Array<UnderReversal>
  /** The ids that it has given, in the order in which they were seen: the two ledgers count differently. */
  readonly ids: Map<string, number>
  readonly companyId: (company: number) => CompanyId
}

const intentOf = (side: Side, { bill, body, centavos, company, key, prefix }: Sale): Intent => ({
  companyId: side.companyId(company),
  environment: "development",
  key: IdempotencyKey.make(key),
  fingerprint: body,
  xid: `${prefix}-${company}-${key}`,
  service: { id: ServiceId.make(4), name: "Energía", type: "electricity_prepaid" },
  identifier: Identifier.make(`contrato-${key}`),
  amount: Amount.make(centavos),
  terminalId: key === "a" ? TerminalId.make("caja 1") : null,
  optionId: bill,
  billId: bill,
  insuranceId: null,
  product: null,
  reference: null,
  reversible: key !== "d"
})

const reversalOf = (side: Side, { company, key }: Reversal, { transactionId }: Order): ReversalIntent => ({
  companyId: side.companyId(company),
  transactionId,
  key: IdempotencyKey.make(key),
  fingerprint: (0x1000 + called(side, "transactionId", transactionId)).toString(16),
  xid: `RV-${company}-${key}`
})

const reversalVerdicts: { readonly [Tag in ReversalVerdictTag]: ReversalVerdict } = {
  Confirm: ReversalVerdict.Confirm(),
  Deny: ReversalVerdict.Deny(),
  Free: ReversalVerdict.Free(),
  Hold: ReversalVerdict.Hold()
}

const verdicts: { readonly [Tag in VerdictTag]: (which: number) => Verdict } = {
  Confirm: (which) =>
    Verdict.Confirm({ delivery: { authCode: `A${which}`, rechargeToken: which % 2 === 0 ? "1234 5678" : null } }),
  Release: () => Verdict.Release({ refusal: "INVALID_PHONE" }),
  Free: () => Verdict.Free(),
  Hold: () => Verdict.Hold()
}

const page = { page: 1, perPage: 1_000 }

const reserveOn = Effect.fnUntraced(function* (side: Side, sale: Sale) {
  return yield* Effect.result(Ledger.use((ledger) => ledger.reserve(intentOf(side, sale))))
})

/** Keeps what was reserved, to be settled later, and tells the answer. */
const heard = (side: Side, reserved: Result.Result<Reserved, ReserveError>) => {
  if (Result.isSuccess(reserved) && reserved.success._tag === "Reservation") side.orders.push(reserved.success.order)
  return told(reserved)
}

/** What a command counts from the first, over and over. */
const nth = <A>(all: ReadonlyArray<A>, which: number): A | undefined => all[which % Math.max(all.length, 1)]

const told = <A, E extends { readonly _tag: string }>(result: Result.Result<A, E>) =>
  Result.match(result, {
    onSuccess: (answered) => ({ answered }),
    onFailure: (error) => ({ refused: error._tag, facts: { ...error } })
  })

const claimOf = (
  { claims }: Side,
  { ahead_s, lease_s, which }: Extract<Command, { readonly ahead_s: number }>,
  at: DateTime.Utc
): RecoveryClaim => {
  const now = DateTime.add(at, { seconds: ahead_s })
  claims.push(now)
  return { began: now, now, lease: Duration.seconds(lease_s), limit: 1_000, which }
}

const countOf = ({ claims }: Side, { claim, notFound }: Extract<Command, { readonly notFound: number }>): Count => ({
  notFound,
  claimedAt: claim === undefined ? undefined : claims.at(-1 - claim)
})

const answer = Effect.fnUntraced(function* (side: Side, command: Command) {
  const at = yield* DateTime.now
  switch (command.do) {
    case "wait":
      return yield* TestClock.adjust(command.for_ms)
    case "deposit": {
      const { centavos, company, reference } = command
      const deposit = { companyId: side.companyId(company), amount: Amount.make(centavos), reference, at }
      return yield* Ledger.use((ledger) => ledger.deposit(deposit))
    }
    case "adjust": {
      const { centavos, company, reference } = command
      const goal = Amount.make(centavos)
      const adjustment = { companyId: side.companyId(company), goal, reference, since: startOfDay(dayOf(at)), at }
      return yield* Adjustments.use((adjustments) => adjustments.adjust(adjustment))
    }
    case "limit": {
      const settings = { [command.period]: Centavos.make(command.centavos) }
      return yield* Accounts.use((accounts) => accounts.configure(side.companyId(command.company), settings, at))
    }
    case "alert": {
      const settings = { lowBalanceAlert: Centavos.make(command.centavos) }
      return yield* Accounts.use((accounts) => accounts.configure(side.companyId(command.company), settings, at))
    }
    case "reserve":
      return heard(side, yield* reserveOn(side, command.sale))
    case "burst": {
      const all = yield* Effect.forEach(command.sales, (sale) => reserveOn(side, sale), { concurrency: "unbounded" })
      return all.map((reserved) => heard(side, reserved))
    }
    case "recall": {
      const { companyId, fingerprint, key } = intentOf(side, command.sale)
      return told(yield* Effect.result(Ledger.use((ledger) => ledger.recall(companyId, key, fingerprint))))
    }
    case "settle": {
      const order = nth(side.orders, command.which)
      if (order === undefined) return null
      const verdict = verdicts[command.verdict](command.which)
      return yield* Ledger.use((ledger) => ledger.settle({ order, verdict, at, ...countOf(side, command) }))
    }
    case "claim": {
      const claim = claimOf(side, command, at)
      const claimed = yield* Unresolved.use((unresolved) => unresolved.claim(claim))
      const number = ({ order }: ClaimedSale) => called(side, "transactionId", order.transactionId)
      const sales = claimed.toSorted((left, right) => number(left) - number(right))
      if (command.verdict === null) return sales
      const verdict = verdicts[command.verdict](0)
      return yield* Effect.forEach(sales, ({ claimedAt, notFound, order }) =>
        Ledger.use((ledger) => ledger.settle({ order, verdict, at, notFound: notFound + 1, claimedAt }))
      )
    }
    case "reverse": {
      const order = nth(side.orders, command.reversal.which)
      if (order === undefined) return null
      const intent = reversalOf(side, command.reversal, order)
      const begun = yield* Effect.result(Reversals.use((reversals) => reversals.begin(intent)))
      if (Result.isSuccess(begun) && begun.success._tag === "Begun") side.reversals.push(begun.success.under)
      return told(begun)
    }
    case "settle reversal": {
      const under = nth(side.reversals, command.which)
      if (under === undefined) return null
      const verdict = reversalVerdicts[command.verdict]
      return yield* Reversals.use((reversals) => reversals.settle({ under, verdict, at, ...countOf(side, command) }))
    }
    case "claim reversals": {
      const claim = claimOf(side, command, at)
      const claimed = yield* Reversals.use((reversals) => reversals.claim(claim))
      const number = ({ under }: ClaimedReversal) => called(side, "reversalId", under.reversal.id)
      const found = claimed.toSorted((left, right) => number(left) - number(right))
      if (command.verdict === null) return found
      const verdict = reversalVerdicts[command.verdict]
      return yield* Effect.forEach(found, ({ claimedAt, notFound, under }) =>
        Reversals.use((reversals) => reversals.settle({ under, verdict, at, notFound: notFound + 1, claimedAt }))
      )
    }
    case "list": {
      const day = command.today ? dayOf(at) : undefined
      const filter = { status: command.status, from: day, to: day }
      return ordered(side, yield* Transactions.use((all) => all.list(side.companyId(command.company), filter, page)))
    }
  }
})

/** What everybody can see of the two companies now. */
const view = Effect.fnUntraced(function* (side: Side) {
  const periods = periodsAt(yield* DateTime.now)
  return yield* Effect.forEach(companies, (company) =>
    Effect.all({
      account: Accounts.use((accounts) => accounts.read(side.companyId(company), periods)),
      sales: Effect.map(
        Transactions.use((all) => all.list(side.companyId(company), {}, page)),
        (sales) => ordered(side, sales)
      )
    })
  )
})

/** The answer as plain data, in which ids are what they are called in this life. */
const plain = (side: Side, value: unknown): unknown => {
  if (DateTime.isDateTime(value)) return DateTime.formatIso(value)
  if (Array.isArray(value)) return value.map((each) => plain(side, each))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, member]) => {
      if (field === "id" && "order" in value) return [field, called(side, "reversalId", member)]
      const isId = field === "transactionId" || field === "entryId" || (field === "id" && "xid" in value)
      return [field, isId ? called(side, field, member) : plain(side, member)]
    })
  )
}

/** The number under which this life knows the id. */
const called = ({ ids }: Side, field: string, id: number): number => {
  const given = `${field === "id" ? "transactionId" : field} ${id}`
  const known = ids.get(given) ?? ids.size
  ids.set(given, known)
  return known
}

/** Newest first is the order of the list; among sales of one burst neither is newer, so they are put in theirs. */
const ordered = (side: Side, { items, total }: Slice<Transaction>) => ({
  total,
  items: [...Map.groupBy(items, ({ createdAt }) => DateTime.toEpochMillis(createdAt)).values()].flatMap((together) =>
    together.toSorted((left, right) => called(side, "id", right.id) - called(side, "id", left.id))
  )
})

/** Takes the step on one side and tells, in a form that can be compared, what it answered. */
export const perform = (side: Side, command: Command) =>
  Effect.map(Effect.provideContext(answer(side, command), side.ports), (answered) => plain(side, answered))

export const look = (side: Side) =>
  Effect.map(Effect.provideContext(view(side), side.ports), (seen) => plain(side, seen))
