import { type Context, DateTime, Duration, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { checks } from "../../../core/domain/FollowUp.ts"
import type { FundingProposal } from "../../../core/domain/FundingProposal.ts"
import { type CompanyId, IdempotencyKey, Identifier, ServiceId, TerminalId } from "../../../core/domain/Ids.ts"
import { dayOf, daysBefore, periodsAt, startOfDay } from "../../../core/domain/LocalTime.ts"
import { Amount, Centavos } from "../../../core/domain/Money.ts"
import type { Slice } from "../../../core/domain/Page.ts"
import type { Count } from "../../../core/domain/Recovery.ts"
import { type ReversalIntent, ReversalVerdict, type UnresolvedReversal } from "../../../core/domain/Reversal.ts"
import { type Intent, type Order, Verdict } from "../../../core/domain/Sale.ts"
import type { Transaction } from "../../../core/domain/Transaction.ts"
import { Accounts, Adjustments } from "../../../core/ports/Accounts.ts"
import { Closings } from "../../../core/ports/Closings.ts"
import { FollowUps } from "../../../core/ports/FollowUps.ts"
import type { FundingProposals } from "../../../core/ports/FundingProposals.ts"
import { Ledger, type Reserved, type ReserveError } from "../../../core/ports/Ledger.ts"
import { Reversals } from "../../../core/ports/Reversals.ts"
import { Transactions } from "../../../core/ports/Transactions.ts"
import { type RecoveryClaim, Unresolved } from "../../../core/ports/Unresolved.ts"
import { closeThrough } from "../../../core/workflows/CloseDays.ts"
import { type Names, outcomeOf, pick } from "./Comparison.ts"
import { decideFunding, proposeFunding, referenceOf } from "./FundingSide.ts"
import {
  type Command,
  companies,
  type Reversal,
  type ReversalVerdictTag,
  type Sale,
  type VerdictTag
} from "./LedgerCommands.ts"

export type Ports =
  | Ledger
  | Accounts
  | Adjustments
  | Closings
  | FollowUps
  | FundingProposals
  | Reversals
  | Transactions
  | Unresolved

/** One of the two ledgers, Postgres or memory, and what the scenario has created in it. */
export interface Side {
  readonly ports: Context.Context<Ports>
  readonly orders: Array<Order>
  /** Times of the claims, oldest first. */
  readonly claims: Array<DateTime.Utc>
  readonly reversals: Array<UnresolvedReversal>
  /** The proposals of deposits and adjustments, as they were proposed. */
  readonly proposals: Array<FundingProposal>
  /** The ids by order of appearance. Equal commands give different ids in the two ledgers, but in the same order. */
  readonly ids: Map<string, number>
  readonly companyId: (company: number) => CompanyId
}

const intentOf = (side: Side, { bill, body, centavos, company, key, prefix }: Sale): Intent => ({
  companyId: side.companyId(company),
  environment: "production",
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
  fingerprint: (0x1000 + numberOf(side, "transactionId", transactionId)).toString(16),
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

const reserveOn = (side: Side, sale: Sale) =>
  Effect.result(Ledger.use((ledger) => ledger.reserve(intentOf(side, sale))))

/** Keeps the order of a new reservation for later commands. Returns the result as plain data. */
const rememberOrder = (side: Side, reserved: Result.Result<Reserved, ReserveError>) => {
  if (Result.isSuccess(reserved) && reserved.success._tag === "Reservation") side.orders.push(reserved.success.order)
  return outcomeOf(reserved)
}

const claimOf = (
  { claims }: Side,
  { ahead_s, lease_s, which }: Extract<Command, { readonly which: "due" | "all" }>,
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

// The order of sales that were settled at the same instant is not defined. So the claim takes all of them.
const followUp = Effect.fnUntraced(function* (side: Side, command: Command & { readonly do: "follow up" }) {
  const check = checks[command.check]
  if (check === undefined) return yield* Effect.die(new Error(`there is no check ${command.check}`))
  const followUps = yield* FollowUps
  const now = DateTime.add(yield* DateTime.now, { seconds: command.ahead_s })
  const claim = { check, began: now, now, lease: Duration.seconds(command.lease_s), limit: 1_000 }
  const claimed = yield* followUps.claim(claim)
  if (claimed === null) return null
  if (!command.crashes) yield* claimed.finish(true)
  const sales = inOrder(side, "transactionId", claimed.sales, ({ order }) => order.transactionId)
  return { skipped: claimed.skipped, sales, stand: yield* Effect.forEach(sales, followUps.stands) }
})

// Closes the days of both companies, or of neither. Postgres reserves the sales of several companies in one
// group, and the latest end of a day among them applies to the whole group. Seals and digests contain ids,
// which differ between the two stores.
const close = Effect.fnUntraced(function* (side: Side, { ahead_s }: Command & { readonly do: "close" }) {
  const closings = yield* Closings
  const ids = companies.map(side.companyId)
  const { days } = yield* closings.unclosed
  if (!ids.every((id) => days.some(({ companyId }) => companyId === id))) return null
  const last = daysBefore(dayOf(DateTime.add(yield* DateTime.now, { seconds: ahead_s })), 1)
  return yield* Effect.forEach(ids, (companyId) =>
    Effect.all({
      closed: closeThrough(last, { only: companyId }),
      contents: Effect.map(closings.list(companyId, {}, page), ({ items }) =>
        items.map(({ content }) => ({
          ...content,
          companyId: null,
          previousSeal: null,
          lastEntryId: null,
          entriesDigest: null,
          pending: content.pending.map((id) => numberOf(side, "transactionId", id))
        }))
      )
    })
  )
})

const answer = Effect.fnUntraced(function* (side: Side, command: Command) {
  const at = yield* DateTime.now
  switch (command.do) {
    case "wait":
      return yield* TestClock.adjust(command.for_ms)
    case "deposit": {
      const { centavos, company, isNew = false } = command
      const reference = referenceOf(side, command.reference)
      const deposit = { companyId: side.companyId(company), amount: Amount.make(centavos), reference, isNew, at }
      return yield* Ledger.use((ledger) => ledger.deposit(deposit))
    }
    case "adjust": {
      const { centavos, company, reference } = command
      const goal = Amount.make(centavos)
      const adjustment = { companyId: side.companyId(company), goal, reference, since: startOfDay(dayOf(at)), at }
      return yield* Adjustments.use((adjustments) => adjustments.adjust(adjustment))
    }
    case "propose":
      return yield* proposeFunding(side, command)
    case "decide":
      return yield* decideFunding(side, command)
    case "limit":
    case "alert": {
      const setting = command.do === "limit" ? command.period : "lowBalanceAlert"
      const settings = { [setting]: Centavos.make(command.centavos) }
      return yield* Accounts.use((accounts) => accounts.configure(side.companyId(command.company), settings, at))
    }
    case "reserve":
      return rememberOrder(side, yield* reserveOn(side, command.sale))
    case "burst": {
      const all = yield* Effect.forEach(command.sales, (sale) => reserveOn(side, sale), { concurrency: "unbounded" })
      return all.map((reserved) => rememberOrder(side, reserved))
    }
    case "recall": {
      const { companyId, fingerprint, key } = intentOf(side, command.sale)
      return outcomeOf(yield* Effect.result(Ledger.use((ledger) => ledger.recall(companyId, key, fingerprint))))
    }
    case "settle": {
      const order = pick(side.orders, command.which)
      if (order === undefined) return null
      const verdict = verdicts[command.verdict](command.which)
      return yield* Ledger.use((ledger) => ledger.settle({ order, verdict, at, ...countOf(side, command) }))
    }
    case "claim": {
      const claim = claimOf(side, command, at)
      const claimed = yield* Unresolved.use((unresolved) => unresolved.claim(claim))
      const sales = inOrder(side, "transactionId", claimed, ({ order }) => order.transactionId)
      if (command.verdict === null) return sales
      const verdict = verdicts[command.verdict](0)
      return yield* Effect.forEach(sales, ({ claimedAt, notFound, order }) =>
        Ledger.use((ledger) => ledger.settle({ order, verdict, at, notFound: notFound + 1, claimedAt }))
      )
    }
    case "reverse": {
      const order = pick(side.orders, command.reversal.which)
      if (order === undefined) return null
      const intent = reversalOf(side, command.reversal, order)
      const begun = yield* Effect.result(Reversals.use((reversals) => reversals.begin(intent)))
      if (Result.isSuccess(begun) && begun.success._tag === "Begun") side.reversals.push(begun.success.unresolved)
      return outcomeOf(begun)
    }
    case "settle reversal": {
      const unresolved = pick(side.reversals, command.which)
      if (unresolved === undefined) return null
      const settled = { unresolved, verdict: reversalVerdicts[command.verdict], at, ...countOf(side, command) }
      return yield* Reversals.use((reversals) => reversals.settle(settled))
    }
    case "claim reversals": {
      const claim = claimOf(side, command, at)
      const claimed = yield* Reversals.use((reversals) => reversals.claim(claim))
      const found = inOrder(side, "reversalId", claimed, ({ unresolved }) => unresolved.reversal.id)
      if (command.verdict === null) return found
      const verdict = reversalVerdicts[command.verdict]
      return yield* Effect.forEach(found, ({ claimedAt, notFound, unresolved }) =>
        Reversals.use((reversals) => reversals.settle({ unresolved, verdict, at, notFound: notFound + 1, claimedAt }))
      )
    }
    case "follow up":
      return yield* followUp(side, command)
    case "close":
      return yield* close(side, command)
    case "list": {
      const day = command.today ? dayOf(at) : undefined
      const filter = { status: command.status, from: day, to: day }
      return ordered(side, yield* Transactions.use((all) => all.list(side.companyId(command.company), filter, page)))
    }
  }
})

/** Accounts and sales of the two companies. */
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

const namesOf = (side: Side): Names => ({
  idOf: (field, object, value) => {
    if (typeof value !== "number") return
    if (field === "id" && "order" in object) return numberOf(side, "reversalId", value)
    if (field === "number") return numberOf(side, field, value)
    const isId = field === "transactionId" || field === "entryId" || (field === "id" && "xid" in object)
    return isId ? numberOf(side, field, value) : undefined
  }
})

/** The number of an id, by order of appearance. */
const numberOf = ({ ids }: Side, field: string, id: number): number => {
  const given = `${field === "id" ? "transactionId" : field} ${id}`
  const known = ids.get(given) ?? ids.size
  ids.set(given, known)
  return known
}

/** Sorts what a claim returned by the numbers of the ids. */
const inOrder = <A>(side: Side, field: string, claimed: ReadonlyArray<A>, idOf: (each: A) => number) =>
  claimed.toSorted((left, right) => numberOf(side, field, idOf(left)) - numberOf(side, field, idOf(right)))

/** Sorts sales of the same time by their number, because the list does not define their order. */
const ordered = (side: Side, { items, total }: Slice<Transaction>) => ({
  total,
  items: [...Map.groupBy(items, ({ createdAt }) => DateTime.toEpochMillis(createdAt)).values()].flatMap((together) =>
    together.toSorted((left, right) => numberOf(side, "id", right.id) - numberOf(side, "id", left.id))
  )
})

/** How to compare the ledger in Postgres with the ledger in memory. */
export const ledgers = { answer, namesOf, view }
