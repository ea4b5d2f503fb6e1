import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Effect, Schema } from "effect"
import type { Counted, Load } from "./Load.ts"
import { fill, type Shape, wordsOf } from "./Shape.ts"

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

/** The call as it goes over the wire, its words still in it. A body is as long as any other: its words are. */
const wireText = (shape: Shape): string => {
  const { body, headers, method, path } = shape
  const length = body === null ? [] : [`content-length: ${Buffer.byteLength(fill(body, wordsOf(shape, "", 0)))}`]
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/1.1`, "host: 127.0.0.1", ...lines, ...length, "", body ?? ""].join("\r\n")
}

const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "saldo-wrk-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** Loads with wrk, a thread for each address. */
export const count = Effect.fnUntraced(function* (program: string, { connections, seconds, shape, urls }: Load) {
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
  return { ...counted, succeeded: answered - counted.refused } satisfies Counted
}, Effect.scoped)
