import { DateTime, Effect, Layer, Order, Result } from "effect"
import { afterEvent } from "../../core/domain/InsuranceState.ts"
import { type ClaimedSms, Outbox, type SmsResult, type UndeliveredSms } from "../../core/ports/Outbox.ts"
import { Books, type CompanyBooks, type SmsEntry } from "./Books.ts"

type SmsClaim = Parameters<Outbox["Service"]["claim"]>[0]

const isDue = ({ leasedUntil, sendAt, status }: SmsEntry, { now }: SmsClaim): boolean =>
  status === "staged" &&
  DateTime.isLessThanOrEqualTo(sendAt, now) &&
  (leasedUntil === null || DateTime.isLessThanOrEqualTo(leasedUntil, now))

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
    sendAt: result._tag === "Later" ? result.at : entry.sendAt,
    leasedUntil: null
  })
  const insurance = books.insurances.get(insuranceId)
  if (result._tag !== "Sent" || insurance === undefined) return
  const state = Result.getOrElse(afterEvent(insurance.state, "code_sent"), () => insurance.state)
  books.insurances.set(insuranceId, { ...insurance, state })
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
    undelivered: (limit) => Effect.sync(() => undeliveredIn(all(), limit))
  })
)

/** `Outbox` in memory. Tests compare the Postgres adapter with it. */
export const layer = Layer.effect(Outbox, make)
