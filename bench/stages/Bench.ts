import { Effect } from "effect"
import { migrate } from "../../adapters/postgres/Migrations.ts"
import { makeCompanies } from "../support/Companies.ts"
import type { Figure } from "../support/Figures.ts"
import { historyLength_s, makeHistory } from "../support/History.ts"
import { type Sample, watching } from "../support/Memory.ts"
import * as Progress from "../support/Progress.ts"
import type { Book } from "../support/Rounds.ts"
import { connectedTo, newDatabase, startBare, startPeer, startSaldo } from "../support/Services.ts"
import { type ContestName, contend, contestsLength_s, type Field } from "./Contest.ts"
import { type Booked, comparisonLength_s, readWithHistory, sellWithHistory } from "./History.ts"
import { highest, soak } from "./Memory.ts"
import { recover, recoveryLength_s } from "./Recovery.ts"
import { type Proof, prove, soundnessLength_s } from "./Soundness.ts"

/** What the benchmark is to measure. */
export interface Plan extends Progress.Options {
  readonly contests: ReadonlyArray<ContestName>
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
  readonly figures: ReadonlyArray<Figure>
  /** The server's memory meanwhile, where it was watched. */
  readonly memory: ReadonlyArray<Sample>
}

export interface Results {
  readonly sections: ReadonlyArray<Section>
  readonly proofs: ReadonlyArray<Proof>
}

const starting_s = 10

const length_s = (plan: Plan): number => {
  const contests_s = contestsLength_s(plan.contests, plan)
  const history_s = plan.rows > 0 ? comparisonLength_s(plan) + recoveryLength_s + soundnessLength_s : 0
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
const saldoOn = Effect.fnUntraced(function* (name: string, { profile, rows }: Pick<Plan, "profile" | "rows">) {
  const database = yield* newDatabase(name)
  const filled = Effect.all([migrate, makeCompanies, makeHistory(rows)], { discard: true })
  yield* Effect.provide(filled, connectedTo(database))
  const book: Book = { answered: 0 }
  return { database, book, service: yield* startSaldo(database, profile) }
})

type OnDatabase = Effect.Success<ReturnType<typeof saldoOn>>

const section = (title: string, figures: ReadonlyArray<Figure>, memory: ReadonlyArray<Sample> = []): Section => ({
  title,
  figures,
  memory
})

const oneServer = Effect.fnUntraced(function* (field: Field, { service }: Booked, plan: Plan) {
  const { result, samples } = yield* watching(service.pid, contend(plan.contests, field, plan))
  return section("One server", [...result, highest(samples)], samples)
})

const twoServers = Effect.fnUntraced(function* (field: Field, { database }: OnDatabase, plan: Plan) {
  const second = yield* startSaldo(database, null)
  const both = { ...field, saldo: [...field.saldo, second] }
  return section("Two servers on one database", yield* contend(plan.contests, both, plan))
}, Effect.scoped)

const withHistory = Effect.fnUntraced(function* (full: OnDatabase, plan: Plan) {
  const empty = yield* saldoOn("empty", { rows: 0, profile: null })
  const selling = yield* sellWithHistory(full, empty, plan)
  const reading = yield* readWithHistory(full, plan.rows)
  const figures = [...selling, ...reading, ...(yield* recover(full.database))]
  const title = `With ${plan.rows.toLocaleString("en")} sales in the database`
  return { section: section(title, figures), proofs: yield* prove("empty", empty.database, empty.book) }
}, Effect.scoped)

const measureAll = Effect.fnUntraced(function* (plan: Plan) {
  const { step } = yield* Progress.Progress
  const peer = yield* step("Starting the servers", starting_s, Effect.flatMap(newDatabase("peer"), startPeer))
  const bare = yield* startBare
  const full = yield* saldoOn("saldo", plan)
  const field: Field = { saldo: [full.service], book: full.book, peer, bare }
  const sections: Array<Section> = []
  const proofs: Array<Proof> = []
  if (plan.contests.length > 0) sections.push(yield* oneServer(field, full, plan))
  if (plan.contests.length > 0 && plan.replicas) sections.push(yield* twoServers(field, full, plan))
  if (plan.soak > 0) {
    const { figures, samples } = yield* soak(full, plan.soak)
    sections.push(section("Memory", figures, samples))
  }
  if (plan.rows > 0) {
    const compared = yield* withHistory(full, plan)
    sections.push(compared.section)
    proofs.push(...compared.proofs)
  }
  proofs.push(...(yield* prove("main", full.database, full.book)))
  return { sections, proofs } satisfies Results
}, Effect.scoped)

/** Measures what is planned; needs the Postgres on which all of it takes place. */
export const run = Effect.fnUntraced(function* (plan: Plan) {
  const progress = yield* Progress.make(plan, length_s(plan))
  return yield* Effect.provideService(measureAll(plan), Progress.Progress, progress)
})
