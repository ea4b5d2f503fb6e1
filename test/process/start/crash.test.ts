import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { runningPort } from "../../../adapters/embedded/EmbeddedCluster.ts"
import { EmbeddedPostgres } from "../../../adapters/embedded/EmbeddedPostgres.ts"
import { postgresPidIn, postgresPidOf } from "../../support/EmbeddedDatabases.ts"
import { eventually } from "../../support/Eventually.ts"
import { sellAsPrinted, temporaryDirectory, timeout_ms } from "../../support/FirstStart.ts"
import { serving, stopped } from "../../support/SaldoProcess.ts"

const kill = (pid: number | null) =>
  Effect.sync(() => {
    if (pid === null) throw new Error("no Postgres runs")
    process.kill(pid, "SIGKILL")
  })

/** Starts a server, sells once and kills the server. */
const killedAfterSale = Effect.fnUntraced(function* (dataDirectory: string) {
  const server = yield* serving({ DATA_DIR: dataDirectory })
  const sale = yield* sellAsPrinted(server.stdout())
  yield* stopped(server, "SIGKILL")
  return { output: server.stdout(), url: server.url, sale }
})

/**
 * Sends the first server's example sale to the second server. The idempotency key is the same, so it must be a replay.
 */
const replayed = Effect.fnUntraced(function* (first: { output: string; url: string }, second: { url: string }) {
  const { body, response } = yield* sellAsPrinted(first.output.replaceAll(first.url, second.url))
  assert.strictEqual(response.headers.get("idempotent-replay"), "true")
  return body.data.transaction_id
})

describe("kill -9", { timeout: timeout_ms }, () => {
  it.live(
    "of the server and its Postgres loses no sale, and the next start takes over a Postgres that still runs",
    () =>
      Effect.gen(function* () {
        const dataDirectory = yield* temporaryDirectory
        const first = yield* killedAfterSale(dataDirectory)
        yield* kill(postgresPidOf(dataDirectory))
        const second = yield* serving({ DATA_DIR: dataDirectory })
        assert.strictEqual(yield* replayed(first, second), first.sale.body.data.transaction_id)
        const left = postgresPidOf(dataDirectory)
        yield* stopped(second, "SIGKILL")
        const third = yield* serving({ DATA_DIR: dataDirectory })
        assert.strictEqual(postgresPidOf(dataDirectory), left)
        assert.strictEqual(yield* replayed(first, third), first.sale.body.data.transaction_id)
        assert.strictEqual(yield* stopped(third, "SIGINT"), 0)
        assert.isNull(postgresPidOf(dataDirectory))
      })
  )

  it.live("of Postgres alone causes INTERNAL_ERROR until the server has restarted it", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* temporaryDirectory
      const server = yield* serving({ DATA_DIR: dataDirectory })
      const before = postgresPidOf(dataDirectory)
      yield* kill(before)
      // A session of the killed Postgres may still answer, so a sale may succeed before the restart.
      const isRestarted = () => ![null, before].includes(postgresPidOf(dataDirectory))
      const after = yield* sellAsPrinted(server.stdout()).pipe(
        Effect.tap(({ body, response }) =>
          Effect.sync(() => {
            if (response.status !== 201) assert.strictEqual(body.error.code, "INTERNAL_ERROR")
          })
        ),
        Effect.repeat({
          until: ({ response }) => response.status === 201 && isRestarted(),
          schedule: Schedule.spaced("100 millis")
        })
      )
      assert.strictEqual(after.body.data.status, "SUCCESS")
    })
  )
})

describe("two servers on one data directory", { timeout: timeout_ms }, () => {
  it.live("start concurrently when the directory is empty, and share one Postgres, which the last server stops", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* temporaryDirectory
      const start = serving({ DATA_DIR: dataDirectory })
      const [first, second] = yield* Effect.all([start, start], { concurrency: 2 })
      assert.strictEqual((yield* sellAsPrinted(first.stdout())).response.status, 201)
      yield* stopped(first, "SIGINT")
      assert.strictEqual((yield* sellAsPrinted(second.stdout())).response.status, 201)
      yield* stopped(second, "SIGINT")
      assert.isNull(postgresPidOf(dataDirectory))
    })
  )
})

describe("a server run by root in a directory closed to other users", { timeout: timeout_ms }, () => {
  it.live.skipIf(process.getuid?.() !== 0)(
    "keeps its data where the user of Postgres can read it, and prints that path",
    () =>
      Effect.gen(function* () {
        const closed = join(yield* temporaryDirectory, "closed")
        mkdirSync(closed)
        chmodSync(closed, 0o700)
        const dataDirectory = join(closed, "data")
        const server = yield* serving({ DATA_DIR: dataDirectory })
        const { elsewhere } = JSON.parse(readFileSync(join(dataDirectory, "postgres.json"), "utf8"))
        assert.include(server.stdout(), elsewhere)
        assert.isNotNull(postgresPidIn(elsewhere))
        yield* stopped(server, "SIGINT")
        assert.isNull(postgresPidIn(elsewhere))
        rmSync(elsewhere, { recursive: true })
      })
  )
})

describe("the Postgres of a data directory", () => {
  it.effect("is found by every path of the directory", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const data = join(home, "place", "data")
      const pidFile = join(data, "postmaster.pid")
      const portIn = (name: string) =>
        runningPort({ binaries: "", directory: join(home, name), user: null, settings: {} })
      mkdirSync(data, { recursive: true })
      symlinkSync(join(home, "place"), join(home, "link"))
      const server = yield* Effect.acquireRelease(
        Effect.sync(() => spawn("sleep", ["600"], { cwd: data, stdio: "ignore" })),
        (running) => Effect.sync(() => void running.kill())
      )
      writeFileSync(pidFile, `${server.pid}\n${data}\n0\n5433\n`)
      for (const name of ["place", "link"]) assert.strictEqual(portIn(name), 5433)
      writeFileSync(pidFile, `${process.pid}\n${data}\n0\n5433\n`)
      assert.isNull(portIn("place"))
      rmSync(pidFile)
    })
  )

  it.effect("is not found if its pid file disappears during the search", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const pidFile = join(home, "data", "postmaster.pid")
      mkdirSync(join(home, "data"))
      yield* Effect.acquireRelease(
        Effect.promise(() => removingAgainAndAgain(pidFile)),
        (thread) => Effect.promise(() => thread.terminate())
      )
      // Code that first checks whether the file exists, and then reads it, fails here about once in 100 reads.
      for (let read = 0; read < 5_000; read++)
        assert.isNull(runningPort({ binaries: "", directory: home, user: null, settings: {} }))
    })
  )
})

/** A thread that creates and removes a file in a loop. */
const removingAgainAndAgain = async (file: string): Promise<Worker> => {
  const program = `
    const { rmSync, writeFileSync } = require("node:fs")
    const { parentPort, workerData } = require("node:worker_threads")
    parentPort.postMessage("started")
    for (;;) {
      writeFileSync(workerData, "1")
      rmSync(workerData)
    }`
  const thread = new Worker(program, { eval: true, workerData: file })
  await once(thread, "message")
  return thread
}

describe("a first start that is interrupted", { timeout: timeout_ms }, () => {
  it.live("leaves a complete data directory and no file with a password", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const place = join(home, "postgres")
      const made = Effect.sync(() => (existsSync(place) ? readdirSync(place) : []).filter((name) => /^data/.test(name)))
      const starting = yield* Effect.forkChild(Layer.build(EmbeddedPostgres.layer({ dataDirectory: home })))
      yield* eventually(made, (names) => names.length > 0)
      yield* Fiber.interrupt(starting)
      assert.deepStrictEqual(yield* made, ["data"])
    })
  )
})

describe("a command whose output cannot be written", () => {
  it.each([
    ["--help > /dev/full", 1, /could not be written/],
    ["company create --codigo serve --help > /dev/full", 1, /could not be written/],
    ["--help | true", 0, /^$/]
  ])("exits with 1 if the output is lost, and with 0 if its reader has ended: %s", (asked, code, said) => {
    const { status, stderr } = spawnSync(
      "bash",
      ["-c", `set -o pipefail; "$0" facade/cli/main.js ${asked}`, process.execPath],
      {
        encoding: "utf8"
      }
    )
    assert.strictEqual(status, code)
    assert.match(stderr, said)
  })
})
