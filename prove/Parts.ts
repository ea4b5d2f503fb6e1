import { Struct } from "effect"
import type { Part, Plan } from "./Part.ts"
import { ofCrashes, ofHunt, ofRequests, ofSeeds, ofTests } from "./Readings.ts"

/** A share of so many, but one at least. */
const shareOf = (whole: number, { share }: Plan): string => String(Math.max(1, Math.round(whole * share)))

/** Seeds have so many operations. */
const ops = "200"

/** Everything that is run, in its order. */
export const parts = {
  memory: {
    script: "simulate",
    args: (plan) => ["--seeds", shareOf(2_000, plan), "--ops", ops, "--seed", String(plan.seed)],
    asJson: "--json",
    planned_s: 300,
    least_s: 5,
    read: ofSeeds
  },
  sql: {
    script: "simulate",
    args: (plan) => ["--on", "sql", "--seeds", shareOf(300, plan), "--ops", ops, "--seed", String(plan.seed)],
    asJson: "--json",
    planned_s: 500,
    least_s: 15,
    read: ofSeeds
  },
  mutants: {
    script: "simulate",
    // A trial plants those that are found soon.
    args: ({ share }) => (share < 1 ? ["--mutants", "--on", "memory"] : ["--mutants"]),
    asJson: "--json",
    planned_s: 400,
    least_s: 20,
    read: ofHunt
  },
  races: {
    script: "test",
    args: () => ["test/races"],
    asJson: "--reporter=./prove/TestReport.ts",
    planned_s: 60,
    least_s: 60,
    read: ofTests
  },
  crash: {
    script: "crash",
    args: (plan) => ["--rounds", shareOf(60, plan), "--seed", String(plan.seed)],
    asJson: "--json",
    planned_s: 240,
    least_s: 10,
    read: ofCrashes
  },
  fuzz: {
    script: "fuzz",
    args: (plan) => ["--requests", shareOf(20_000, plan), "--seed", String(plan.seed)],
    asJson: "--json",
    planned_s: 180,
    least_s: 10,
    read: ofRequests
  }
} as const satisfies Record<string, Part>

export type PartName = keyof typeof parts

export const partNames = Struct.keys(parts)

/** How long a share of it takes. */
export const plannedFor = ({ least_s, planned_s }: Part, share: number): number => Math.max(least_s, planned_s * share)
