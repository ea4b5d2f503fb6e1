import { Effect, Schema } from "effect"
import { largeCompany, smallCompany } from "../support/Dataset.ts"
import { BenchmarkFailed } from "../support/Measure.ts"
import { latencyOf, type Measurement } from "../support/Measurements.ts"
import { type LoadOptions, playRounds, roundsLength_s } from "../support/Rounds.ts"
import { placeholdersOf, requestOf, saleByCompany } from "../support/Workload.ts"
import type { CountedService } from "./WithHistory.ts"

/** Number of PDFs that are requested at the same time. A token may make as many calls in a minute. */
const burst = 120

/** Number of receipts. The server keeps fewer in memory, so each PDF is rendered. */
const receipts = 400

export const documentsLength_s = (options: LoadOptions): number => roundsLength_s(options)

const Sold = Schema.Struct({ data: Schema.Struct({ transaction_id: Schema.Int }) })
const decodeSold = Schema.decodeUnknownSync(Sold)

const authorization = `Bearer bench_${largeCompany}.secret_${largeCompany}`

/** Makes receipts of a company. Their PDFs are larger in number than the server keeps in memory. */
export const makeReceipts = ({ saleCount, service: { url } }: CountedService) =>
  Effect.forEach(
    Array.from({ length: receipts }, (_, number) => number),
    (number) => sellOne(url, number),
    { concurrency: 8 }
  ).pipe(
    Effect.tap((ids) =>
      Effect.sync(() => {
        saleCount.answered += ids.length
      })
    )
  )

const sellOne = (url: string, number: number) =>
  Effect.promise(async (signal) => {
    const { body, headers, method, path } = requestOf(
      saleByCompany(largeCompany),
      placeholdersOf(saleByCompany(largeCompany), "receipts", number)
    )
    const response = await fetch(url + path, { method, headers, body: body ?? null, signal })
    return decodeSold(await response.json()).data.transaction_id
  })

/** Keeps 120 requests of a company for PDFs open. Runs until it is interrupted or fails. */
export const askForDocuments = (url: string, ids: ReadonlyArray<number>): Effect.Effect<never, BenchmarkFailed> => {
  let next = 0
  const ask = Effect.gen(function* () {
    const id = ids[next++ % ids.length]
    const status = yield* Effect.promise(async (signal) => {
      const path = `/v1/transacciones/${id}/recibo?formato=pdf`
      const response = await fetch(url + path, { headers: { authorization }, signal })
      await response.arrayBuffer()
      return response.status
    })
    // A server that prepares too many PDFs answers 503 and asks the client to come back.
    if (status === 503) return yield* Effect.sleep("1 second")
    if (status !== 200) return yield* new BenchmarkFailed({ message: `the PDF of receipt ${id} got ${status}` })
  })
  const asking = Array.from({ length: burst }, () => Effect.forever(ask))
  return Effect.andThen(Effect.all(asking, { concurrency: "unbounded", discard: true }), Effect.never)
}

/** Compares the sales of a company during a burst of PDFs for another company with its sales without the burst. */
export const measureDocuments = Effect.fnUntraced(function* (
  server: CountedService,
  { seconds }: Pick<LoadOptions, "seconds">
) {
  const {
    saleCount,
    service: { url }
  } = server
  const ids = yield* makeReceipts(server)
  const usual = { name: "usual", urls: [url], pid: null, shape: saleByCompany(smallCompany), saleCount }
  const rounds = yield* playRounds({
    what: "One sale alone during PDFs of another company",
    ours: { ...usual, name: "during the burst", beside: askForDocuments(url, ids) },
    theirs: usual,
    connections: 1,
    seconds
  })
  const what = "p99 of a sale during another company's burst of PDFs, against the usual p99"
  return [latencyOf(what, "p99_ms", { is: "at most", value: 2 }, rounds)] satisfies ReadonlyArray<Measurement>
})
