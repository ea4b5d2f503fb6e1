import { isDeepStrictEqual } from "node:util"
import { type CompanyEvent, EventSubject } from "../../../core/domain/Event.ts"
import { Centavos } from "../../../core/domain/Money.ts"
import {
  type ObservedCommit,
  type ReportableChange,
  reportViolation,
  type Simulation,
  type WrittenEvent
} from "../engine/Simulation.ts"

/** Names what an event reports, such as `sale 12`. */
export const aboutOf = EventSubject.$match({
  Sale: ({ transaction }) => `sale ${transaction.id}`,
  Policy: ({ insuranceId }) => `insurance ${insuranceId}`,
  Balance: () => "balance",
  Movement: ({ entry }) => `entry ${entry.id}`,
  Test: ({ webhookId }) => `webhook ${webhookId}`
})

/** The subject as JSON values. Dates become texts. Comparisons ignore the order of the fields. */
const plain = (subject: EventSubject): unknown => JSON.parse(JSON.stringify(subject))

type EventKey = `${number} ${number}`

const keyOf = (companyId: number, sequence: number): EventKey => `${companyId} ${sequence}`

/** Checks that the events of a company report exactly the committed changes. */
export interface EventChecks {
  readonly committed: (commit: ObservedCommit) => void
  /** Checks what a reader or a webhook receives as an event. */
  readonly read: (event: CompanyEvent) => void
  /** The events of all commits so far. */
  readonly written: () => Iterable<WrittenEvent & { readonly companyId: number }>
}

/** The events of a company that the checks have seen. */
interface Reported {
  areOn: boolean
  isLow: boolean
  newest: number
}

const nameOf = ({ type, about }: Pick<WrittenEvent, "type" | "about">): string => `${type} of ${about}`

export const checkEvents = (sim: Simulation): EventChecks => {
  const companies = new Map<number, Reported>()
  const written = new Map<EventKey, WrittenEvent & { readonly companyId: number }>()
  const subjects = new Map<EventKey, unknown>()

  const crossingOf = (reported: Reported, { account }: ObservedCommit): ReadonlyArray<ReportableChange> => {
    const { alert, available, held } = account
    const isLow = available < alert
    const isReported = reported.isLow === isLow || !reported.areOn
    reported.isLow = isLow
    if (isReported) return []
    const subject = EventSubject.Balance({ available, held, alert: Centavos.make(alert) })
    return [{ type: isLow ? "balance.low" : "balance.recovered", subject }]
  }

  /** Pairs each event with its change. Returns the events without a change, and the changes without an event. */
  const pair = ({ companyId, events }: ObservedCommit, changes: ReadonlyArray<ReportableChange>) => {
    const missing = [...changes]
    const surplus = events.filter(({ about, sequence, type }) => {
      const place = missing.findIndex((change) => change.type === type && aboutOf(change.subject) === about)
      if (place < 0) return true
      for (const { subject } of missing.splice(place, 1)) subjects.set(keyOf(companyId, sequence), plain(subject))
      return false
    })
    return { missing: missing.map(({ subject, type }) => ({ type, about: aboutOf(subject) })), surplus }
  }

  const checkNumbers = (reported: Reported, { companyId, events }: ObservedCommit) => {
    const before = reported.newest
    for (const event of events) {
      if (event.sequence <= before)
        reportViolation(
          sim,
          "events are numbered in commit order",
          `company ${companyId}: event ${event.sequence}, ${nameOf(event)}, was committed after event ${before}`
        )
      reported.newest = Math.max(reported.newest, event.sequence)
      written.set(keyOf(companyId, event.sequence), { companyId, ...event })
    }
  }

  return {
    written: () => written.values(),
    committed: (commit) => {
      const { account, changes, companyId, events } = commit
      const reported = companies.get(companyId) ?? { areOn: false, isLow: false, newest: 0 }
      companies.set(companyId, reported)
      checkNumbers(reported, commit)
      const crossing = crossingOf(reported, commit)
      reported.areOn = account.areEventsOn
      const [unwanted] = events
      if (!account.areEventsOn) {
        if (unwanted !== undefined)
          reportViolation(
            sim,
            "a company with events off has no events",
            `company ${companyId} has ${nameOf(unwanted)}`
          )
        return
      }
      const { missing, surplus } = pair(commit, [...changes, ...crossing])
      for (const [what, events] of Object.entries({ "no event": missing, "a surplus event": surplus }))
        for (const event of events)
          reportViolation(
            sim,
            event.about === "balance"
              ? "a crossed alert value has exactly one event"
              : "a change has exactly one event",
            `company ${companyId}: ${what} ${nameOf(event)}`
          )
    },
    read: ({ companyId, sequence, subject, type }) => {
      const key = keyOf(companyId, sequence)
      const event = written.get(key)
      if (event === undefined || event.type !== type || event.about !== aboutOf(subject))
        return reportViolation(
          sim,
          "an event never changes",
          `event ${sequence} of company ${companyId} was read as ${type} of ${aboutOf(subject)}, and written as ${event === undefined ? "nothing" : nameOf(event)}`
        )
      if (!isDeepStrictEqual(plain(subject), subjects.get(key)))
        reportViolation(
          sim,
          "an event shows its state at the commit",
          `event ${sequence} of company ${companyId} shows ${JSON.stringify(subject)}, but the commit had ${JSON.stringify(subjects.get(key))}`
        )
    }
  }
}
