import fc from "fast-check"
import { checks } from "../../../core/domain/FollowUp.ts"
import type { FundingKind } from "../../../core/domain/FundingProposal.ts"
import type { Status } from "../../../core/domain/Status.ts"

/**
 * One step of a scenario with two companies. Steps are plain data, so that fast-check can shrink them. `which` is the
 * number of a sale or a reversal in the scenario.
 */
export type Command =
  | {
      readonly do: "deposit"
      readonly company: number
      readonly centavos: number
      readonly reference: string
      readonly isNew?: boolean
    }
  | { readonly do: "adjust"; readonly company: number; readonly centavos: number; readonly reference: string }
  | {
      readonly do: "propose"
      readonly company: number
      readonly kind: FundingKind
      readonly centavos: number
      readonly reference: string
      readonly isRepeated: boolean
    }
  /** An operator confirms or rejects a proposal of the scenario. The operator `ana` has made all proposals. */
  | {
      readonly do: "decide"
      readonly which: number
      readonly by: "ana" | "ANA" | "luis" | "eva"
      readonly confirms: boolean
    }
  | { readonly do: "limit"; readonly company: number; readonly period: Period; readonly centavos: number }
  | { readonly do: "alert"; readonly company: number; readonly centavos: number }
  | { readonly do: "reserve"; readonly sale: Sale }
  | { readonly do: "burst"; readonly sales: ReadonlyArray<Sale> }
  | { readonly do: "recall"; readonly sale: Sale }
  | ({ readonly do: "settle" } & Settlement<VerdictTag>)
  | ({ readonly do: "claim" } & RecoveryCycle<VerdictTag>)
  | { readonly do: "reverse"; readonly reversal: Reversal }
  | ({ readonly do: "settle reversal" } & Settlement<ReversalVerdictTag>)
  | ({ readonly do: "claim reversals" } & RecoveryCycle<ReversalVerdictTag>)
  /** Claims a later check of settled sales. A process that crashes does not end the claim. */
  | {
      readonly do: "follow up"
      /** Number of the check. */
      readonly check: number
      readonly ahead_s: number
      readonly lease_s: number
      readonly crashes: boolean
    }
  /** A server with a clock `ahead_s` seconds ahead closes the days that are over. */
  | { readonly do: "close"; readonly ahead_s: number }
  | { readonly do: "list"; readonly company: number; readonly status: Status | undefined; readonly today: boolean }
  | { readonly do: "wait"; readonly for_ms: number }

/** Settles a sale or reversal. `claim` selects the claim that settles: 0 is the latest claim, 1 the claim before. */
interface Settlement<Tag> {
  readonly which: number
  readonly verdict: Tag
  readonly notFound: number
  readonly claim?: number | undefined
}

/** A recovery cycle with a clock `ahead_s` seconds ahead. With a null verdict, the cycle crashes before it settles. */
interface RecoveryCycle<Tag> {
  readonly which: "due" | "all"
  readonly ahead_s: number
  readonly lease_s: number
  readonly verdict: Tag | null
}

type Period = "daily" | "weekly" | "monthly"
export type VerdictTag = "Confirm" | "Release" | "Free" | "Hold"
export type ReversalVerdictTag = "Confirm" | "Deny" | "Free" | "Hold"

/** A sale of a scenario. Companies, keys, bodies and amounts have few values, so that conflicts are frequent. */
export interface Sale {
  readonly company: number
  readonly key: string
  /** Prefix of the xid, which an operator can change. */
  readonly prefix: string
  readonly body: string
  readonly centavos: number
  /** The bill that the sale pays; null if it pays none. */
  readonly bill: string | null
}

/** A reversal of a scenario. Its key may be the key of a sale. Its sale may belong to the other company. */
export interface Reversal {
  readonly company: number
  readonly key: string
  /** Number of the sale to reverse. */
  readonly which: number
}

export const companies = [0, 1] as const

const company = fc.constantFrom(...companies)
const centavos = fc.constantFrom(1, 999, 1_000, 5_000, 10_000)

const sale = fc.record({
  company,
  key: fc.constantFrom("a", "b", "c", "d"),
  prefix: fc.constantFrom("RD", "RD", "RD", "SV"),
  body: fc.constantFrom("aa", "bb"),
  centavos,
  bill: fc.constantFrom(null, null, "bill")
})

const period = fc.constantFrom<Period>("daily", "weekly", "monthly")

// Durations of retries, leases, keys and calendar periods. A wait lasts one of them, or one millisecond longer.
const second_ms = 1_000
const minute_ms = 60 * second_ms
const hour_ms = 60 * minute_ms
const marks = [
  1,
  5 * second_ms,
  10 * second_ms,
  15 * second_ms,
  30 * second_ms,
  minute_ms,
  5 * minute_ms,
  15 * minute_ms,
  hour_ms,
  4 * hour_ms,
  6 * hour_ms,
  24 * hour_ms,
  48 * hour_ms,
  7 * 24 * hour_ms
]
const wait = fc.tuple(fc.constantFrom(...marks), fc.constantFrom(0, 0, 1)).map(([mark, more]) => mark + more)

/** The fields that the settlements of sales and of reversals have in common. */
const settlement = { which: fc.nat(30), notFound: fc.nat(2), claim: fc.option(fc.nat(2), { nil: undefined }) }

// Clock differences: none, tolerated, at the limit of 600 seconds, and above the limit.
const ahead_s = fc.constantFrom(0, 0, 0, 1, 600, 601, 3_600)

const lease_s = fc.constantFrom(5, 60)

/** The fields that the recovery cycles of sales and of reversals have in common. */
const cycle = { which: fc.constantFrom("due" as const, "all" as const), ahead_s, lease_s }

const reversalVerdict = fc.constantFrom<ReversalVerdictTag>("Confirm", "Confirm", "Deny", "Free", "Hold")

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("deposit" as const),
      company,
      centavos: fc.constantFrom(1, 10_000, 50_000),
      // Four references, each in two spellings that are the same reference.
      reference: fc.constantFrom("r1", "R1", "r2", "R\u200b2", "r-3", "r\u20133", "r4", "r4\u2800"),
      isNew: fc.boolean()
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("adjust" as const),
      company,
      centavos: fc.constantFrom(1, 10_000, 100_000),
      reference: fc.constantFrom("s1", "s2", "s3")
    })
  },
  {
    weight: 3,
    arbitrary: fc
      .record({
        do: fc.constant("propose" as const),
        company,
        kind: fc.constantFrom<FundingKind>("deposit", "adjustment"),
        centavos: fc.constantFrom(-60_000, -1_000, 1, 10_000),
        // References of deposits and of resets, each in two spellings that are the same reference.
        reference: fc.constantFrom("r1", "R1", "s1", "S\u200b1", "t-1", "t\u20131"),
        isRepeated: fc.boolean()
      })
      .map((wanted) => (wanted.kind === "deposit" ? { ...wanted, centavos: Math.abs(wanted.centavos) } : wanted))
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("decide" as const),
      which: fc.nat(10),
      by: fc.constantFrom("ana" as const, "ANA" as const, "luis" as const, "eva" as const),
      confirms: fc.constantFrom(true, true, true, false)
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("limit" as const),
      company,
      period,
      centavos: fc.constantFrom(0, 500, 10_000, 20_000, 100_000)
    })
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("alert" as const), company, centavos }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("reserve" as const), sale }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("burst" as const),
      // Each key occurs once, because the contract does not define which of two concurrent sales with one key wins.
      sales: fc.uniqueArray(sale, { minLength: 2, maxLength: 6, selector: (each) => `${each.company}:${each.key}` })
    })
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("recall" as const), sale }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("settle" as const),
      ...settlement,
      verdict: fc.constantFrom<VerdictTag>("Confirm", "Release", "Free", "Hold")
    })
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("claim" as const),
      ...cycle,
      verdict: fc.constantFrom<VerdictTag | null>(null, "Hold", "Hold", "Confirm", "Release")
    })
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("reverse" as const),
      reversal: fc.record({ company, key: fc.constantFrom("a", "b", "e", "f"), which: fc.nat(30) })
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("settle reversal" as const), ...settlement, verdict: reversalVerdict })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("claim reversals" as const),
      ...cycle,
      verdict: fc.option(reversalVerdict)
    })
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("follow up" as const),
      check: fc.nat(checks.length - 1),
      ahead_s,
      lease_s,
      crashes: fc.boolean()
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("list" as const),
      company,
      status: fc.constantFrom<Status | undefined>(undefined, "SUCCESS", "FAILED", "PENDING", "PROCESSING", "REVERSED"),
      today: fc.boolean()
    })
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("close" as const), ahead_s }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant("wait" as const), for_ms: wait }) }
)

const opening: ReadonlyArray<Command> = [
  { do: "deposit", company: 0, centavos: 100_000, reference: "r0" },
  { do: "deposit", company: 1, centavos: 100_000, reference: "r0" },
  { do: "limit", company: 1, period: "daily", centavos: 20_000 },
  { do: "limit", company: 1, period: "weekly", centavos: 25_000 },
  { do: "limit", company: 1, period: "monthly", centavos: 30_000 }
]

/** Scenarios that begin near the start of a day, week, month or year, some of them with deposits. */
export const scenario = fc.record({
  begins: fc.constantFrom(
    "2026-03-02T03:59:59.999Z",
    "2026-05-01T03:59:00.000Z",
    "2025-12-31T23:59:59.000Z",
    "2028-02-29T12:00:00.000Z",
    "2026-03-04T04:00:00.000Z"
  ),
  commands: fc
    .tuple(fc.constantFrom([], opening), fc.array(command, { maxLength: 80, size: "max" }))
    .map(([first, then]) => [...first, ...then])
})
