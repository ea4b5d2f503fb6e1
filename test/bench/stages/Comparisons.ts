import { Effect } from "effect"
import { companies_max } from "../support/Dataset.ts"
import { costOf, type Goal, latencyOf, type Measurement, type Round, rateOf } from "../support/Measurements.ts"
import { type LoadOptions, playRounds, roundsLength_s, type SaleCount, type Side } from "../support/Rounds.ts"
import type { Service } from "../support/Services.ts"
import { type RequestShape, readFromBare, readFromSaldo, saleByPeer, saleBySaldo } from "../support/Workload.ts"

/** A load that Saldo and another service handle alternately, and the measurements that are taken during this load. */
interface Comparison {
  readonly name: "many" | "busy" | "alone" | "read"
  readonly what: string
  readonly ours: RequestShape
  readonly against: "peer" | "bare"
  readonly theirs: RequestShape
  /** `one`: one call at a time. `many`: as many concurrent calls as `--connections` states. */
  readonly calls: "one" | "many"
  readonly measurements: (rounds: ReadonlyArray<Round>) => ReadonlyArray<Measurement>
}

const atLeast = (value: number): Goal => ({ is: "at least", value })
const atMost = (value: number): Goal => ({ is: "at most", value })

/** Measurements of concurrent sales: rate, p99 latency and processor time. The goals are ratios to the peer. */
const saleMeasurements =
  (sellers: string, goals: { readonly rate_min: number; readonly p99_max: number }) =>
  (rounds: ReadonlyArray<Round>) => [
    rateOf(`Sales of ${sellers}`, atLeast(goals.rate_min), rounds),
    latencyOf(`p99 of a sale, ${sellers}`, "p99_ms", atMost(goals.p99_max), rounds),
    ...costOf("Processor time of the server for a sale", "cpu_us", rounds),
    ...costOf("Processor time of the database for a sale", "database_us", rounds),
    ...costOf("Write-ahead log of a sale", "log_bytes", rounds),
    ...costOf("Flushes of the log for a sale", "log_flushes", rounds)
  ]

const comparisons: ReadonlyArray<Comparison> = [
  {
    name: "many",
    what: "Sales of 1,000 companies",
    ours: saleBySaldo(companies_max),
    against: "peer",
    theirs: saleByPeer(companies_max),
    calls: "many",
    measurements: saleMeasurements("1,000 companies", { rate_min: 5.5, p99_max: 0.35 })
  },
  {
    name: "busy",
    what: "Sales of one busy company",
    ours: saleBySaldo(1),
    against: "peer",
    theirs: saleByPeer(1),
    calls: "many",
    measurements: saleMeasurements("one busy company", { rate_min: 15, p99_max: 0.5 })
  },
  {
    name: "alone",
    what: "One sale alone",
    ours: saleBySaldo(1),
    against: "peer",
    theirs: saleByPeer(1),
    calls: "one",
    measurements: (rounds) => [latencyOf("One sale alone, median", "p50_ms", atMost(1), rounds)]
  },
  {
    name: "read",
    what: "GET /v1/saldo",
    ours: readFromSaldo("/v1/saldo", companies_max),
    against: "bare",
    theirs: readFromBare,
    calls: "many",
    measurements: (rounds) => [
      rateOf('GET /v1/saldo, against a bare "ok"', null, rounds),
      ...costOf("Processor time of the server for a read", "cpu_us", rounds)
    ]
  }
]

export type ComparisonName = Comparison["name"]
export const comparisonNames = comparisons.map(({ name }) => name)

/** Saldo as one or more servers on one database, and the services with which it is compared. */
export interface ServersUnderTest {
  readonly saldo: ReadonlyArray<Service>
  readonly saleCount: SaleCount
  readonly peer: Service
  readonly bare: Service
}

const sides = (
  { against, calls, ours, theirs, what }: Comparison,
  { saleCount, saldo, ...others }: ServersUnderTest
) => {
  // A load with one call at a time needs only one server.
  const servers = calls === "one" ? saldo.slice(0, 1) : saldo
  const other = others[against]
  const side: Side = {
    name: servers.length === 1 ? "Saldo" : `${servers.length} Saldos`,
    urls: servers.map(({ url }) => url),
    shape: ours,
    pid: servers.length === 1 ? (servers[0]?.pid ?? null) : null,
    ...(ours.method === "POST" && { saleCount })
  }
  return { what, ours: side, theirs: { name: against, urls: [other.url], shape: theirs, pid: other.pid } }
}

const comparisonsNamed = (names: ReadonlyArray<string>) => comparisons.filter(({ name }) => names.includes(name))

export const comparisonsLength_s = (names: ReadonlyArray<string>, options: LoadOptions): number =>
  comparisonsNamed(names).length * roundsLength_s(options)

/** Runs the comparisons of these names in order. */
export const runComparisons = (
  names: ReadonlyArray<string>,
  servers: ServersUnderTest,
  { connections, seconds }: LoadOptions
) =>
  Effect.map(
    Effect.forEach(comparisonsNamed(names), (comparison) =>
      Effect.map(
        playRounds({
          ...sides(comparison, servers),
          connections: comparison.calls === "one" ? 1 : connections,
          seconds
        }),
        comparison.measurements
      )
    ),
    (measurements) => measurements.flat()
  )
