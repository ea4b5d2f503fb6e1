import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { fakeHttpProvider } from "../fakes/HttpProvider.ts"
import { freshDatabaseUrl } from "../support/Database.ts"
import { copyDatabase } from "../support/PostgresDatabases.ts"
import { certificateIn } from "./Certificates.ts"
import { ended, saldo, serving, temporaryDirectory } from "./Server.ts"

interface Report {
  readonly ok: boolean
  readonly comprobaciones: ReadonlyArray<{ readonly nombre: string; readonly ok: boolean; readonly detalle: string }>
}

const DATA_KEY = "0a".repeat(32)

/** The exit code, and what the doctor finds wrong. */
const examined = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const doctor = yield* saldo(["doctor", "--json"], environment)
  const code = yield* ended(doctor)
  const report: Report = JSON.parse(doctor.stdout())
  assert.strictEqual(report.ok, code === 0)
  return { code, wrong: report.comprobaciones.flatMap(({ nombre, ok }) => (ok ? [] : [nombre])) }
})

describe("the doctor", () => {
  it.live("finds nothing wrong with an installation that serves", () =>
    Effect.gen(function* () {
      const environment = { DATA_DIR: yield* temporaryDirectory }
      yield* serving(environment)
      assert.deepStrictEqual(yield* examined(environment), { code: 0, wrong: [] })
    })
  )

  // The server of the tests does without fsync.
  it.live("finds a server that could lose what it was told to keep", () =>
    Effect.gen(function* () {
      const environment = { DATABASE_URL: yield* freshDatabaseUrl, DATA_KEY }
      assert.deepStrictEqual(yield* examined(environment), { code: 1, wrong: ["durability"] })
    })
  )

  it.live("finds personal data that DATA_KEY alone opens, where that is absent", () =>
    Effect.gen(function* () {
      const environment = { DATABASE_URL: yield* freshDatabaseUrl }
      assert.deepStrictEqual((yield* examined(environment)).wrong, ["durability"])
      // Looking makes no key; a command that needs one does, and keeps it by what it is given.
      assert.strictEqual(yield* ended(yield* saldo(["company", "list"], { ...environment, DATA_KEY })), 0)
      assert.deepStrictEqual((yield* examined({ ...environment, DATA_KEY })).wrong, ["durability"])
      assert.deepStrictEqual((yield* examined(environment)).wrong, ["durability", "personal data"])
    })
  )

  it.live("finds a schema that is behind, until it is migrated", () =>
    Effect.gen(function* () {
      const environment = {
        DATABASE_URL: yield* copyDatabase(inject("postgresUrl"), "template0", `bare_${randomUUID()}`),
        DATA_KEY
      }
      assert.deepStrictEqual((yield* examined(environment)).wrong, ["durability", "migrations"])
      assert.strictEqual(yield* ended(yield* saldo(["migrate"], environment)), 0)
      assert.deepStrictEqual((yield* examined(environment)).wrong, ["durability"])
    })
  )

  it.live("finds a gateway that cannot be reached, and sends nothing to one that can", () =>
    Effect.gen(function* () {
      const { requests, url } = yield* fakeHttpProvider("secreto")
      const environment = {
        DATA_DIR: yield* temporaryDirectory,
        PROVIDER: "http",
        PROVIDER_URL: url,
        PROVIDER_SECRET: "secreto",
        SMS: "http",
        SMS_URL: "http://127.0.0.1:1",
        SMS_SECRET: "secreto"
      }
      yield* serving({ DATA_DIR: environment.DATA_DIR })
      assert.deepStrictEqual(yield* examined(environment), { code: 1, wrong: ["sms"] })
      assert.isEmpty(requests)
    })
  )

  // What is open or out of date -> the check that says so; the server of the tests does without fsync.
  it.live.each([
    [{ HOST: "0.0.0.0" }, ["exposure"]],
    [{ HOST: "0.0.0.0", SANDBOX: "off" }, []],
    [{ HOST: "0.0.0.0", SANDBOX_API_SECRET: "propio" }, []],
    [{ TLS_CERT_FILE: "/absent", TLS_KEY_FILE: "/absent" }, ["certificate"]],
    [{ OPS_PORT: "0" }, []]
  ] as const)("looks at what others can reach: %j", ([open, found]) =>
    Effect.gen(function* () {
      const environment = { DATABASE_URL: yield* freshDatabaseUrl, DATA_KEY, ...open }
      assert.deepStrictEqual((yield* examined(environment)).wrong, ["durability", ...found])
    })
  )

  it.live.each([
    ["valid", []],
    ["expired", ["certificate"]],
    ["of another key", ["certificate"]],
    ["garbled", ["certificate"]]
  ] as const)("looks at a certificate that is %s", ([which, found]) =>
    Effect.gen(function* () {
      const tls = certificateIn(yield* temporaryDirectory, which)
      const environment = { DATABASE_URL: yield* freshDatabaseUrl, DATA_KEY, ...tls }
      assert.deepStrictEqual((yield* examined(environment)).wrong, ["durability", ...found])
    })
  )

  it.live("tells a server's operations port from that of another program", () =>
    Effect.gen(function* () {
      const server = yield* serving({ DATA_DIR: yield* temporaryDirectory, OPS_PORT: "0" })
      const [, ours = ""] = /:(\d+)\/metrics/.exec(server.stdout()) ?? []
      const [, another = ""] = /:(\d+)$/.exec(server.url) ?? []
      const environment = { DATABASE_URL: yield* freshDatabaseUrl, DATA_KEY }
      assert.deepStrictEqual((yield* examined({ ...environment, OPS_PORT: ours })).wrong, ["durability"])
      assert.deepStrictEqual((yield* examined({ ...environment, OPS_PORT: another })).wrong, [
        "durability",
        "operations"
      ])
    })
  )

  it.live.each([
    ["settings", { PORT: "x" }],
    ["database", { DATABASE_URL: "postgres://u:p@127.0.0.1:1/x" }]
  ] as const)("finds wrong %s", ([name, environment]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* examined(environment), { code: 1, wrong: [name] })
    })
  )
})
