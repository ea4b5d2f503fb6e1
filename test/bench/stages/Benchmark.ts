import { Effect } from "effect"
import { migrate } from "../../../adapters/postgres/schema/Migrations.ts"
import { historyLength_s, makeCompanies, makeHistory } from "../support/Dataset.ts"
import type { Measurement } from "../support/Measurements.ts"
import type { SaleCount } from "../support/Rounds.ts"
import * as Progress from "../support/Rounds.ts"
import { connectedTo, newDatabase, startBare, startPeer, startSaldo } from "../support/Services.ts"
import { type ComparisonName, comparisonsLength_s, runComparisons, type ServersUnderTest } from "./Comparisons.ts"
import { highestMemory, type MemorySample, soakMemory, watchMemory } from "./Memory.ts"
import { checkSoundness, type SoundnessCheck, soundnessLength_s } from "./Soundness.ts"
import {
  type CountedService,
  historyComparisonLength_s,
  measureRecovery,
  readWithHistory,
  recoveryLength_s,
  sellWithHistory
} from "./WithHistory.ts"

/** What the benchmark is to measure. */
export interface BenchmarkPlan extends Progress.LoadOptions {
  readonly contests: ReadonlyArray<ComparisonName>
  /** Whether the contests are held once more with two servers. */
  readonly replicas: boolean
  /** How many sales are there before anything is measured. */
  readonly rows: number
  /** For how many minutes the memory is watched. */
  readonly soak: number
  /** Where the first server leaves a CPU profile; null for none. */
  readonly profile: string | null
}

/** Figures that belong together. */
export interface Section {
  readonly title: string
  readonly figures: ReadonlyArray<Measurement>
  /** The server's memory meanwhile, where it was watched. */
  readonly memory: ReadonlyArray<MemorySample>
}

export interface Results {
  readonly sections: ReadonlyArray<Section>
  readonly proofs: ReadonlyArray<SoundnessCheck>
}

const starting_s = 10

const length_s = (plan: BenchmarkPlan): number => {
  const contests_s = comparisonsLength_s(plan.contests, plan)
  const history_s = plan.rows > 0 ? historyComparisonLength_s(plan) + recoveryLength_s + soundnessLength_s : 0
  return (
    starting_s +
    historyLength_s(plan.rows) +
    (plan.replicas ? 2 : 1) * contests_s +
    60 * plan.soak +
    history_s +
    soundnessLength_s
  )
}

/** A database with companies, and a server on it. */
const startSaldoOn = Effect.fnUntraced(function* (
  name: string,
  { profile, rows }: Pick<BenchmarkPlan, "profile" | "rows">
) {
  const database = yield* newDatabase(name)
  const filled = Effect.all([migrate, makeCompanies, makeHistory(rows)], { discard: true })
  yield* Effect.provide(filled, connectedTo(database))
  const book: SaleCount = { answered: 0 }
  return { database, book, service: yield* startSaldo(database, profile) }
})

type OnDatabase = Effect.Success<ReturnType<typeof startSaldoOn>>

const section = (
  title: string,
  figures: ReadonlyArray<Measurement>,
  memory: ReadonlyArray<MemorySample> = []
): Section => ({
  title,
  figures,
  memory
})

const oneServer = Effect.fnUntraced(function* (
  field: ServersUnderTest,
  { service }: CountedService,
  plan: BenchmarkPlan
) {
  const { result, samples } = yield* watchMemory(service.pid, runComparisons(plan.contests, field, plan))
  return section("One server", [...result, highestMemory(samples)], samples)
})

const twoServers = Effect.fnUntraced(function* (
  field: ServersUnderTest,
  { database }: OnDatabase,
  plan: BenchmarkPlan
) {
  const second = yield* startSaldo(database, null)
  const both = { ...field, saldo: [...field.saldo, second] }
  return section("Two servers on one database", yield* runComparisons(plan.contests, both, plan))
}, Effect.scoped)

const withHistory = Effect.fnUntraced(function* (full: OnDatabase, plan: BenchmarkPlan) {
  const empty = yield* startSaldoOn("empty", { rows: 0, profile: null })
  const selling = yield* sellWithHistory(full, empty, plan)
  const reading = yield* readWithHistory(full, plan.rows)
  const figures = [...selling, ...reading, ...(yield* measureRecovery(full.database))]
  const title = `With ${plan.rows.toLocaleString("en")} sales in the database`
  return { section: section(title, figures), proofs: yield* checkSoundness("empty", empty.database, empty.book) }
}, Effect.scoped)

const measureAll = Effect.fnUntraced(function* (plan: BenchmarkPlan) {
  const { step } = yield* Progress.BenchmarkProgress
  const peer = yield* step("Starting the servers", starting_s, Effect.flatMap(newDatabase("peer"), startPeer))
  const bare = yield* startBare
  const full = yield* startSaldoOn("saldo", plan)
  const field: ServersUnderTest = { saldo: [full.service], book: full.book, peer, bare }
  const sections: Array<Section> = []
  const proofs: Array<SoundnessCheck> = []
  if (plan.contests.length > 0) sections.push(yield* oneServer(field, full, plan))
  if (plan.contests.length > 0 && plan.replicas) sections.push(yield* twoServers(field, full, plan))
  if (plan.soak > 0) {
    const { figures, samples } = yield* soakMemory(full, plan.soak)
    sections.push(section("Memory", figures, samples))
  }
  if (plan.rows > 0) {
    const compared = yield* withHistory(full, plan)
    sections.push(compared.section)
    proofs.push(...compared.proofs)
  }
  proofs.push(...(yield* checkSoundness("main", full.database, full.book)))
  return { sections, proofs } satisfies Results
}, Effect.scoped)

/** Measures what is planned; needs the Postgres on which all of it takes place. */
export const runBenchmark = Effect.fnUntraced(function* (plan: BenchmarkPlan) {
  const progress = yield* Progress.makeProgress(plan, length_s(plan))
  return yield* Effect.provideService(measureAll(plan), Progress.BenchmarkProgress, progress)
})
