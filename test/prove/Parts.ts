import { Struct } from "effect"
import { readCrashes, readFuzzing, readMutants, readSeeds, readTests } from "./Readings.ts"

/** What is to be run. */
export interface ProvePlan {
  /** What chance there is follows from it. */
  readonly seed: number
  /** How much of the long form: 1 is all of it. */
  readonly share: number
}

/** A bug that was planted, and what caught it. */
export interface CaughtMutant {
  readonly bug: string
  readonly on: string
  readonly seed: number
  readonly law: string
}

/** What a command says that it has done. */
export interface PartResult {
  readonly counts: string
  /** Of planted bugs alone. */
  readonly caught?: ReadonlyArray<CaughtMutant>
  /** The same run again has the same digest; null where a run is not the same to the letter. */
  readonly digest: string | null
  /** What did not hold; null when everything did. */
  readonly broken: string | null
  /** The command that shows it once more; null when it is the same one. */
  readonly again: string | null
}

/** A part of the proof: a command that anybody can run by itself. */
export interface Part {
  /** The script of package.json. */
  readonly script: "simulate" | "test" | "crash" | "fuzz"
  readonly args: (plan: ProvePlan) => ReadonlyArray<string>
  /** What makes it print one JSON document. */
  readonly asJson: string
  /** How long all of it takes on two cores. */
  readonly planned_s: number
  /** How long its shortest form takes. */
  readonly least_s: number
  /** Understands the document; null if it is none. */
  readonly read: (document: string) => PartResult | null
}

/** A share of so many, but one at least. */
const shareOf = (whole: number, { share }: ProvePlan): string => String(Math.max(1, Math.round(whole * share)))

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
    read: readSeeds
  },
  sql: {
    script: "simulate",
    args: (plan) => ["--on", "sql", "--seeds", shareOf(300, plan), "--ops", ops, "--seed", String(plan.seed)],
    asJson: "--json",
    planned_s: 500,
    least_s: 15,
    read: readSeeds
  },
  mutants: {
    script: "simulate",
    // A trial plants those that are found soon.
    args: ({ share }) => (share < 1 ? ["--mutants", "--on", "memory"] : ["--mutants"]),
    asJson: "--json",
    planned_s: 400,
    least_s: 20,
    read: readMutants
  },
  races: {
    script: "test",
    args: () => ["test/postgres/races"],
    asJson: "--reporter=./test/prove/TestReport.ts",
    planned_s: 60,
    least_s: 60,
    read: readTests
  },
  crash: {
    script: "crash",
    args: (plan) => ["--rounds", shareOf(60, plan), "--seed", String(plan.seed)],
    asJson: "--json",
    planned_s: 240,
    least_s: 10,
    read: readCrashes
  },
  fuzz: {
    script: "fuzz",
    args: (plan) => ["--requests", shareOf(20_000, plan), "--seed", String(plan.seed)],
    asJson: "--json",
    planned_s: 180,
    least_s: 10,
    read: readFuzzing
  }
} as const satisfies Record<string, Part>

export type PartName = keyof typeof parts

export const partNames = Struct.keys(parts)

/** How long a share of it takes. */
export const plannedFor = ({ least_s, planned_s }: Part, share: number): number => Math.max(least_s, planned_s * share)
