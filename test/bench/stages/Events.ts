import { PgClient } from "@effect/sql-pg"
import { Effect, Schedule, Schema } from "effect"
import { eventId, Sequence } from "../../../core/domain/Event.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { companies_max } from "../support/Dataset.ts"
import { BenchmarkFailed, measure } from "../support/Measure.ts"
import { costOf, type Measurement, percentile, rateOf, singleMeasurement } from "../support/Measurements.ts"
import { BenchmarkProgress, type LoadOptions, playRounds, roundsLength_s } from "../support/Rounds.ts"
import { connectedTo, startEndpoint } from "../support/Services.ts"
import { saleBySaldo } from "../support/Workload.ts"
import type { SoundnessCheck } from "./Soundness.ts"
import type { CountedService } from "./WithHistory.ts"

/** Number of webhooks of each company. */
const webhooks = 2

/** Rate of the sales while the time to the endpoint is measured. */
const salesPerSecond = 500

/** Approximate time until the queue is empty after a load. */
const emptying_s = 15

const steady_s = 20

export const eventsLength_s = (options: LoadOptions): number =>
  roundsLength_s(options) + (options.rounds + 1) * emptying_s + steady_s

const addWebhook = (url: string, endpoint: string, company: number) =>
  Effect.gen(function* () {
    const status = yield* Effect.promise(async (signal) => {
      const response = await fetch(`${url}/v1/webhooks`, {
        method: "POST",
        headers: { authorization: `Bearer bench_${company}.secret_${company}`, "content-type": "application/json" },
        body: JSON.stringify({ url: endpoint }),
        signal
      })
      await response.arrayBuffer()
      return response.status
    })
    if (status !== 201) return yield* new BenchmarkFailed({ message: `a webhook of company ${company} got ${status}` })
  })

const addWebhooks = (url: string, endpoint: string) =>
  Effect.forEach(
    Array.from({ length: companies_max * webhooks }, (_, number) => 1 + (number % companies_max)),
    (company) => addWebhook(url, `${endpoint}/saldo`, company),
    { concurrency: 16, discard: true }
  )

const waiting = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ waiting: number }>`
    select count(*)::int as waiting from cell.delivery where state <> 'entregada'`
  return row?.waiting ?? 0
})

/** Waits until every delivery of an earlier load has succeeded, because deliveries would disturb the next load. */
const delivered = (database: string) =>
  waiting.pipe(
    Effect.repeat({ schedule: Schedule.spaced("500 millis"), until: (count) => count === 0 }),
    Effect.timeoutOrElse({
      duration: "2 minutes",
      orElse: () => Effect.fail(new BenchmarkFailed({ message: "some events were not delivered within two minutes" }))
    }),
    Effect.asVoid,
    Effect.provide(connectedTo(database)),
    Effect.catchTags({ DatabaseUnavailable: Effect.die, SqlError: Effect.die })
  )

const Arrivals = Schema.Array(Schema.Tuple([Schema.String, Schema.Finite]))
const decodeArrivals = Schema.decodeUnknownSync(Arrivals)

const takeArrivals = (endpoint: string) =>
  Effect.promise(async (signal) => decodeArrivals(await (await fetch(endpoint, { signal })).json()))

interface EventTimeRow {
  readonly company_id: bigint
  readonly sequence: bigint
  readonly created_at: Date
}

/** When each event was written, by its id. This is shortly before its commit. */
const eventTimes = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<EventTimeRow>`select company_id, sequence, created_at from cell.event`
  return new Map(
    rows.map(({ company_id, created_at, sequence }) => [
      eventId(CompanyId.make(Number(company_id)), Sequence.make(Number(sequence))),
      created_at.getTime()
    ])
  )
})

/** A server, the number of its sales, and the URL of its database, which no other server uses. */
export interface CountedDatabase extends CountedService {
  readonly database: string
}

/** Measures the time from an event to the first byte of its delivery, while companies sell at a fixed rate. */
const measureDelay = Effect.fnUntraced(function* (on: CountedDatabase, endpoint: string, connections: number) {
  const { step } = yield* BenchmarkProgress
  yield* takeArrivals(endpoint)
  const load = {
    urls: [on.service.url],
    shape: saleBySaldo(companies_max),
    connections,
    seconds: steady_s,
    perSecond: salesPerSecond
  }
  const sold = yield* step(`${salesPerSecond} sales a second with webhooks`, steady_s, measure(load))
  on.saleCount.answered += sold.succeeded
  yield* step("Delivering the rest", emptying_s, delivered(on.database))
  const times = yield* Effect.provide(eventTimes, connectedTo(on.database))
  const arrivals = yield* takeArrivals(endpoint)
  const delays_ms = Float64Array.from(arrivals, ([id, at_ms]) => at_ms - (times.get(id) ?? Number.NaN)).sort()
  const what = `Event to first byte at the endpoint, ${salesPerSecond} sales/s`
  return [
    singleMeasurement(
      { what: "Sales at the fixed rate", unit: "/s", goal: { is: "at least", value: 0.98 * salesPerSecond } },
      sold.perSecond
    ),
    singleMeasurement({ what: `${what}, median`, unit: "ms", goal: null }, percentile(delays_ms, 50)),
    singleMeasurement(
      { what: `${what}, p99`, unit: "ms", goal: { is: "at most", value: 1_000 } },
      percentile(delays_ms, 99)
    )
  ] satisfies ReadonlyArray<Measurement>
})

/**
 * Compares sales of companies with two webhooks each with sales of companies without events, and measures how soon
 * events arrive. The endpoint is a separate process.
 */
export const measureEvents = Effect.fnUntraced(function* (
  off: CountedService,
  on: CountedDatabase,
  { connections, seconds }: LoadOptions
) {
  const { step } = yield* BenchmarkProgress
  const { url: endpoint } = yield* startEndpoint
  yield* addWebhooks(on.service.url, endpoint)
  const side = ({ saleCount, service: { pid, url } }: CountedService, name: string) => ({
    name,
    urls: [url],
    pid,
    shape: saleBySaldo(companies_max),
    saleCount
  })
  const what = "Sales of 1,000 companies with two webhooks each, against without events"
  const rounds = yield* playRounds({
    what,
    ours: { ...side(on, "events on"), after: step("Delivering the events", emptying_s, delivered(on.database)) },
    theirs: side(off, "events off"),
    connections,
    seconds
  })
  const measurements = [
    rateOf(what, { is: "at least", value: 0.85 }, rounds),
    ...costOf("Processor time of the server for these sales", "cpu_us", rounds),
    ...costOf("Processor time of the database for these sales", "database_us", rounds),
    ...(yield* measureDelay(on, endpoint, connections))
  ]
  const left = yield* Effect.provide(waiting, connectedTo(on.database))
  const checks: ReadonlyArray<SoundnessCheck> = [
    { what: "Every event was delivered to both webhooks", ok: left === 0, detail: `${left} not delivered` }
  ]
  return { measurements, checks }
}, Effect.scoped)
