import { Effect } from "effect"
import { companies_max } from "../support/Companies.ts"
import { cpu, type Figure, type Goal, latency, type Round, rate } from "../support/Figures.ts"
import type { Options } from "../support/Progress.ts"
import { type Book, length_s, play, type Side } from "../support/Rounds.ts"
import type { Service } from "../support/Services.ts"
import { readFromBare, readFromSaldo, type Shape, saleByPeer, saleBySaldo } from "../support/Shape.ts"

/** A load that Saldo and another do in turn, and what is read off it. */
interface Contest {
  readonly name: "many" | "busy" | "alone" | "read"
  readonly what: string
  readonly ours: Shape
  readonly against: "peer" | "bare"
  readonly theirs: Shape
  /** One call after the other, or as many at once as the benchmark was asked for. */
  readonly calls: "one" | "many"
  readonly figures: (rounds: ReadonlyArray<Round>) => ReadonlyArray<Figure>
}

const atLeast = (value: number): Goal => ({ is: "at least", value })
const atMost = (value: number): Goal => ({ is: "at most", value })

/** What sales of many at once come to: how many, how late the latest are, and what they cost. */
const selling = (sellers: string, ratio: number) => (rounds: ReadonlyArray<Round>) => [
  rate(`Sales of ${sellers}`, atLeast(ratio), rounds),
  latency(`p99 of a sale, ${sellers}`, "p99_ms", atMost(0.5), rounds),
  ...cpu("Processor time of the server for a sale", "cpu_us", rounds),
  ...cpu("Processor time of the database for a sale", "database_us", rounds)
]

const contests: ReadonlyArray<Contest> = [
  {
    name: "many",
    what: "Sales of 1,000 companies",
    ours: saleBySaldo(companies_max),
    against: "peer",
    theirs: saleByPeer(companies_max),
    calls: "many",
    figures: selling("1,000 companies", 4.5)
  },
  {
    name: "busy",
    what: "Sales of one busy company",
    ours: saleBySaldo(1),
    against: "peer",
    theirs: saleByPeer(1),
    calls: "many",
    figures: selling("one busy company", 12)
  },
  {
    name: "alone",
    what: "One sale alone",
    ours: saleBySaldo(1),
    against: "peer",
    theirs: saleByPeer(1),
    calls: "one",
    figures: (rounds) => [latency("One sale alone, median", "p50_ms", atMost(1), rounds)]
  },
  {
    name: "read",
    what: "GET /v1/saldo",
    ours: readFromSaldo("/v1/saldo", companies_max),
    against: "bare",
    theirs: readFromBare,
    calls: "many",
    figures: (rounds) => [
      rate('GET /v1/saldo, against a bare "ok"', atLeast(0.35), rounds),
      ...cpu("Processor time of the server for it", "cpu_us", rounds)
    ]
  }
]

export type ContestName = Contest["name"]
export const contestNames = contests.map(({ name }) => name)

/** Saldo, as so many servers on one database, and whom it is measured against. */
export interface Field {
  readonly saldo: ReadonlyArray<Service>
  readonly book: Book
  readonly peer: Service
  readonly bare: Service
}

const sides = ({ against, calls, ours, theirs, what }: Contest, { book, saldo, ...others }: Field) => {
  // One call at a time needs one server.
  const servers = calls === "one" ? saldo.slice(0, 1) : saldo
  const other = others[against]
  const side: Side = {
    name: servers.length === 1 ? "Saldo" : `${servers.length} Saldos`,
    urls: servers.map(({ url }) => url),
    shape: ours,
    pid: servers.length === 1 ? (servers[0]?.pid ?? null) : null,
    ...(ours.method === "POST" && { book })
  }
  return { what, ours: side, theirs: { name: against, urls: [other.url], shape: theirs, pid: other.pid } }
}

const wanted = (names: ReadonlyArray<string>) => contests.filter(({ name }) => names.includes(name))

export const contestsLength_s = (names: ReadonlyArray<string>, options: Options): number =>
  wanted(names).length * length_s(options)

/** Holds the contests of these names, one after the other. */
export const contend = (names: ReadonlyArray<string>, field: Field, { connections, seconds }: Options) =>
  Effect.map(
    Effect.forEach(wanted(names), (contest) =>
      Effect.map(
        play({ ...sides(contest, field), connections: contest.calls === "one" ? 1 : connections, seconds }),
        contest.figures
      )
    ),
    (figures) => figures.flat()
  )
