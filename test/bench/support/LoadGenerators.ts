import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Agent } from "@effect/platform-node/Undici"
import autocannon from "autocannon"
import { Array as Arr, Clock, Duration, Effect, Schema } from "effect"
import { percentile } from "./Measurements.ts"
import {
  fillPlaceholders,
  type Latencies,
  type Load,
  type LoadCounts,
  placeholdersOf,
  type RequestShape,
  requestOf
} from "./Workload.ts"

const callsOf = (shape: RequestShape) => {
  const run = randomUUID()
  let calls = 0
  return () => requestOf(shape, placeholdersOf(shape, run, calls++))
}

/** @param sorted in ascending order. */
const latenciesOf = (sorted: Float64Array): Latencies => ({
  p50_ms: percentile(sorted, 50),
  p99_ms: percentile(sorted, 99),
  p999_ms: percentile(sorted, 99.9),
  longest_ms: percentile(sorted, 100)
})

/**
 * Generates load with autocannon. Its histogram has a resolution of only 1 ms, so this function records each response
 * time itself.
 */
export const countWithAutocannon = ({ connections, seconds, shape, urls }: Load): Effect.Effect<LoadCounts> =>
  Effect.callback((resume) => {
    const took_ms: Array<number> = []
    const instance = autocannon(
      {
        url: urls,
        connections,
        duration: seconds,
        requests: [{ setupRequest: callsOf(shape) }]
      },
      (error, result) => {
        if (error !== null) return resume(Effect.die(error))
        const sorted = Float64Array.from(took_ms).sort()
        resume(
          Effect.succeed({
            succeeded: sorted.length,
            refused: result.non2xx,
            broken: result.errors,
            seconds: result.duration,
            ...latenciesOf(sorted)
          })
        )
      }
    )
    instance.on("response", (_client, status, _bytes, ms) => {
      if (isSuccess(status)) took_ms.push(ms)
    })
    return Effect.sync(() => instance.stop())
  })

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/**
 * Generates calls at regular intervals, regardless of the time that responses take. A response time counts from the
 * moment at which the call was due. autocannon is not used for this, because all its connections call at the same moment,
 * at the beginning of each second.
 */
export const countAtRate = Effect.fnUntraced(function* (
  { connections, seconds, shape, urls: [url = ""] }: Load,
  perSecond: number
) {
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => new Agent({ connections })),
    (agent) => Effect.promise(() => agent.destroy())
  )
  const nextCall = callsOf(shape)
  const send = Effect.tryPromise(async () => {
    const { body, statusCode } = await agent.request({ origin: url, ...nextCall() })
    await body.dump()
    return statusCode
  })
  const begun_ms = yield* Clock.currentTimeMillis
  const call = Effect.fnUntraced(function* (number: number) {
    const due_ms = (1000 * number) / perSecond
    yield* Effect.sleep(Duration.millis(due_ms))
    const status = yield* Effect.orElseSucceed(send, () => null)
    return { status, took_ms: (yield* Clock.currentTimeMillis) - begun_ms - due_ms }
  })
  const calls = yield* Effect.forEach(
    Arr.makeBy(seconds * perSecond, (number) => number),
    call,
    {
      concurrency: "unbounded"
    }
  )
  const ended_ms = yield* Clock.currentTimeMillis
  const took_ms = Float64Array.from(
    calls.filter(({ status }) => status !== null && isSuccess(status)),
    (answered) => answered.took_ms
  ).sort()
  const broken = calls.filter(({ status }) => status === null).length
  return {
    succeeded: took_ms.length,
    refused: calls.length - broken - took_ms.length,
    broken,
    seconds: (ended_ms - begun_ms) / 1000,
    ...latenciesOf(took_ms)
  } satisfies LoadCounts
}, Effect.scoped)

const execute = promisify(execFile)
const script = fileURLToPath(new URL("wrk.lua", import.meta.url))

const Printed = Schema.Struct({
  answered: Schema.Int,
  refused: Schema.Int,
  broken: Schema.Int,
  seconds: Schema.Finite,
  p50_ms: Schema.Finite,
  p99_ms: Schema.Finite,
  p999_ms: Schema.Finite,
  longest_ms: Schema.Finite
})

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Printed))

/**
 * The request as text with its placeholders. All values of a placeholder have the same length, so the content length is
 * constant.
 */
const wireText = (shape: RequestShape): string => {
  const { body, headers, method, path } = shape
  const length =
    body === null ? [] : [`content-length: ${Buffer.byteLength(fillPlaceholders(body, placeholdersOf(shape, "", 0)))}`]
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/1.1`, "host: 127.0.0.1", ...lines, ...length, "", body ?? ""].join("\r\n")
}

const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "saldo-wrk-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** Generates load with wrk, one thread for each URL. */
export const countWithWrk = Effect.fnUntraced(function* (
  program: string,
  { connections, pause_ms = 0, seconds, shape, urls }: Load
) {
  const file = join(yield* temporaryDirectory, "request")
  writeFileSync(file, wireText(shape))
  const addresses = urls.map((url) => new URL(url).host)
  const { stdout } = yield* Effect.promise((signal) =>
    execute(
      program,
      [
        ...["-t", String(urls.length), "-c", String(connections), "-d", `${seconds}s`, "--timeout", "10s"],
        ...[
          "-s",
          script,
          String(urls[0]),
          "--",
          file,
          String(shape.companies),
          randomUUID(),
          String(pause_ms),
          ...addresses
        ]
      ],
      { signal }
    )
  )
  const { answered, ...counted } = decode(stdout.trim().split("\n").at(-1))
  return { ...counted, succeeded: answered - counted.refused } satisfies LoadCounts
}, Effect.scoped)
