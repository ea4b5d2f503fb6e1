import { DateTime, Effect, Layer, Order, Result } from "effect"
import type { InsuranceId } from "../../core/domain/Ids.ts"
import { afterEvent } from "../../core/domain/InsuranceState.ts"
import {
  type ClaimedSms,
  type DeliveryResult,
  Outbox,
  type SmsClaim,
  type SmsResult,
  type TracedSms,
  type UndeliveredSms
} from "../../core/ports/Outbox.ts"
import { Books, type CompanyBooks, type SmsEntry } from "./Books.ts"

const isFree = ({ leasedUntil }: SmsEntry, { now }: SmsClaim): boolean =>
  leasedUntil === null || DateTime.isLessThanOrEqualTo(leasedUntil, now)

const isDue = (entry: SmsEntry, claim: SmsClaim): boolean =>
  entry.status === "staged" && DateTime.isLessThanOrEqualTo(entry.sendAt, claim.now) && isFree(entry, claim)

const byInstant = (of: (entry: SmsEntry) => DateTime.Utc) =>
  Order.mapInput(Order.Number, (entry: SmsEntry) => DateTime.toEpochMillis(of(entry)))
const byId = Order.mapInput(Order.String, ({ sms }: SmsEntry) => sms.message.id)

const longestDueFirst = Order.combine(
  byInstant(({ sendAt }) => sendAt),
  byId
)
const newestFirst = Order.flip(
  Order.combine(
    byInstant(({ sms }) => sms.createdAt),
    byId
  )
)

const claimIn = (companies: Iterable<CompanyBooks>, claim: SmsClaim): ReadonlyArray<ClaimedSms> => {
  const due = [...companies].flatMap((books) =>
    [...books.messages.values()].filter((entry) => isDue(entry, claim)).map((entry) => ({ ...entry, books }))
  )
  return due
    .toSorted(longestDueFirst)
    .slice(0, claim.limit)
    .map(({ books, ...entry }) => {
      const sms = { ...entry.sms, tries: entry.sms.tries + 1 }
      const leasedUntil = DateTime.addDuration(claim.now, claim.lease)
      books.messages.set(sms.message.id, { ...entry, sms, leasedUntil })
      return { ...sms, accounted: entry.leasedUntil === null }
    })
}

const statusAfter = { Sent: "sent", Failed: "failed", Unknown: "unknown", Later: "staged" } as const

/** Counts a message that did not reach the owner, so that its code does not count as a resend. */
const countUndelivered = ({ codes }: CompanyBooks, insuranceId: InsuranceId): void => {
  const known = codes.get(insuranceId)
  if (known !== undefined) codes.set(insuranceId, { ...known, undelivered: known.undelivered + 1 })
}

const recordIn = (
  books: CompanyBooks,
  { insuranceId, message }: Pick<ClaimedSms, "insuranceId" | "message">,
  result: SmsResult
): void => {
  const entry = books.messages.get(message.id)
  if (entry === undefined || entry.status !== "staged") return
  books.messages.set(message.id, {
    ...entry,
    status: statusAfter[result._tag],
    detail: result._tag === "Sent" ? result.reference : result.reason,
    askAt: (result._tag === "Sent" && result.askAt) || null,
    sendAt: result._tag === "Later" ? result.at : entry.sendAt,
    leasedUntil: null
  })
  if (result._tag === "Failed") countUndelivered(books, insuranceId)
  const insurance = books.insurances.get(insuranceId)
  if (result._tag !== "Sent" || insurance === undefined) return
  const state = Result.getOrElse(afterEvent(insurance.state, "code_sent"), () => insurance.state)
  books.insurances.set(insuranceId, { ...insurance, state })
}

const isTraced = (entry: SmsEntry, claim: SmsClaim): boolean =>
  entry.status === "sent" &&
  entry.askAt !== null &&
  DateTime.isLessThanOrEqualTo(entry.askAt, claim.now) &&
  isFree(entry, claim)

const longestTracedFirst = Order.combine(
  byInstant(({ askAt, sendAt }) => askAt ?? sendAt),
  byId
)

const claimTracedIn = (companies: Iterable<CompanyBooks>, claim: SmsClaim): ReadonlyArray<TracedSms> => {
  const due = [...companies].flatMap((books) =>
    [...books.messages.values()].filter((entry) => isTraced(entry, claim)).map((entry) => ({ ...entry, books }))
  )
  return due
    .toSorted(longestTracedFirst)
    .slice(0, claim.limit)
    .map(({ books, ...entry }) => {
      const { companyId, createdAt, environment, expiresAt, insuranceId, message } = entry.sms
      books.messages.set(message.id, { ...entry, leasedUntil: DateTime.addDuration(claim.now, claim.lease) })
      const { id } = message
      return { companyId, insuranceId, environment, createdAt, expiresAt, id, reference: entry.detail ?? "" }
    })
}

const recordDeliveryIn = (books: CompanyBooks, { id, insuranceId }: TracedSms, result: DeliveryResult): void => {
  const entry = books.messages.get(id)
  if (entry === undefined || entry.status !== "sent") return
  const failed = result._tag === "Failed"
  books.messages.set(id, {
    ...entry,
    status: failed ? "failed" : "sent",
    detail: failed ? result.reason : entry.detail,
    askAt: result._tag === "Open" ? result.askAt : null,
    leasedUntil: null
  })
  if (failed) countUndelivered(books, insuranceId)
}

const undeliveredIn = (companies: Iterable<CompanyBooks>, limit: number): ReadonlyArray<UndeliveredSms> =>
  [...companies]
    .flatMap(({ messages }) => [...messages.values()])
    .toSorted(newestFirst)
    .flatMap(({ detail, sms, status }) => {
      if (status !== "failed" && status !== "unknown") return []
      const { companyId, createdAt, insuranceId, message } = sms
      return [{ id: message.id, companyId, insuranceId, status, reason: detail ?? "", createdAt }]
    })
    .slice(0, limit)

// Each method works in one synchronous step, so that no other fiber sees a partial change.
const make = Effect.map(Books, ({ all, of }) =>
  Outbox.of({
    claim: (claim) => Effect.sync(() => claimIn(all(), claim)),
    record: (sms, result) => Effect.sync(() => recordIn(of(sms.companyId), sms, result)),
    claimTraced: (claim) => Effect.sync(() => claimTracedIn(all(), claim)),
    recordDelivery: (sms, result) => Effect.sync(() => recordDeliveryIn(of(sms.companyId), sms, result)),
    undelivered: (limit) => Effect.sync(() => undeliveredIn(all(), limit))
  })
)

/** `Outbox` in memory. Tests compare the Postgres adapter with it. */
export const layer = Layer.effect(Outbox, make)
