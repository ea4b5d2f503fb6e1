import { Struct } from "effect"
import { readCrashes, readFuzzing, readMutants, readSeeds, readTests } from "./Readings.ts"

/** Seed and size of a proof. */
export interface ProvePlan {
  /** Seed of every part that makes random choices. */
  readonly seed: number
  /** Size of the run as a fraction of the full size; 1 is the full size. */
  readonly share: number
}

/** A planted bug, and the invariant that caught it. */
export interface CaughtMutant {
  readonly bug: string
  readonly on: string
  readonly seed: number
  readonly invariant: string
}

/** Result of a part, read from the output of its command. */
export interface PartResult {
  readonly counts: string
  /** The caught bugs; present only for the part that plants bugs. */
  readonly caught?: ReadonlyArray<CaughtMutant>
  /** Digest that a repeated run reproduces; null if the run is not deterministic. */
  readonly digest: string | null
  /** The violation; null if every invariant held. */
  readonly broken: string | null
  /** Command that reproduces the violation; null if the command of the part reproduces it. */
  readonly again: string | null
}

/** A part of the proof: a command that a user can also run alone. */
export interface Part {
  /** Name of the script in package.json. */
  readonly script: "simulate" | "test" | "crash" | "fuzz"
  readonly args: (plan: ProvePlan) => ReadonlyArray<string>
  /** Flag that makes the command print one JSON document. */
  readonly asJson: string
  /** Duration of the part at full size, on two cores. */
  readonly planned_s: number
  /** Duration of the part at its smallest size. */
  readonly least_s: number
  /** Reads the printed document; null if the document is not valid. */
  readonly read: (document: string) => PartResult | null
}

/** The number multiplied by the plan's fraction of the full size, and rounded; at least 1. */
const shareOf = (whole: number, { share }: ProvePlan): string => String(Math.max(1, Math.round(whole * share)))

/** Number of operations of each simulated seed. */
const ops = "200"

/** All parts in the order in which they run. */
export const parts = {
  memory: {
    script: "simulate",
    args: (plan) => ["--seeds", shareOf(2_000, plan), "--ops", ops, "--seed", String(plan.seed)],
    asJson: "--json",
    planned_s: 360,
    least_s: 5,
    read: readSeeds
  },
  sql: {
    script: "simulate",
    args: (plan) => ["--on", "sql", "--seeds", shareOf(500, plan), "--ops", ops, "--seed", String(plan.seed)],
    asJson: "--json",
    planned_s: 7_200,
    least_s: 15,
    read: readSeeds
  },
  mutants: {
    script: "simulate",
    // A run below full size plants only the bugs that the faster in-memory simulation catches.
    args: ({ share }) => (share < 1 ? ["--mutants", "--on", "memory"] : ["--mutants"]),
    asJson: "--json",
    planned_s: 720,
    least_s: 20,
    read: readMutants
  },
  races: {
    script: "test",
    args: () => ["test/postgres/races"],
    asJson: "--reporter=./test/prove/TestReport.ts",
    planned_s: 120,
    least_s: 120,
    read: readTests
  },
  crash: {
    script: "crash",
    args: (plan) => ["--rounds", shareOf(60, plan), "--seed", String(plan.seed)],
    asJson: "--json",
    planned_s: 960,
    least_s: 10,
    read: readCrashes
  },
  fuzz: {
    script: "fuzz",
    args: (plan) => ["--requests", shareOf(20_000, plan), "--seed", String(plan.seed)],
    asJson: "--json",
    planned_s: 80,
    least_s: 10,
    read: readFuzzing
  }
} as const satisfies Record<string, Part>

export type PartName = keyof typeof parts

export const partNames = Struct.keys(parts)

/** Expected duration of a part at this fraction of its full size. */
export const plannedFor = ({ least_s, planned_s }: Part, share: number): number => Math.max(least_s, planned_s * share)
