import { randomUUID } from "node:crypto"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { inject } from "vitest"
import { commandLineOn, servingHere } from "../../support/CommandLine.ts"
import { asLoginIn } from "../../support/DatabaseLogins.ts"
import { copyDatabase, runStatement } from "../../support/EmbeddedDatabases.ts"
import { sellAsPrinted, temporaryDirectory, timeout_ms } from "../../support/FirstStart.ts"

const DATA_KEY = "0a".repeat(32)

const administer = (statement: string) => runStatement(inject("postgresUrl"), statement)

/** An empty database, with a superuser URL and the URL of its owner, a login without other rights. */
const empty = Effect.gen(function* () {
  const name = `bare_${randomUUID()}`
  const url = new URL(yield* copyDatabase(inject("postgresUrl"), "template0", name))
  const owner = `owner_${randomUUID()}`
  yield* administer(`create role "${owner}" login password 'x'`)
  yield* administer(`alter database "${name}" owner to "${owner}"`)
  const all = url.href
  url.username = owner
  url.password = "x"
  return { owner: url.href, all }
})

type Environment = Readonly<Record<string, string>>

/** Runs a command with these variables. */
const run = ({ DATABASE_URL = "", ...environment }: Environment, ...args: ReadonlyArray<string>) =>
  commandLineOn(DATABASE_URL, environment).run(...args)

const migrated = Effect.fnUntraced(function* (environment: Environment) {
  assert.strictEqual((yield* run(environment, "migrate")).code, 0)
})

/** The result of one check of `saldo doctor`. */
const seen = Effect.fnUntraced(function* (environment: Environment, check = "role") {
  const { stdout } = yield* run(environment, "doctor", "--json")
  const report: { readonly comprobaciones: ReadonlyArray<Record<string, unknown>> } = JSON.parse(stdout)
  return report.comprobaciones.find(({ nombre }) => nombre === check)
})

describe("separate database logins", { timeout: timeout_ms }, () => {
  it.live("let a server sell on a database that another login owns and migrates", () =>
    Effect.gen(function* () {
      const { all, owner } = yield* empty
      const DATABASE_URL = asLoginIn("saldo_server", all)
      const server = yield* servingHere({ DATABASE_URL, MIGRATION_DATABASE_URL: owner, DATA_KEY })
      const { body, response } = yield* sellAsPrinted(server.stdout)
      assert.deepStrictEqual([response.status, body.data.status], [201, "SUCCESS"])
      // The owner's login is needed for the migration only.
      const second = yield* servingHere({ DATABASE_URL, DATA_KEY })
      assert.strictEqual((yield* sellAsPrinted(second.stdout)).response.status, 201)
      const role = yield* seen({ DATABASE_URL, DATA_KEY })
      assert.include(role, { ok: true })
      assert.match(String(role?.["detalle"]), /owns no tables/)
      assert.match(String((yield* seen({ DATABASE_URL: owner, DATA_KEY }))?.["detalle"]), /can change the tables/)
    })
  )

  it.live("allow the owner of the schema and the operator to be different roles", () =>
    Effect.gen(function* () {
      const { all, owner } = yield* empty
      const environment = { DATABASE_URL: asLoginIn("saldo_operator", all), MIGRATION_DATABASE_URL: owner, DATA_KEY }
      yield* migrated(environment)
      const create = ["company", "create", "--razon-social", "Una", "--codigo", "UNA", "--ambiente", "development"]
      assert.strictEqual((yield* run({ ...environment, MIGRATION_DATABASE_URL: "" }, ...create)).code, 0)
    })
  )

  it.live("are required when the server's own login may not migrate", () =>
    Effect.gen(function* () {
      const { all } = yield* empty
      const environment = { PORT: "0", DATABASE_URL: asLoginIn("saldo_server", all), DATA_KEY }
      const refused = yield* run(environment, "serve")
      assert.strictEqual(refused.code, 1)
      assert.match(refused.stderr, /the database was not migrated: .*run "saldo migrate" with MIGRATION_DATABASE_URL/)
    })
  )

  it.live("need a role of Saldo, and the doctor and every command name the missing grant", () =>
    Effect.gen(function* () {
      const address = new URL((yield* empty).all)
      const login = `stranger_${randomUUID()}`
      yield* migrated({ DATABASE_URL: address.href })
      yield* administer(`create role "${login}" login password 'x'`)
      address.username = login
      address.password = "x"
      const environment = { DATABASE_URL: address.href, DATA_KEY }
      const doctor = yield* run(environment, "doctor")
      assert.strictEqual(doctor.code, 1)
      assert.match(doctor.stdout, /ok +database +Postgres 18/)
      assert.match(doctor.stdout, /ok +clock/)
      assert.match(doctor.stdout, /WRONG +migrations +could not be checked: the login lacks the right; see role/)
      assert.match(doctor.stdout, /WRONG +role +stranger_\S+ may not use the tables: grant it saldo_server/)
      for (const command of [["company", "list"], ["serve"]]) {
        const refused = yield* run({ ...environment, PORT: "0" }, ...command)
        assert.strictEqual(refused.code, 1)
        assert.match(refused.stderr, /the login stranger_\S+ may not use the tables .*: grant it saldo_server/)
        assert.notMatch(refused.stderr, /not migrated/)
      }
    })
  )

  it.live("of servers run no commands", () =>
    Effect.gen(function* () {
      const { all, owner } = yield* empty
      yield* migrated({ DATABASE_URL: owner })
      const refused = yield* run({ DATABASE_URL: asLoginIn("saldo_server", all), DATA_KEY }, "company", "list")
      assert.strictEqual(refused.code, 1)
      assert.match(refused.stderr, /may not run commands: use a login with the role saldo_operator/)
    })
  )

  it.live("must be given by two URLs of the same database", () =>
    Effect.gen(function* () {
      const { owner } = yield* empty
      const alone = yield* run({ MIGRATION_DATABASE_URL: owner, DATA_DIR: yield* temporaryDirectory }, "migrate")
      assert.strictEqual(alone.code, 1)
      assert.match(alone.stderr, /DATABASE_URL is not set; it must be .* because MIGRATION_DATABASE_URL is set/)
      const elsewhere = { DATABASE_URL: owner, MIGRATION_DATABASE_URL: "postgres://u:p@127.0.0.1:1/x" }
      const wrong = yield* run(elsewhere, "migrate")
      assert.strictEqual(wrong.code, 1)
      assert.match(wrong.stderr, /127\.0\.0\.1:1\/x does not answer.*check the address in MIGRATION_DATABASE_URL/)
    })
  )
})

/** URLs of a migrated database for three logins: a server, a server that may not switch to another role, and the owner. */
class Migrated extends Context.Service<Migrated, Readonly<Record<"server" | "bound" | "owner", string>>>()(
  "test/Migrated"
) {
  static readonly layer = Layer.effect(
    Migrated,
    Effect.gen(function* () {
      const { all, owner } = yield* empty
      yield* migrated({ DATABASE_URL: owner })
      const login = new URL(all)
      login.username = `halfway_${randomUUID()}`
      login.password = "x"
      yield* administer(`create role "${login.username}" login password 'x'`)
      yield* administer(`grant saldo_server to "${login.username}" with inherit true, set false`)
      return { server: asLoginIn("saldo_server", all), bound: login.href, owner }
    })
  )
}

layer(Migrated.layer, { excludeTestServices: true, timeout: timeout_ms })("a database login", (it) => {
  // Login -> how reads are limited to one company, the result of the check, and whether a start warns.
  it.effect.each([
    ["server", /as saldo_reader, which sees no other company's rows/, true, false],
    ["bound", /may not switch to saldo_reader.*: grant saldo_reader/, false, true],
    ["owner", /may not switch to saldo_reader.*: grant saldo_reader/, true, true]
  ] as const)(
    "decides whether reads are limited to one company: %s",
    ([login, held, ok, warned]) =>
      Effect.gen(function* () {
        const DATABASE_URL = (yield* Migrated)[login]
        const check = yield* seen({ DATABASE_URL, DATA_KEY }, "companies")
        assert.match(String(check?.["detalle"]), held)
        assert.strictEqual(check?.["ok"], ok)
        const server = yield* servingHere({ DATABASE_URL, DATA_KEY, LOG_LEVEL: "warn" })
        assert.strictEqual(/does not limit reads to one company: grant saldo_reader/.test(server.stderr), warned)
      }),
    timeout_ms
  )
})
