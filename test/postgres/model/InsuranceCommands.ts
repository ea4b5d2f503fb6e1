import fc from "fast-check"
import { Environment } from "../../../core/domain/Company.ts"
import type { DeliveryResult, SmsResult } from "../../../core/ports/Outbox.ts"
import type { VerdictTag } from "./LedgerCommands.ts"

/**
 * One step of a scenario with two companies that sell insurance. Steps are plain data, so that fast-check can shrink
 * them. `which` is the number of an insurance, a sale or an SMS in the scenario.
 */
export type InsuranceCommand =
  | {
      readonly do: "begin"
      readonly company: number
      readonly environment: Environment
      readonly plate: string
      readonly terminal: string | null
    }
  | { readonly do: "resend"; readonly which: number }
  | { readonly do: "attempt"; readonly which: number }
  | { readonly do: "verify"; readonly which: number }
  | { readonly do: "choose"; readonly which: number; readonly version: string; readonly plan: string }
  /** Stores a quote for a version and plan, which may differ from the chosen version and plan. */
  | {
      readonly do: "quote"
      readonly which: number
      readonly version: string
      readonly plan: string
      readonly centavos: number
    }
  /** Sells at the quoted amount, or at a lower amount that was never quoted. */
  | { readonly do: "sell"; readonly which: number; readonly key: string; readonly as: "quoted" | "cheaper" }
  | { readonly do: "issue"; readonly which: number }
  | { readonly do: "settle"; readonly which: number; readonly verdict: VerdictTag }
  /** Claims queued SMS and records this result. With null, the sender crashes before it records a result. */
  | {
      readonly do: "send"
      readonly lease_s: number
      readonly limit: number
      readonly result: SmsResult["_tag"] | null
    }
  /** Claims accepted SMS and records this delivery. With null, the process crashes before it records a delivery. */
  | {
      readonly do: "trace"
      readonly lease_s: number
      readonly limit: number
      readonly result: DeliveryResult["_tag"] | null
    }
  /** Records the result of sending an SMS, possibly a second time. */
  | { readonly do: "record"; readonly which: number; readonly result: SmsResult["_tag"] }
  | { readonly do: "wait"; readonly for_ms: number }

export const companies = [0, 1] as const

const which = fc.nat(8)
const version = fc.constantFrom("v1", "v1", "v2")
const plan = fc.constantFrom("p1", "p1", "p2")
const result = fc.constantFrom<SmsResult["_tag"]>("Sent", "Later", "Failed", "Unknown")

// Durations of leases, retries, quotes and message limits. A wait lasts one of them, or one millisecond longer.
const second_ms = 1_000
const hour_ms = 3_600 * second_ms
const marks = [
  ...[1, 5 * second_ms, 30 * second_ms, 60 * second_ms, 120 * second_ms, 600 * second_ms],
  ...[1_800 * second_ms, hour_ms, 24 * hour_ms]
]
const wait = fc.tuple(fc.constantFrom(...marks), fc.constantFrom(0, 0, 1)).map(([mark, more]) => mark + more)

const command: fc.Arbitrary<InsuranceCommand> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("begin" as const),
      company: fc.constantFrom(...companies),
      environment: fc.constantFrom(...Environment.literals),
      plate: fc.constantFrom("A123458", "K00001"),
      terminal: fc.constantFrom(null, "caja ñ")
    })
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("resend" as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("attempt" as const), which }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("verify" as const), which }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("choose" as const), which, version, plan }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("quote" as const),
      which,
      version,
      plan,
      centavos: fc.constantFrom(10_000, 20_000)
    })
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("sell" as const),
      which,
      key: fc.constantFrom("a", "b", "c"),
      as: fc.constantFrom("quoted" as const, "quoted" as const, "quoted" as const, "cheaper" as const)
    })
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("issue" as const), which }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("settle" as const),
      which,
      verdict: fc.constantFrom<VerdictTag>("Confirm", "Release", "Free", "Hold")
    })
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("send" as const),
      lease_s: fc.constantFrom(5, 60),
      limit: fc.constantFrom(1, 2, 100),
      result: fc.option(result)
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("trace" as const),
      lease_s: fc.constantFrom(5, 60),
      limit: fc.constantFrom(1, 2, 100),
      result: fc.option(fc.constantFrom<DeliveryResult["_tag"]>("Delivered", "Failed", "Open"))
    })
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("record" as const), which, result }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("wait" as const), for_ms: wait }) }
)

/** The steps from an application to a quote. Without these steps, few scenarios would reach a sale. */
const opening: ReadonlyArray<InsuranceCommand> = [
  { do: "begin", company: 0, environment: "development", plate: "A123458", terminal: null },
  { do: "attempt", which: 0 },
  { do: "verify", which: 0 },
  { do: "choose", which: 0, version: "v1", plan: "p1" },
  { do: "quote", which: 0, version: "v1", plan: "p1", centavos: 10_000 }
]

export const scenario = fc
  .tuple(fc.constantFrom([], opening), fc.array(command, { maxLength: 80, size: "max" }))
  .map(([first, then]) => [...first, ...then])
