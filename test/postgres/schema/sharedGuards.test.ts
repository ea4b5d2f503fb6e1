import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestDatabase } from "../../support/Database.ts"
import { guardsIn, refusedBy, rowsOf } from "../../support/SchemaGuards.ts"

const bytes = (count: number) => `decode(repeat('00', ${count}), 'hex')`

const company = rowsOf("directory.company", {
  legal_name: "'Colmado'",
  code: "'COLMADO'",
  environment: "'development'",
  created_at: "'epoch'"
})
const token = rowsOf("directory.token", {
  company_id: "(select max(id) from directory.company)",
  name: "'caja'",
  api_key: "'k'",
  secret_hash: bytes(32),
  created_at: "'epoch'"
})
const use = rowsOf("directory.token_use", { token_id: 9, used_at: "'epoch'" })
const dataKey = rowsOf("directory.data_key", { id: 1, wrapped: bytes(1), protected: "false", created_at: "'epoch'" })
const category = rowsOf("catalogue.category", { id: 1, name: "'Recargas'" })
const service = rowsOf("catalogue.service", {
  id: 1,
  name: "'Recarga'",
  description: "''",
  type: "'generic'",
  category_id: 1,
  minimum: 100,
  maximum: 0,
  reversible: "false",
  flow: "'monto_libre'",
  requires_lookup: "false",
  how_to_buy: "''"
})
const pack = rowsOf("catalogue.package", {
  id: 1,
  service_id: 1,
  code: "'P'",
  name: "'Paquete'",
  description: "''",
  price: 100,
  duration: "''",
  data: "''",
  minutes: 0,
  sms: 0
})
const offer = rowsOf("catalogue.company_service", { company_id: 1, service_id: 1, enabled: "true" })

type Case = readonly [what: string, guard: string, statements: ReadonlyArray<string>]

const ofTheDirectory: ReadonlyArray<Case> = [
  ["a company without a name", "company_legal_name_check", [company({ legal_name: "''" })]],
  ["a company without a code", "company_code_check", [company({ code: "''" })]],
  ["two companies of one code", "company_code_key", [company(), company()]],
  ["a company in another environment", "company_environment_check", [company({ environment: "'staging'" })]],
  ["a company in another state", "company_state_check", [company({ state: "'cerrada'" })]],
  ["a token of no company", "token_company_id_fkey", [token({ company_id: 99 })]],
  ["a token without a name", "token_name_check", [company(), token({ name: "''" })]],
  ["a token without a key", "token_api_key_check", [company(), token({ api_key: "''" })]],
  ["a key with a dot", "token_api_key_check", [company(), token({ api_key: "'a.b'" })]],
  ["two tokens of one key", "token_api_key_key", [company(), token(), token()]],
  ["a secret that is no hash", "token_secret_hash_check", [company(), token({ secret_hash: bytes(31) })]],
  ["a pepper without a name", "token_secret_pepper_check", [company(), token({ secret_pepper: "''" })]],
  [
    "a secret before that is no hash",
    "token_previous_hash_check",
    [company(), token({ previous_hash: bytes(31), previous_until: "'epoch'" })]
  ],
  ["a secret before that opens for ever", "token_previous_secret", [company(), token({ previous_hash: bytes(32) })]],
  ["a pepper of no secret before", "token_previous_pepper", [company(), token({ previous_pepper: "'p'" })]],
  [
    "a pepper before without a name",
    "token_previous_pepper_check",
    [company(), token({ previous_hash: bytes(32), previous_until: "'epoch'", previous_pepper: "''" })]
  ],
  ["a token in another state", "token_state_check", [company(), token({ state: "'lost'" })]],
  ["a token that may never call", "token_calls_per_minute_check", [company(), token({ calls_per_minute: 0 })]],
  [
    "a token that comes back from its revocation",
    "token_revoked_for_good",
    [company(), token({ state: "'revoked'" }), "update directory.token set state = 'suspended'"]
  ],
  ["the use of no token", "token_use_token_id_fkey", [use()]],
  ["a second data key", "data_key_id_check", [dataKey({ id: 2 })]]
]

const ofTheCatalogue: ReadonlyArray<Case> = [
  ["a category without a name", "category_name_check", [category({ name: "''" })]],
  ["two categories of one name", "category_name_key", [category(), category({ id: 2 })]],
  ["a service of no category", "service_category_id_fkey", [service()]],
  ["a service that JSON does not number", "service_id_check", [category(), service({ id: "9007199254740992" })]],
  ["a service without a name", "service_name_check", [category(), service({ name: "''" })]],
  ["a service of another type", "service_type_check", [category(), service({ type: "'lottery'" })]],
  ["a service of another flow", "service_flow_check", [category(), service({ flow: "'x'" })]],
  ["a service below nothing", "service_minimum_check", [category(), service({ minimum: -1 })]],
  ["a service whose most is less than its least", "service_maximum", [category(), service({ maximum: 99 })]],
  [
    "an insurance that may be taken back",
    "service_reversible",
    [category(), service({ type: "'insurance'", reversible: "true" })]
  ],
  ["a product without a name", "service_product_check", [category(), service({ product: "''" })]],
  ["a package of no service", "package_service_id_fkey", [pack()]],
  ["a package without a number", "package_id_check", [category(), service(), pack({ id: 0 })]],
  ["a package without a code", "package_code_check", [category(), service(), pack({ code: "''" })]],
  ["a package without a name", "package_name_check", [category(), service(), pack({ name: "''" })]],
  ["a package for nothing", "package_price_check", [category(), service(), pack({ price: 0 })]],
  ["a package of fewer than no minutes", "package_minutes_check", [category(), service(), pack({ minutes: -1 })]],
  ["a package of fewer than no messages", "package_sms_check", [category(), service(), pack({ sms: -1 })]],
  ["an offer of no service", "company_service_service_id_fkey", [offer()]]
]

layer(TestDatabase)("the tables that companies share", (it) => {
  it.effect.each([...ofTheDirectory, ...ofTheCatalogue])("refuse %s", ([, guard, statements]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusedBy(statements), guard)
    })
  )

  // Its guard tells no name.
  it.effect.each([
    "update directory.audit_event set action = 'x'",
    "delete from directory.audit_event",
    "truncate directory.audit_event"
  ])("keep the audit log from: %s", (statement) =>
    Effect.gen(function* () {
      assert.include(String(yield* refusedBy([statement])), "audit_event is append-only")
    })
  )

  it.effect("have no guard that was never seen to refuse", () =>
    Effect.gen(function* () {
      const seen = new Set([...ofTheDirectory, ...ofTheCatalogue].map(([, guard]) => guard))
      const guards = [...(yield* guardsIn("directory")), ...(yield* guardsIn("catalogue"))]
      assert.deepStrictEqual([...seen, "audit_event_append_only"].sort(), guards.sort())
    })
  )

  it.effect("let a token be stopped for a while, and for good", () =>
    Effect.gen(function* () {
      const through = ["suspended", "active", "revoked", "revoked"]
      const turns = through.map((state) => `update directory.token set state = '${state}'`)
      assert.isNull(yield* refusedBy([company(), token(), ...turns]))
    })
  )
})
