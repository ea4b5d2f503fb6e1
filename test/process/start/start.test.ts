import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { listenLocally } from "../../fakes/LocalServer.ts"
import { commandLineOn } from "../../support/CommandLine.ts"
import { freshDatabaseUrl } from "../../support/Database.ts"
import { postgresPidOf } from "../../support/EmbeddedDatabases.ts"
import { sellAsPrinted, temporaryDirectory, timeout_ms } from "../../support/FirstStart.ts"
import { ended, saldo, serving, stopped } from "../../support/SaldoProcess.ts"

const tellsWhatItLoads = `
  import { writeSync } from "node:fs"
  import { registerHooks } from "node:module"
  registerHooks({
    load(url, context, next) {
      writeSync(2, "loads " + url + "\\n")
      return next(url, context)
    }
  })
`

const environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tellsWhatItLoads)}` }

const packagesIn = (stderr: string) =>
  new Set([...stderr.matchAll(/^loads file:.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/gm)].map(([, name]) => name))

describe("a process of Saldo", { timeout: timeout_ms }, () => {
  it.live("loads no package that only a server needs when it does not serve", () =>
    Effect.gen(function* () {
      const version = yield* saldo(["--version"], environment)
      yield* ended(version)
      const packages = packagesIn(version.stderr())
      assert.isTrue(packages.has("effect"), version.stderr())
      for (const name of ["@redis/client", "@trpc/server", "pdfkit", "redis", "trpc-to-openapi", "zod"])
        assert.isFalse(packages.has(name), name)
    })
  )

  it.live("with DATABASE_URL starts no Postgres and no console, and loads only packages that requests need", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* temporaryDirectory
      const place = { DATA_DIR: dataDirectory, DATABASE_URL: yield* freshDatabaseUrl, CONSOLE_PORT: "0" }
      const server = yield* serving({ ...environment, ...place })
      assert.strictEqual((yield* sellAsPrinted(server.stdout())).response.status, 201)
      assert.isNull(postgresPidOf(dataDirectory))
      yield* stopped(server, "SIGTERM")
      assert.notInclude(server.stdout(), "console")
      const packages = packagesIn(server.stderr())
      assert.isTrue(packages.has("@trpc/server"))
      for (const name of ["@redis/client", "@scalar/fastify-api-reference", "redis", "trpc-to-openapi", "zod"])
        assert.isFalse(packages.has(name), name)
      assert.notMatch(server.stderr(), /^loads file:.*\/facade\/(?:console\/|ConsoleLayer)/m)
    })
  )
})

describe("a first start", { timeout: timeout_ms }, () => {
  it.live("prints an example sale that succeeds, and stops on SIGTERM with its Postgres", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* temporaryDirectory
      const server = yield* serving({ DATA_DIR: dataDirectory })
      const { body, response } = yield* sellAsPrinted(server.stdout())
      assert.deepStrictEqual([response.status, body.data.status], [201, "SUCCESS"])
      assert.isNotNull(postgresPidOf(dataDirectory))
      assert.strictEqual(yield* stopped(server, "SIGTERM"), 0)
      assert.isNull(postgresPidOf(dataDirectory))
    })
  )
})

type Environment = Readonly<Record<string, string>>

const takenPort = Effect.map(
  Effect.suspend(() => listenLocally(createServer())),
  String
)

const onServer = (changes: { readonly port?: string; readonly password?: string; readonly pathname?: string }) =>
  Effect.sync(() => ({ DATABASE_URL: Object.assign(new URL(inject("postgresUrl")), changes).href }))

const opsPortOfAnother = Effect.gen(function* () {
  const port = yield* takenPort
  return { OPS_PORT: port, DATABASE_URL: yield* freshDatabaseUrl }
})

const notADirectory = Effect.map(temporaryDirectory, (directory) => {
  const file = join(directory, "file")
  writeFileSync(file, "")
  return { DATA_DIR: join(file, "data") }
})

/** A data directory with this content in its file postgres.json. */
const savedPlace = (content: string) =>
  Effect.map(temporaryDirectory, (directory) => {
    writeFileSync(join(directory, "postgres.json"), content)
    return { DATA_DIR: directory }
  })

const lostPlace = Effect.map(temporaryDirectory, (directory) => {
  mkdirSync(join(directory, "postgres", "data"), { recursive: true })
  return { DATA_DIR: directory }
})

const portOfAnother = Effect.gen(function* () {
  const port = yield* takenPort
  return { PORT: port, DATABASE_URL: yield* freshDatabaseUrl }
})

/** Runs a command in the test's process, because a separate process starts more slowly. */
const run = (environment: Environment, ...args: ReadonlyArray<string>) =>
  commandLineOn("", { CONSOLE_PORT: "off", LOG_LEVEL: "error", ...environment }).run(...args)

/** A database whose data key was made with another DATA_KEY. */
const wrongDataKey = Effect.gen(function* () {
  const environment = { DATABASE_URL: yield* freshDatabaseUrl, DATA_KEY: "0a".repeat(32) }
  assert.strictEqual((yield* run(environment, "company", "list")).code, 0)
  return { ...environment, DATA_KEY: "0b".repeat(32) }
})

const damaged = /^error: \S+\/postgres\.json is damaged: it must be one JSON object .*Restore it from a backup/

// Fault -> the error that the operator reads.
const wrong = [
  ["a taken port", portOfAnother, /^error: port \d+ at 127\.0\.0\.1 is taken: .*set PORT to another/],
  ["a taken operations port", opsPortOfAnother, /^error: port \d+ at 127\.0\.0\.1 is taken: .*set OPS_PORT to another/],
  ["a database that does not answer", onServer({ port: "1" }), /does not answer .*DATABASE_URL/],
  ["a wrong password", onServer({ password: "x" }), /refuses the user .*password in DATABASE_URL/],
  ["an unknown database", onServer({ pathname: "/absent" }), /"absent" does not exist.*check DATABASE_URL/],
  ["an unwritable data directory", notADirectory, /cannot write in the data directory .*DATA_DIR/],
  ["an empty postgres.json", savedPlace(""), damaged],
  ["a postgres.json without a password", savedPlace('{"elsewhere":null,"port":5433}'), damaged],
  ["a postgres.json with an impossible port", savedPlace('{"elsewhere":null,"port":99999,"password":"x"}'), damaged],
  ["data without its postgres.json", lostPlace, /\/postgres\.json is missing: .*Restore it from a backup/],
  ["a wrong key of the personal data", wrongDataKey, /DATA_KEY is not the key .*: set it/],
  ["a certificate without its key", Effect.succeed({ TLS_CERT_FILE: "x" }), /TLS_KEY_FILE is not set/]
] as const

describe("a start that must fail", { timeout: timeout_ms }, () => {
  it.live.each(wrong)("exits with code 1 and one line of advice because of %s", ([, environment, line]) =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run({ PORT: "0", ...(yield* environment) }, "serve")
      assert.strictEqual(code, 1)
      assert.match(stderr, line)
      assert.lengthOf(stderr.split("\n"), 1)
      assert.strictEqual(stdout, "")
    })
  )

  it.live("reports all wrong variables together without printing a secret", () =>
    Effect.gen(function* () {
      const environment = {
        PORT: "80x",
        DATABASE_URL: "mysql://u:hidden@h/d",
        DATA_KEY: "hidden",
        ENVIRONMENT: "prueba sur",
        LOG_LEVEL: "loud",
        SANDBOX: "maybe",
        OPS_PORT: "on",
        AUDIT_EVERY: "0",
        SHUTDOWN_DELAY: "1 s",
        OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318",
        OTEL_EXPORTER_OTLP_HEADERS: "hidden"
      }
      const server = yield* saldo(["serve"], environment)
      assert.strictEqual(yield* ended(server), 1)
      const lines = server.stderr().trim().split("\n")
      assert.deepStrictEqual(
        lines.map((line) => line.replace(/^error: /, "").split(" ")[0]),
        [
          ...[
            "PORT",
            "DATABASE_URL",
            "DATA_KEY",
            "SANDBOX",
            "ENVIRONMENT",
            "OPS_PORT",
            "AUDIT_EVERY",
            "SHUTDOWN_DELAY"
          ],
          ...["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS", "LOG_LEVEL"]
        ]
      )
      assert.notInclude(server.stderr(), "hidden")
    })
  )
})
