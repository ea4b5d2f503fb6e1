import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { createServer as createTcpServer } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import * as Database from "../../../adapters/postgres/connection/Database.ts"
import { connectionsCheck, silenceCheck } from "../../../facade/cli/checks/DatabaseChecks.ts"
import { fakeHttpProvider } from "../../fakes/HttpSuppliers.ts"
import { listenLocally } from "../../fakes/LocalServer.ts"
import { fakeRedis } from "../../fakes/Redis.ts"
import { certificateIn } from "../../support/Certificates.ts"
import { commandLineOn, servingHere } from "../../support/CommandLine.ts"
import { freshDatabaseUrl } from "../../support/Database.ts"
import { copyDatabase } from "../../support/EmbeddedDatabases.ts"
import { temporaryDirectory, timeout_ms } from "../../support/FirstStart.ts"
import { type DoctorReport, namesAt, resultsOn } from "../support/DoctorReport.ts"

const DATA_KEY = "0a".repeat(32)

/** Runs a command with these variables. */
const run = ({ DATABASE_URL = "", ...environment }: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  commandLineOn(DATABASE_URL, environment).run(...args)

/** The exit code of `saldo doctor` and the names of its failed checks. */
const examined = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const { code, stdout } = yield* run(environment, "doctor", "--json")
  const report: DoctorReport = JSON.parse(stdout)
  assert.strictEqual(report.ok, code === 0)
  return { code, wrong: namesAt("wrong", report.comprobaciones) }
})

describe("saldo doctor on an installation", { timeout: timeout_ms }, () => {
  it.live("exits with 0 for an installation that works, even with warnings", () =>
    Effect.gen(function* () {
      const environment = { DATA_DIR: yield* temporaryDirectory }
      yield* servingHere(environment)
      const { code, stdout } = yield* run(environment, "doctor", "--json")
      const report: DoctorReport = JSON.parse(stdout)
      assert.deepStrictEqual([code, report.ok, report.nivel], [0, true, "warn"])
      assert.deepStrictEqual(namesAt("warn", report.comprobaciones), ["personal data", "token secrets", "operations"])
    })
  )

  // The Postgres server of the tests runs with fsync off.
  it.live("reports a database server that may lose committed data", () =>
    Effect.gen(function* () {
      const environment = { DATABASE_URL: yield* freshDatabaseUrl, DATA_KEY }
      assert.deepStrictEqual(yield* examined(environment), { code: 1, wrong: ["durability"] })
    })
  )

  it.live("reports a missing DATA_KEY when personal data is encrypted with it", () =>
    Effect.gen(function* () {
      const environment = { DATABASE_URL: yield* freshDatabaseUrl }
      assert.deepStrictEqual((yield* examined(environment)).wrong, ["durability"])
      // The doctor creates no data key. The first command that needs a data key creates it and wraps it with DATA_KEY.
      assert.strictEqual((yield* run({ ...environment, DATA_KEY }, "company", "list")).code, 0)
      assert.deepStrictEqual((yield* examined({ ...environment, DATA_KEY })).wrong, ["durability"])
      assert.deepStrictEqual((yield* examined(environment)).wrong, ["durability", "personal data"])
    })
  )

  it.live("reports missing migrations until they are applied", () =>
    Effect.gen(function* () {
      const environment = {
        DATABASE_URL: yield* copyDatabase(inject("postgresUrl"), "template0", `bare_${randomUUID()}`),
        DATA_KEY
      }
      assert.deepStrictEqual((yield* examined(environment)).wrong, ["durability", "migrations"])
      assert.strictEqual((yield* run(environment, "migrate")).code, 0)
      assert.deepStrictEqual((yield* examined(environment)).wrong, ["durability"])
    })
  )

  it.live.each([
    ["settings", { PORT: "x" }],
    ["database", { DATABASE_URL: "postgres://u:p@127.0.0.1:1/x" }]
  ] as const)("reports wrong %s", ([name, environment]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* examined(environment), { code: 1, wrong: [name] })
    })
  )
})

const secret = "0123456789abcdef0123456789abcdef"

/** The failed checks for an environment. */
const failedChecks = (environment: Readonly<Record<string, string>>) =>
  Effect.flatMap(freshDatabaseUrl, (url) =>
    Effect.map(resultsOn(url, environment), (results) => namesAt("wrong", results))
  )

/** Starts an HTTP server that sends the same body for every request. Returns its port. */
const servingBody = (body: string) =>
  Effect.map(listenLocally(createServer((_, response) => response.end(body))), String)

/** A TCP server that never closes a connection. `hungUp` completes when the client closes a connection. */
const neverClosing = Effect.gen(function* () {
  const hungUp = yield* Deferred.make<void>()
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
    socket.on("end", () => {
      Deferred.doneUnsafe(hungUp, Effect.void)
      socket.destroy()
    })
    socket.resume()
  })
  return { hungUp: Deferred.await(hungUp), url: `http://127.0.0.1:${yield* listenLocally(server)}` }
})

describe("the doctor", () => {
  // Settings -> the checks that fail.
  it.live.each([
    [{}, []],
    [{ HOST: "0.0.0.0" }, ["exposure"]],
    [{ HOST: "0.0.0.0", SANDBOX: "off" }, []],
    [{ HOST: "::", SANDBOX_API_SECRET: "propio" }, []],
    [{ TLS_CERT_FILE: "/absent", TLS_KEY_FILE: "/absent" }, ["certificate"]],
    // The certificate files are checked even when other settings are wrong.
    [{ PORT: "abc", TLS_CERT_FILE: "/absent", TLS_KEY_FILE: "/absent" }, ["settings", "certificate"]],
    [{ PORT: "abc", TLS_CERT_FILE: "/absent" }, ["settings"]]
  ] as const)("checks the exposure and the certificate of a server with %j", ([environment, found]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* failedChecks(environment), [...found])
    })
  )

  it.live.each([
    ["valid", []],
    ["expired", ["certificate"]],
    ["of another key", ["certificate"]],
    ["garbled", ["certificate"]]
  ] as const)("checks a certificate that is %s", ([which, found]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* failedChecks(certificateIn(yield* temporaryDirectory, which)), [...found])
    })
  )

  it.live.each([
    [{ PROCESSES: "2" }, []],
    [{ PROCESSES: "40" }, ["connections"]],
    [{ PG_POOL_MAX: "300" }, ["connections"]]
  ] as const)(
    "compares max_connections with the connections that a server opens with the settings %j",
    ([environment, found]) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* failedChecks(environment), [...found])
      })
  )

  it.each([
    [1, 16, 22, "ok"],
    [1, 16, 21, "wrong"],
    [4, 16, 73, "ok"],
    [4, 16, 72, "wrong"]
  ] as const)(
    "compares %d processes with %d connections each with the %d connections that Postgres accepts: %s",
    (processes, connections_max, accepted, level) => {
      assert.strictEqual(connectionsCheck({ processes, connections_max }, accepted).level, level)
    }
  )

  it.live("reports unreachable gateways and sends no request to a reachable one", () =>
    Effect.gen(function* () {
      const { requests, url } = yield* fakeHttpProvider(secret)
      const found = yield* failedChecks({
        PROVIDER: "http",
        PROVIDER_URL: url,
        PROVIDER_SECRET: secret,
        SMS: "http",
        SMS_URL: "http://127.0.0.1:1",
        SMS_SECRET: secret,
        // The fake gateway does not support TLS.
        INSURER: "http",
        INSURER_URL: url.replace("http:", "https:"),
        INSURER_SECRET: secret
      })
      assert.deepStrictEqual(found, ["insurer", "sms"])
      assert.isEmpty(requests)
    })
  )

  it.live("closes its connection even if the gateway does not", () =>
    Effect.gen(function* () {
      const { hungUp, url } = yield* neverClosing
      assert.deepStrictEqual(yield* failedChecks({ SMS: "http", SMS_URL: url, SMS_SECRET: secret }), [])
      yield* hungUp
    })
  )

  // Response of Redis to PING -> the checks that fail. The client sends other commands first and receives OK.
  it.live.each([
    ["+PONG\r\n", []],
    ["-NOAUTH Authentication required.\r\n", ["redis"]],
    ["nothing", ["redis"]]
  ] as const)("checks that Redis responds to PING: %j", ([said, found]) =>
    Effect.gen(function* () {
      const { url } = yield* fakeRedis((command) => {
        if (!command.includes("PING")) return "+OK\r\n"
        return said === "nothing" ? undefined : said
      })
      assert.deepStrictEqual(yield* failedChecks({ REDIS_URL: Redacted.value(url) }), [...found])
    })
  )

  it.live("reports a Redis that refuses the connection", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* failedChecks({ REDIS_URL: "redis://127.0.0.1:1" }), ["redis"])
    })
  )

  it.live("reports a read-only database, and a command shows the error that Postgres returns", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabaseUrl
      const name = new URL(url).pathname.slice(1)
      yield* PgClient.PgClient.use((sql) =>
        sql.unsafe(`alter database "${name}" set default_transaction_read_only = on`)
      ).pipe(Effect.provide(Layer.fresh(Database.layer({ url: Redacted.make(url), connections_max: 1 }))))
      const { run } = commandLineOn(url)
      const { stdout } = yield* run("doctor")
      assert.match(stdout, /WRONG +database +.* accepts no writes/)
      const { code, stderr } = yield* run(
        "company",
        "create",
        "--razon-social",
        "Una",
        "--codigo",
        "A",
        "--ambiente",
        "development"
      )
      assert.strictEqual(code, 1)
      assert.match(stderr, /cannot execute \w+ in a read-only transaction/)
    })
  )

  // Database host and `net.ipv4.tcp_retries2` -> part of the message. With 15 retries RFC 6298 gives 924.6 s.
  it.each([
    ["localhost", 15, "on this machine"],
    ["127.0.0.1", 15, "on this machine"],
    ["", 15, "on this machine"],
    ["10.0.0.9", 6, "closed after 25 s"],
    ["10.0.0.9", 15, "closed after 925 s, and calls wait as long; set net.ipv4.tcp_retries2 = 6"],
    ["db.example", null, "does not report"]
  ] as const)("reports how long calls wait for a silent database at %j with %j TCP retries", (host, retries, said) => {
    const { detail, level } = silenceCheck(host, retries)
    assert.strictEqual(level, said.includes("set net.ipv4") ? "warn" : "ok")
    assert.include(detail, said)
  })

  // Body served on the operations port -> the checks that fail.
  it.live.each([
    ["ok\n", []],
    ["a page of another program", ["operations"]]
  ] as const)("recognises whether Saldo serves the operations port: %j", ([body, found]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* failedChecks({ OPS_PORT: yield* servingBody(body) }), [...found])
    })
  )

  it.live("accepts an operations port that is free, and port 0", () =>
    Effect.gen(function* () {
      const port = yield* Effect.scoped(servingBody(""))
      assert.deepStrictEqual(yield* failedChecks({ OPS_PORT: port }), [])
      assert.deepStrictEqual(yield* failedChecks({ OPS_PORT: "0" }), [])
    })
  )

  it.live("reports how long a connection to an unreachable database stays open", () =>
    Effect.gen(function* () {
      const results = yield* resultsOn("postgres://u:p@192.0.2.1:1/x?connect_timeout=1", {})
      assert.deepStrictEqual(namesAt("wrong", results), ["database"])
      assert.match(results.find(({ nombre }) => nombre === "silence")?.detalle ?? "", /192\.0\.2\.1/)
    })
  )
})
