import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import autocannon from "autocannon"
import { Effect, Schema } from "effect"
import { percentile } from "./Measurements.ts"
import {
  fillPlaceholders,
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

/**
 * Generates load with autocannon. Its histogram has a resolution of only 1 ms, so this function records each response
 * time itself.
 */
export const countWithAutocannon = ({
  connections,
  perSecond,
  seconds,
  shape,
  urls
}: Load): Effect.Effect<LoadCounts> =>
  Effect.callback((resume) => {
    const took_ms: Array<number> = []
    const instance = autocannon(
      {
        url: urls,
        connections,
        duration: seconds,
        requests: [{ setupRequest: callsOf(shape) }],
        ...(perSecond !== undefined && { overallRate: perSecond })
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
            p50_ms: percentile(sorted, 50),
            p99_ms: percentile(sorted, 99)
          })
        )
      }
    )
    instance.on("response", (_client, status, _bytes, ms) => {
      if (status >= 200 && status < 300) took_ms.push(ms)
    })
    return Effect.sync(() => instance.stop())
  })

const execute = promisify(execFile)
const script = fileURLToPath(new URL("wrk.lua", import.meta.url))

const Printed = Schema.Struct({
  answered: Schema.Int,
  refused: Schema.Int,
  broken: Schema.Int,
  seconds: Schema.Finite,
  p50_ms: Schema.Finite,
  p99_ms: Schema.Finite
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
export const countWithWrk = Effect.fnUntraced(function* (program: string, { connections, seconds, shape, urls }: Load) {
  const file = join(yield* temporaryDirectory, "request")
  writeFileSync(file, wireText(shape))
  const addresses = urls.map((url) => new URL(url).host)
  const { stdout } = yield* Effect.promise((signal) =>
    execute(
      program,
      [
        ...["-t", String(urls.length), "-c", String(connections), "-d", `${seconds}s`, "--timeout", "10s"],
        ...["-s", script, String(urls[0]), "--", file, String(shape.companies), randomUUID(), ...addresses]
      ],
      { signal }
    )
  )
  const { answered, ...counted } = decode(stdout.trim().split("\n").at(-1))
  return { ...counted, succeeded: answered - counted.refused } satisfies LoadCounts
}, Effect.scoped)
