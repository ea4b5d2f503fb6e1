import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import * as PepperNode from "../../../adapters/crypto/PepperNode.ts"
import * as Sha256Node from "../../../adapters/crypto/Sha256Node.ts"
import * as CatalogueAdminPostgres from "../../../adapters/postgres/directory/CatalogueAdminPostgres.ts"
import * as CompaniesPostgres from "../../../adapters/postgres/directory/CompaniesPostgres.ts"
import * as TokensPostgres from "../../../adapters/postgres/directory/TokensPostgres.ts"
import * as LedgerPostgres from "../../../adapters/postgres/ledger/LedgerPostgres.ts"
import { seed } from "../../../core/workflows/Seed.ts"
import { exampleCatalogue } from "../../../facade/settings/CatalogueFile.ts"
import { CommandLine } from "../../support/CommandLine.ts"

const replica = Layer.mergeAll(
  CatalogueAdminPostgres.layer,
  CompaniesPostgres.layer,
  LedgerPostgres.layer,
  TokensPostgres.layer,
  Sha256Node.layer,
  PepperNode.layer(null)
).pipe(Layer.provide(SecureRandom.layerWebCrypto))

/** Starts a process with these sandbox credentials, or with the sandbox switched off (null). */
const start = (credentials: readonly [apiKey: string, secret: string] | null) =>
  Effect.flatMap(exampleCatalogue, (catalogue) =>
    seed(catalogue, credentials === null ? null : { apiKey: credentials[0], secret: Redacted.make(credentials[1]) })
  ).pipe(Effect.provide(Layer.fresh(replica)))

/** Every token of the sandbox: its key, whether the given secret matches, and its state. */
const tokens = Effect.fnUntraced(function* (secret: string) {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql`
    select t.api_key, t.secret_hash = sha256(convert_to(${secret}, 'UTF8')) as opens, t.state
    from directory.token as t
    join directory.company as c on c.id = t.company_id
    where c.code = 'SANDBOX'
    order by t.api_key`
  return rows.map(({ api_key, opens, state }) => [api_key, opens, state])
})

const sandboxes = CommandLine.use(({ answer }) => Effect.map(answer("company", "list"), ({ items }) => items))

layer(CommandLine.layer, { excludeTestServices: true })("a start with the sandbox", (it) => {
  it.effect("seeds the database once when many processes start concurrently", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      yield* Effect.all(
        Array.from({ length: 6 }, () => start(["publico", "uno"])),
        { concurrency: "unbounded" }
      )
      const [company, ...others] = yield* sandboxes
      assert.deepStrictEqual(others, [])
      const { ambiente, limites, saldo_actual, seguros } = yield* answer("company", "show", `${company.empresa_id}`)
      assert.deepStrictEqual([ambiente, saldo_actual, seguros], ["development", 100_000, true])
      assert.deepStrictEqual(limites, { diario: 50_000, semanal: 250_000, mensual: 1_000_000 })
      assert.deepStrictEqual(yield* tokens("uno"), [["publico", true, "active"]])
      assert.isTrue((yield* answer("audit")).ok)
    })
  )

  it.effect("offers the services of the contract's example", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      yield* start(["publico", "uno"])
      const { items } = yield* answer("catalog", "list")
      assert.deepStrictEqual(
        items.map((item: Record<string, unknown>) =>
          ["id", "tipo", "flujo", "monto_minimo", "monto_maximo", "acepta_anulacion"].map((name) => item[name])
        ),
        [
          [1, "mobile_recharge", "monto_libre", 20, 5000, false],
          [2, "mobile_recharge", "monto_libre", 20, 5000, false],
          [3, "data_package", "paquetes", 0, 0, false],
          [4, "electricity_prepaid", "monto_libre", 100, 10_000, false],
          [5, "generic", "facturas", 0, 0, false],
          [6, "insurance", "seguros", 0, 0, false],
          [7, "platform_sport", "monto_libre", 50, 20_000, true],
          [8, "generic", "monto_libre", 0, 0, false]
        ]
      )
    })
  )

  it.effect("keeps the operator's changes", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const sql = yield* PgClient.PgClient
      yield* start(["publico", "uno"])
      const [{ empresa_id }] = yield* sandboxes
      yield* sql`update catalogue.service set active = false where id = 8`
      yield* answer("company", "set", `${empresa_id}`, "--seguros", "off", "--limite-diario", "0")
      yield* answer("company", "deposit", `${empresa_id}`, "5", "--referencia", "mas")
      const before = yield* Effect.all([answer("catalog", "list"), answer("company", "show", `${empresa_id}`)])
      yield* start(["publico", "uno"])
      const after = yield* Effect.all([answer("catalog", "list"), answer("company", "show", `${empresa_id}`)])
      assert.deepStrictEqual(after, before)
    })
  )

  it.effect("replaces the sandbox credentials with the given ones", () =>
    Effect.gen(function* () {
      yield* start(["publico", "uno"])
      yield* start(["publico", "dos"])
      assert.deepStrictEqual(yield* tokens("dos"), [["publico", true, "active"]])
      yield* start(["privado", "tres"])
      assert.deepStrictEqual(yield* tokens("tres"), [
        ["privado", true, "active"],
        ["publico", false, "suspended"]
      ])
      yield* start(null)
      assert.deepStrictEqual(yield* tokens("tres"), [
        ["privado", true, "suspended"],
        ["publico", false, "suspended"]
      ])
      yield* start(["publico", "uno"])
      assert.deepStrictEqual(yield* tokens("uno"), [
        ["privado", false, "suspended"],
        ["publico", true, "active"]
      ])
    })
  )

  it.effect("does not reactivate revoked credentials", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      yield* start(["revocado", "uno"])
      const [{ empresa_id }] = yield* sandboxes
      const { items } = yield* answer("token", "list", `${empresa_id}`)
      const revoked = items.find(({ api_key }: { api_key: string }) => api_key === "revocado")
      yield* answer("token", "revoke", `${revoked.token_id}`)
      yield* start(["revocado", "dos"])
      assert.deepInclude(yield* tokens("uno"), ["revocado", true, "revoked"])
    })
  )
})

layer(CommandLine.layer, { excludeTestServices: true })("a start without the sandbox", (it) => {
  it.effect("creates no company", () =>
    Effect.gen(function* () {
      yield* start(null)
      assert.deepStrictEqual(yield* sandboxes, [])
    })
  )

  it.effect("succeeds with sandbox credentials and creates no token if a production company has the code SANDBOX", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      yield* answer("company", "create", "--razon-social", "Real", "--codigo", "SANDBOX", "--ambiente", "production")
      yield* start(["publico", "uno"])
      assert.deepStrictEqual(yield* tokens("uno"), [])
      const [{ empresa_id }] = yield* sandboxes
      assert.strictEqual((yield* answer("company", "show", `${empresa_id}`)).saldo_actual, 0)
    })
  )
})
