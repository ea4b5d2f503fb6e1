import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Database from "../../../adapters/postgres/connection/Database.ts"
import { fakeHttpProvider } from "../../fakes/HttpSuppliers.ts"
import { commandLineOn } from "../../support/CommandLine.ts"
import { freshDatabaseUrl } from "../../support/Database.ts"
import { namesAt, resultsOn } from "../support/DoctorReport.ts"

const secret = "0123456789abcdef0123456789abcdef"

const create = (url: string, code: string, ...more: ReadonlyArray<string>) =>
  commandLineOn(url).answer("company", "create", "--razon-social", code, "--codigo", code, ...more)

describe("the levels of the doctor", () => {
  it.live("are `warn` for advice and `wrong` for a fault", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabaseUrl
      const results = yield* resultsOn(url, {})
      assert.deepStrictEqual(namesAt("warn", results), ["personal data", "token secrets", "role", "operations"])
      assert.isTrue(results.every(({ nivel, ok }) => ok === (nivel !== "wrong")))
      const { run } = commandLineOn(url)
      const { stdout } = yield* run("doctor")
      assert.match(stdout, /^warn {4}token secrets {2}/m)
      assert.match(stdout, /^WRONG {3}durability {5}/m)
      assert.match(stdout, /^ok {6}clock /m)
    })
  )
})

describe("webhooks", () => {
  it.live("cause a warning if they are disabled or their deliveries wait for over an hour", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabaseUrl
      const lineOf = Effect.map(commandLineOn(url).run("doctor"), ({ stdout }) => /^.* webhooks .*$/m.exec(stdout)?.[0])
      yield* create(url, "UNA", "--ambiente", "development")
      const [sound, late, slow, disabled] = yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const lines = [yield* lineOf]
        yield* sql`
          insert into cell.webhook (company_id, id, url, event_types, description, state, secret, created_at)
          select 1, n, 'https://a.example.com/', '{}', '', 'activo', '', now() from generate_series(1, 7) as n`
        const queue = (minutes: number) => sql`
          insert into cell.delivery (company_id, webhook_id, sequence, due_at, created_at)
          select 1, 2, ${minutes}, now() - ${minutes} * interval '1 minute', now()`
        yield* queue(59)
        lines.push(yield* lineOf)
        yield* queue(61)
        lines.push(yield* lineOf)
        yield* sql`update cell.webhook set state = 'desactivado' where id <> 2`
        return [...lines, yield* lineOf]
      }).pipe(Effect.provide(Database.layer({ url: Redacted.make(url), connections_max: 1 })))
      const fine = "none is disabled, and no delivery has waited over an hour"
      assert.deepStrictEqual(
        [sound, late, slow, disabled],
        [
          `ok      webhooks       0 webhooks; ${fine}`,
          `ok      webhooks       7 webhooks; ${fine}`,
          "warn    webhooks       deliveries waiting over an hour: webhook 2: see saldo webhook show ID",
          "warn    webhooks       disabled: webhooks 1, 3, 4, 5, 6 and 1 more; deliveries waiting over an hour: webhook 2: see saldo webhook show ID"
        ]
      )
    })
  )
})

const insured = ["--ambiente", "production", "--seguros"]
const gateway = (name: string, url: string) => ({
  [name]: "http",
  [`${name}_URL`]: url,
  [`${name}_SECRET`]: secret
})

describe("a company in production without an external service", () => {
  // Flags of the company -> the checks that fail while no external service is configured.
  it.live.each([
    [["--ambiente", "development", "--seguros"], []],
    [["--ambiente", "production", "--estado", "suspendida"], []],
    [["--ambiente", "production", "--sin-api"], []],
    [["--ambiente", "production"], ["provider"]],
    [["--ambiente", "production", "--estado", "vip"], ["provider"]],
    [insured, ["provider", "insurer", "sms"]]
  ] as const)("is reported as wrong if its flags %j allow it to use the service", ([flags, found]) =>
    Effect.gen(function* () {
      const url = yield* freshDatabaseUrl
      yield* create(url, "UNA", ...flags)
      assert.deepStrictEqual(namesAt("wrong", yield* resultsOn(url, {})), [...found])
    })
  )

  it.live("is not reported once the service is configured", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabaseUrl
      yield* create(url, "UNA", ...insured)
      const reachable = (yield* fakeHttpProvider(secret)).url
      const configured = Object.assign({}, ...["PROVIDER", "INSURER", "SMS"].map((name) => gateway(name, reachable)))
      assert.deepStrictEqual(namesAt("wrong", yield* resultsOn(url, configured)), [])
    })
  )

  it.live("is named in the message if it is one of the first five", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabaseUrl
      for (let nth = 1; nth <= 7; nth++) yield* create(url, `C-${nth}`, "--ambiente", "production")
      const { stdout } = yield* commandLineOn(url).run("doctor")
      assert.match(
        stdout,
        /^WRONG {3}provider {7}PROVIDER is not set, so sales are refused for companies 1, 2, 3, 4, 5 and 2 more in /m
      )
    })
  )
})
