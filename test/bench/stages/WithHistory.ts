import { Array as Arr, Duration, Effect } from "effect"
import { ended } from "../../support/SaldoProcess.ts"
import { companies_max, largeCompany, makePendingSales, salesOf, smallCompany } from "../support/Dataset.ts"
import { BenchmarkFailed } from "../support/Measure.ts"
import { costOf, type Goal, latencyOf, type Measurement, rateOf, singleMeasurement } from "../support/Measurements.ts"
import { BenchmarkProgress, type LoadOptions, playRounds, roundsLength_s, type SaleCount } from "../support/Rounds.ts"
import { command, connectedTo, type Service } from "../support/Services.ts"
import { readByCompany, saleBySaldo } from "../support/Workload.ts"
import { highest_MB, watchMemory } from "./Memory.ts"

/** A server, and the number of its successful sales. */
export interface CountedService {
  readonly service: Service
  readonly saleCount: SaleCount
}

const speedGoal: Goal = { is: "at least", value: 0.95 }
const latencyGoal: Goal = { is: "at most", value: 2 }

const saleLoads = [
  { what: "Sales of 1,000 companies", companies: companies_max },
  { what: "Sales of one busy company", companies: 1 }
]

const perPage = 50
const deepest = 1_000

/** Page number 1,000 of a company, or a page close to its last page if it has fewer pages. */
const deepPage = (company: number, rows: number): number =>
  Math.max(1, Math.min(deepest, Math.floor((0.9 * salesOf(company, rows)) / perPage)))

const page = (path: string, number: number) => `${path}?page=${number}&per_page=${perPage}`

const lists = [
  { what: "Sales", path: "/v1/transacciones" },
  { what: "Statement", path: "/v1/movimientos" }
]

/** Reads that are compared between a company with many sales and a company with few. */
const readings = (rows: number) => [
  ...lists.flatMap(({ path, what }) => [
    { what: `${what}, first page`, path: () => page(path, 1) },
    {
      what: `${what}, page ${deepPage(largeCompany, rows)}`,
      path: (company: number) => page(path, deepPage(company, rows))
    }
  ]),
  { what: "Balance", path: () => "/v1/saldo" }
]

const reading_s = 2

export const historyComparisonLength_s = (options: LoadOptions): number =>
  saleLoads.length * roundsLength_s(options) + readings(0).length * roundsLength_s({ ...options, seconds: reading_s })

/** Compares sales on a database with a long history and on an empty database. */
export const sellWithHistory = (full: CountedService, empty: CountedService, { connections, seconds }: LoadOptions) =>
  Effect.forEach(saleLoads, ({ companies, what }) => {
    const side = ({ saleCount, service: { pid, url } }: CountedService, name: string) => ({
      name,
      urls: [url],
      pid,
      shape: saleBySaldo(companies),
      saleCount
    })
    return Effect.map(
      playRounds({ what, ours: side(full, "full"), theirs: side(empty, "empty"), connections, seconds }),
      (rounds) => [
        rateOf(`${what}, against an empty database`, speedGoal, rounds),
        ...costOf(`Write-ahead log of these sales, each`, "log_bytes", rounds)
      ]
    )
  }).pipe(Effect.map(Arr.flatten))

/** Compares reads of a company with a long history and reads of a company with a short history. */
export const readWithHistory = ({ service: { url } }: CountedService, rows: number) =>
  Effect.forEach(readings(rows), ({ path, what }) => {
    const side = (company: number, name: string) => ({
      name,
      urls: [url],
      pid: null,
      shape: readByCompany(path(company), company)
    })
    return Effect.map(
      playRounds({
        what,
        ours: side(largeCompany, "large company"),
        theirs: side(smallCompany, "small company"),
        connections: 1,
        seconds: reading_s
      }),
      (rounds) => latencyOf(`${what}, median, against a small company`, "p50_ms", latencyGoal, rounds)
    )
  })

const pendingSales = 100_000
const recoveryPlanned_s = 90
const memory_MB = 512

export const recoveryLength_s = recoveryPlanned_s

/** Measures how fast `saldo reconcile` settles pending sales when the provider answers immediately. */
export const measureRecovery = Effect.fnUntraced(function* (database: string) {
  const { step } = yield* BenchmarkProgress
  return yield* step(
    `Recovery of ${pendingSales} pending sales`,
    recoveryPlanned_s,
    Effect.scoped(
      Effect.gen(function* () {
        yield* Effect.provide(makePendingSales(pendingSales), connectedTo(database))
        const reconcile = yield* command(database, ["reconcile"])
        const [took, { result, samples }] = yield* Effect.timed(
          watchMemory(reconcile.process.pid ?? 0, ended(reconcile))
        )
        const { confirmadas } = result === 0 ? JSON.parse(reconcile.stdout()) : { confirmadas: 0 }
        if (confirmadas !== pendingSales) {
          return yield* new BenchmarkFailed({
            message: `reconcile confirmed ${confirmadas} of ${pendingSales}: ${reconcile.stderr()}${reconcile.stdout()}`
          })
        }
        const rate = pendingSales / Duration.toSeconds(took)
        return [
          singleMeasurement(
            { what: "Recovery of 100,000 pending sales", unit: "/s", goal: { is: "at least", value: 1_000 } },
            rate
          ),
          singleMeasurement(
            { what: "Peak memory of the recovery", unit: "MB", goal: { is: "at most", value: memory_MB } },
            highest_MB(samples)
          )
        ] satisfies ReadonlyArray<Measurement>
      })
    )
  )
})
