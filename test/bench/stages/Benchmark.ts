import { Effect } from "effect"
import { migrate } from "../../../adapters/postgres/schema/Migrations.ts"
import { historyLength_s, makeCompanies, makeHistory } from "../support/Dataset.ts"
import type { Measurement } from "../support/Measurements.ts"
import type { SaleCount } from "../support/Rounds.ts"
import * as Progress from "../support/Rounds.ts"
import { connectedTo, newDatabase, startBare, startPeer, startSaldo } from "../support/Services.ts"
import { cellsLength_s, measureCells } from "./Cells.ts"
import { type ComparisonName, comparisonsLength_s, runComparisons, type ServersUnderTest } from "./Comparisons.ts"
import { consolesLength_s, measureConsoles } from "./Consoles.ts"
import { documentsLength_s, measureDocuments } from "./Documents.ts"
import { eventsLength_s, measureEvents } from "./Events.ts"
import { highestMemory, type MemorySample, soakMemory, watchMemory } from "./Memory.ts"
import { checkSoundness, type SoundnessCheck, soundnessLength_s } from "./Soundness.ts"
import { measureTail, tailLength_s } from "./Tail.ts"
import {
  type CountedService,
  historyComparisonLength_s,
  measureRecovery,
  readWithHistory,
  recoveryLength_s,
  sellWithHistory
} from "./WithHistory.ts"

/** The parameters of a benchmark. */
export interface BenchmarkPlan extends Progress.LoadOptions {
  readonly comparisons: ReadonlyArray<ComparisonName>
  /** Whether to repeat the comparisons with two servers. */
  readonly replicas: boolean
  /** Whether to measure sales during a burst of PDFs. */
  readonly documents: boolean
  /** Whether to compare sales with and without webhooks. */
  readonly events: boolean
  /** Whether to measure the longest response times while other work goes on. */
  readonly tail: boolean
  /** Whether to compare sales over four cells with sales in one. */
  readonly cells: boolean
  /** Whether to compare sales with and without open consoles. */
  readonly console: boolean
  /** Whether to compare with an empty database and a small company. */
  readonly history: boolean
  /** Number of sales in the database before the first measurement. */
  readonly rows: number
  /** Duration of the memory test, in minutes. */
  readonly soak: number
  /** Directory for a CPU profile of the first server; null for no profile. */
  readonly profile: string | null
}

/** Measurements under one heading. */
export interface Section {
  readonly title: string
  readonly measurements: ReadonlyArray<Measurement>
  /** Memory of the server during the measurements; empty when it was not sampled. */
  readonly memory: ReadonlyArray<MemorySample>
}

export interface Results {
  readonly sections: ReadonlyArray<Section>
  readonly checks: ReadonlyArray<SoundnessCheck>
}

const starting_s = 10

const length_s = (plan: BenchmarkPlan): number => {
  const comparisons_s = comparisonsLength_s(plan.comparisons, plan)
  const history_s = plan.history ? historyComparisonLength_s(plan) + recoveryLength_s + soundnessLength_s : 0
  return (
    starting_s +
    historyLength_s(plan.rows) +
    (plan.replicas ? 2 : 1) * comparisons_s +
    (plan.documents ? documentsLength_s(plan) : 0) +
    (plan.console ? consolesLength_s(plan) : 0) +
    (plan.tail ? tailLength_s(plan) : 0) +
    (plan.cells ? cellsLength_s(plan) : 0) +
    (plan.events ? eventsLength_s(plan) + soundnessLength_s : 0) +
    60 * plan.soak +
    history_s +
    soundnessLength_s
  )
}

/** Creates a database with companies and starts a server on it. */
const startSaldoOn = Effect.fnUntraced(function* (
  name: string,
  { profile, rows }: Pick<BenchmarkPlan, "profile" | "rows">
) {
  const database = yield* newDatabase(name)
  const filled = Effect.all([migrate, makeCompanies, makeHistory(rows)], { discard: true })
  yield* Effect.provide(filled, connectedTo(database))
  const saleCount: SaleCount = { answered: 0 }
  return { database, saleCount, service: yield* startSaldo(database, profile) }
})

type OnDatabase = Effect.Success<ReturnType<typeof startSaldoOn>>

const section = (
  title: string,
  measurements: ReadonlyArray<Measurement>,
  memory: ReadonlyArray<MemorySample> = []
): Section => ({
  title,
  measurements,
  memory
})

const oneServer = Effect.fnUntraced(function* (
  servers: ServersUnderTest,
  { service }: CountedService,
  plan: BenchmarkPlan
) {
  const { result, samples } = yield* watchMemory(service.pid, runComparisons(plan.comparisons, servers, plan))
  return section("One server", [...result, highestMemory(samples)], samples)
})

const twoServers = Effect.fnUntraced(function* (
  servers: ServersUnderTest,
  { database }: OnDatabase,
  plan: BenchmarkPlan
) {
  const second = yield* startSaldo(database, null)
  const both = { ...servers, saldo: [...servers.saldo, second] }
  return section("Two servers on one database", yield* runComparisons(plan.comparisons, both, plan))
}, Effect.scoped)

const withHistory = Effect.fnUntraced(function* (full: OnDatabase, plan: BenchmarkPlan) {
  const empty = yield* startSaldoOn("empty", { rows: 0, profile: null })
  const selling = yield* sellWithHistory(full, empty, plan)
  const reading = yield* readWithHistory(full, plan.rows)
  const measurements = [...selling, ...reading, ...(yield* measureRecovery(full.database))]
  const title = `With ${plan.rows.toLocaleString("en")} sales in the database`
  return {
    section: section(title, measurements),
    checks: yield* checkSoundness("empty", empty.database, empty.saleCount)
  }
}, Effect.scoped)

const withEvents = Effect.fnUntraced(function* (off: OnDatabase, plan: BenchmarkPlan) {
  const on = yield* startSaldoOn("events", { rows: 0, profile: null })
  const { checks, measurements } = yield* measureEvents(off, on, plan)
  return {
    section: section("With webhooks", measurements),
    checks: [...checks, ...(yield* checkSoundness("events", on.database, on.saleCount))]
  }
}, Effect.scoped)

const measureAll = Effect.fnUntraced(function* (plan: BenchmarkPlan) {
  const { step } = yield* Progress.BenchmarkProgress
  const peer = yield* step("Starting the servers", starting_s, Effect.flatMap(newDatabase("peer"), startPeer))
  const bare = yield* startBare
  const full = yield* startSaldoOn("saldo", plan)
  const servers: ServersUnderTest = { saldo: [full.service], saleCount: full.saleCount, peer, bare }
  const sections: Array<Section> = []
  const checks: Array<SoundnessCheck> = []
  if (plan.comparisons.length > 0) sections.push(yield* oneServer(servers, full, plan))
  if (plan.comparisons.length > 0 && plan.replicas) sections.push(yield* twoServers(servers, full, plan))
  if (plan.documents) sections.push(section("During PDFs", yield* measureDocuments(full, plan)))
  if (plan.console) sections.push(section("With open consoles", yield* measureConsoles(full, plan)))
  if (plan.tail) sections.push(section("During other work", yield* measureTail(full, plan)))
  if (plan.events) {
    const compared = yield* withEvents(full, plan)
    sections.push(compared.section)
    checks.push(...compared.checks)
  }
  if (plan.cells) {
    const compared = yield* measureCells(full, plan)
    sections.push(section("With four cells", compared.measurements))
    checks.push(...compared.checks)
  }
  if (plan.soak > 0) {
    const { measurements, samples } = yield* soakMemory(full, plan.soak)
    sections.push(section("Memory", measurements, samples))
  }
  if (plan.history) {
    const compared = yield* withHistory(full, plan)
    sections.push(compared.section)
    checks.push(...compared.checks)
  }
  checks.push(...(yield* checkSoundness("main", full.database, full.saleCount)))
  return { sections, checks } satisfies Results
}, Effect.scoped)

/** Runs all planned measurements on the given Postgres. */
export const runBenchmark = Effect.fnUntraced(function* (plan: BenchmarkPlan) {
  const progress = yield* Progress.makeProgress(plan, length_s(plan))
  return yield* Effect.provideService(measureAll(plan), Progress.BenchmarkProgress, progress)
})
