import { spawn, spawnSync } from "node:child_process"
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
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Predicate, Schedule } from "effect"
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

/** A server that has sold once and was then killed. */
const killedAfterSale = Effect.fnUntraced(function* (dataDirectory: string) {
  const server = yield* serving({ DATA_DIR: dataDirectory })
  const sale = yield* sellAsPrinted(server.stdout())
  yield* stopped(server, "SIGKILL")
  return { output: server.stdout(), url: server.url, sale }
})

/** The first server's printed sale, sent to the second one: the same key, so the same sale. */
const replayed = Effect.fnUntraced(function* (first: { output: string; url: string }, second: { url: string }) {
  const { body, response } = yield* sellAsPrinted(first.output.replaceAll(first.url, second.url))
  assert.strictEqual(response.headers.get("idempotent-replay"), "true")
  return body.data.transaction_id
})

describe("after kill -9", { timeout: timeout_ms }, () => {
  it.live("of the server, the next start takes over the Postgres that it left, and stops it", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* temporaryDirectory
      const first = yield* killedAfterSale(dataDirectory)
      const left = postgresPidOf(dataDirectory)
      const second = yield* serving({ DATA_DIR: dataDirectory })
      assert.strictEqual(postgresPidOf(dataDirectory), left)
      assert.strictEqual(yield* replayed(first, second), first.sale.body.data.transaction_id)
      yield* stopped(second, "SIGINT")
      assert.isNull(postgresPidOf(dataDirectory))
    })
  )

  it.live("of the server and its Postgres, the next start recovers what was sold", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* temporaryDirectory
      const first = yield* killedAfterSale(dataDirectory)
      yield* kill(postgresPidOf(dataDirectory))
      const second = yield* serving({ DATA_DIR: dataDirectory })
      assert.strictEqual(yield* replayed(first, second), first.sale.body.data.transaction_id)
    })
  )

  it.live("of the Postgres alone, the server answers INTERNAL_ERROR until it has started it again", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* temporaryDirectory
      const server = yield* serving({ DATA_DIR: dataDirectory })
      const before = postgresPidOf(dataDirectory)
      yield* kill(before)
      const after = yield* sellAsPrinted(server.stdout()).pipe(
        Effect.tap(({ body, response }) =>
          Effect.sync(() => {
            if (response.status !== 201) assert.strictEqual(body.error.code, "INTERNAL_ERROR")
          })
        ),
        Effect.repeat({ until: ({ response }) => response.status === 201, schedule: Schedule.spaced("20 millis") })
      )
      assert.strictEqual(after.body.data.status, "SUCCESS")
      const again = yield* eventually(
        Effect.sync(() => postgresPidOf(dataDirectory)),
        Predicate.isNotNull
      )
      assert.notStrictEqual(again, before)
    })
  )
})

describe("two servers on one data directory", { timeout: timeout_ms }, () => {
  it.live("share the Postgres, and the last one stops it", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* temporaryDirectory
      const first = yield* serving({ DATA_DIR: dataDirectory })
      const second = yield* serving({ DATA_DIR: dataDirectory })
      yield* stopped(first, "SIGINT")
      const { response } = yield* sellAsPrinted(second.stdout())
      assert.strictEqual(response.status, 201)
      yield* stopped(second, "SIGINT")
      assert.isNull(postgresPidOf(dataDirectory))
    })
  )

  it.live("start a fresh one at the same time", () =>
    Effect.gen(function* () {
      const environment = { DATA_DIR: yield* temporaryDirectory }
      const servers = yield* Effect.all([serving(environment), serving(environment)], { concurrency: 2 })
      const sales = yield* Effect.forEach(servers, (server) => sellAsPrinted(server.stdout()))
      assert.deepStrictEqual(
        sales.map(({ response }) => response.status),
        [201, 201]
      )
    })
  )
})

describe("root, in a directory that only its owner may enter", { timeout: timeout_ms }, () => {
  it.live.skipIf(process.getuid?.() !== 0)("keeps the data where Postgres's user can reach it, and says where", () =>
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

describe("the server that runs on a data directory", () => {
  it.effect("is known by each name of the directory", () =>
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
})

describe("a start that is broken off while it makes the data", { timeout: timeout_ms }, () => {
  it.live("leaves them whole, and no password in a file", () =>
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

describe("an answer that cannot be written", () => {
  it.each([
    ["--help > /dev/full", 1, /could not be written/],
    ["company create --codigo serve --help > /dev/full", 1, /could not be written/],
    ["--help | true", 0, /^$/]
  ])("%s", (asked, code, said) => {
    const { status, stderr } = spawnSync(
      "bash",
      ["-c", `set -o pipefail; "$0" facade/cli/main.ts ${asked}`, process.execPath],
      {
        encoding: "utf8"
      }
    )
    assert.strictEqual(status, code)
    assert.match(stderr, said)
  })
})
