import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestDatabase } from "../../support/Database.ts"
import { guardsIn, isOfProviders, refusedBy, rowsOf } from "../../support/SchemaGuards.ts"

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
const lastAudit = rowsOf("directory.last_audit", { id: 1, ended_at: "'epoch'", duration_ms: 0, violations: "'{}'" })
const phoneQuota = rowsOf("directory.phone_quota", { phone: "'h'", queued_at: "array['epoch'::timestamptz]" })
const cell = rowsOf("directory.cell", { name: "'norte'", ordinal: 1 })
const companyMove = rowsOf("directory.company_move", {
  company_id: "(select max(id) from directory.company)",
  source: "'cell'",
  target: "'norte'",
  begun_at: "'epoch'"
})
const cellMove = rowsOf("directory.cell_move", {
  cell: "'norte'",
  source: "'main'",
  target: "'este'",
  begun_at: "'epoch'",
  was_open: "true"
})
const auditEvent = rowsOf("directory.audit_event", { at: "'epoch'", action: "'x'", details: "'{}'" })
const operator = rowsOf("directory.operator", { name: "'Ana'", role: "'admin'", created_at: "'epoch'" })
const invitation = rowsOf("directory.operator_invitation", { token_hash: bytes(32), expires_at: "'epoch'" })
const session = rowsOf("directory.operator_session", {
  token_hash: bytes(32),
  via: "'cli'",
  created_at: "'epoch'",
  used_at: "'epoch'",
  reauthenticated_at: "'epoch'"
})
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
  ["a company with an RNC of other than 9 or 11 digits", "company_rnc_check", [company({ rnc: "'1018500430'" })]],
  ["a company without a code", "company_code_check", [company({ code: "''" })]],
  ["two companies with one code", "company_code_key", [company(), company()]],
  ["a company in an unknown environment", "company_environment_check", [company({ environment: "'staging'" })]],
  ["a company in an unknown cell", "company_cell_fkey", [company({ cell: "'norte'" })]],
  ["a move of a cell within a node", "cell_move_nodes", [cell(), cellMove({ target: "'main'" })]],
  ["a move of a cell to a node without a name", "cell_move_target_check", [cell(), cellMove({ target: "''" })]],
  ["a move of an unknown cell", "cell_move_cell_fkey", [cellMove()]],
  ["a move within a cell", "company_move_cells", [company(), companyMove({ target: "'cell'" })]],
  ["a move of an unknown company", "company_move_company_id_fkey", [cell(), companyMove({ company_id: 9999 })]],
  ["a move from an unknown cell", "company_move_source_fkey", [cell(), company(), companyMove({ source: "'sur'" })]],
  ["a move to an unknown cell", "company_move_target_fkey", [company(), companyMove()]],
  ["a cell with a name that is no schema name", "cell_name_check", [cell({ name: "'Norte'" })]],
  ["a cell with the name of a system schema", "cell_name_check", [cell({ name: "'pg_norte'" })]],
  ["two cells with one ordinal", "cell_ordinal_key", [cell(), cell({ name: "'sur'" })]],
  ["a cell with an ordinal that does not fit into an id", "cell_ordinal_check", [cell({ ordinal: 256 })]],
  ["a cell in an unknown state", "cell_state_check", [cell({ state: "'moving'" })]],
  ["a cell on a node that no variable can name", "cell_node_check", [cell({ node: "'otro_nodo'" })]],
  ["a company in an unknown state", "company_state_check", [company({ state: "'cerrada'" })]],
  ["a token without a company", "token_company_id_fkey", [token({ company_id: 99 })]],
  ["a token without a name", "token_name_check", [company(), token({ name: "''" })]],
  ["a token without an api_key", "token_api_key_check", [company(), token({ api_key: "''" })]],
  ["an api_key with a dot", "token_api_key_check", [company(), token({ api_key: "'a.b'" })]],
  ["two tokens with one api_key", "token_api_key_key", [company(), token(), token()]],
  ["a secret that is not a hash", "token_secret_hash_check", [company(), token({ secret_hash: bytes(31) })]],
  ["a pepper without a name", "token_secret_pepper_check", [company(), token({ secret_pepper: "''" })]],
  [
    "a previous secret that is not a hash",
    "token_previous_hash_check",
    [company(), token({ previous_hash: bytes(31), previous_until: "'epoch'" })]
  ],
  ["a previous secret without an expiry", "token_previous_secret", [company(), token({ previous_hash: bytes(32) })]],
  [
    "a previous pepper without a previous secret",
    "token_previous_pepper",
    [company(), token({ previous_pepper: "'p'" })]
  ],
  [
    "a previous pepper without a name",
    "token_previous_pepper_check",
    [company(), token({ previous_hash: bytes(32), previous_until: "'epoch'", previous_pepper: "''" })]
  ],
  ["a token in an unknown state", "token_state_check", [company(), token({ state: "'lost'" })]],
  ["a token with a call limit of zero", "token_calls_per_minute_check", [company(), token({ calls_per_minute: 0 })]],
  [
    "a revoked token that is reactivated",
    "token_revoked_for_good",
    [company(), token({ state: "'revoked'" }), "update directory.token set state = 'suspended'"]
  ],
  ["a token use without a token", "token_use_token_id_fkey", [use()]],
  ["a second data key", "data_key_id_check", [dataKey({ id: 2 })]],
  ["a second result of the last audit", "last_audit_id_check", [lastAudit({ id: 2 })]],
  ["an audit that ended before it began", "last_audit_duration_ms_check", [lastAudit({ duration_ms: -1 })]],
  ["a second audit event with the same once-only key", "audit_event_once", Array(2).fill(auditEvent({ once: "'x'" }))],
  ["an audit event of an actor without a name", "audit_event_actor_check", [auditEvent({ actor: "''" })]],
  ["an audit event from an unknown place", "audit_event_via_check", [auditEvent({ via: "'radio'" })]],
  ["an operator with a Cyrillic letter in the name", "operator_name_check", [operator({ name: "'An\u0430'" })]],
  ["two operators with names that differ in case", "operator_name", [operator(), operator({ name: "'ANA'" })]],
  ["an operator with an e-mail address without @", "operator_email_check", [operator({ email: "'ana'" })]],
  [
    "two operators with one e-mail address",
    "operator_email",
    [operator({ email: "'a@b.do'" }), operator({ name: "'Eva'", email: "'A@b.do'" })]
  ],
  ["an operator with an unknown role", "operator_role_check", [operator({ role: "'jefe'" })]],
  [
    "an empty password hash of an operator",
    "operator_password_hash_check",
    [operator({ password_hash: "''", totp_secret: bytes(1) })]
  ],
  ["a password without authenticator app", "operator_credentials", [operator({ password_hash: "'x'" })]],
  ["an identity without provider", "operator_oidc", [operator({ oidc_subject: "'1'" })]],
  ["an identity without name", "operator_oidc_subject_check", [operator({ oidc_issuer: "'i'", oidc_subject: "''" })]],
  [
    "an identity provider without name",
    "operator_oidc_issuer_check",
    [operator({ oidc_issuer: "''", oidc_subject: "'1'" })]
  ],
  [
    "two operators with one identity",
    "operator_identity",
    ["'Ana'", "'Eva'"].map((name) => operator({ name, oidc_issuer: "'i'", oidc_subject: "'1'" }))
  ],
  [
    "an operator token whose digest is not 32 bytes",
    "operator_token_hash_check",
    [operator({ token_hash: bytes(31) })]
  ],
  [
    "two operators with one token",
    "operator_token",
    ["'Ana'", "'Eva'"].map((name) => operator({ name, token_hash: bytes(32) }))
  ],
  [
    "an invitation whose digest is not 32 bytes",
    "operator_invitation_token_hash_check",
    [invitation({ token_hash: bytes(31) })]
  ],
  ["an invitation for an unknown operator", "operator_invitation_operator_id_fkey", [invitation({ operator_id: 9 })]],
  [
    "an invitation with an empty password hash",
    "operator_invitation_password_hash_check",
    [invitation({ password_hash: "''", totp_secret: bytes(1) })]
  ],
  [
    "an invitation with a password and no authenticator app",
    "operator_invitation_chosen",
    [invitation({ password_hash: "'x'" })]
  ],
  [
    "two one-time links without an operator",
    "operator_invitation_of",
    [invitation(), invitation({ token_hash: "decode(repeat('01', 32), 'hex')" })]
  ],
  ["a session whose digest is not 32 bytes", "operator_session_token_hash_check", [session({ token_hash: bytes(31) })]],
  ["a session of an unknown operator", "operator_session_operator_id_fkey", [session({ operator_id: 9 })]],
  ["a session from an unknown place", "operator_session_via_check", [session({ via: "'server'" })]],
  [
    "a later check zero hours after the settlement",
    "follow_up_hours_check",
    ["insert into directory.follow_up (hours, settled_at, transaction_id) values (0, 'epoch', 0)"]
  ],
  ["a phone quota without a message", "phone_quota_queued_at_check", [phoneQuota({ queued_at: "'{}'" })]]
]

const ofTheCatalogue: ReadonlyArray<Case> = [
  ["a category without a name", "category_name_check", [category({ name: "''" })]],
  ["two categories with one name", "category_name_key", [category(), category({ id: 2 })]],
  ["a service without a category", "service_category_id_fkey", [service()]],
  [
    "a service id above the largest exact JSON integer",
    "service_id_check",
    [category(), service({ id: "9007199254740992" })]
  ],
  ["a service without a name", "service_name_check", [category(), service({ name: "''" })]],
  ["a service of an unknown type", "service_type_check", [category(), service({ type: "'lottery'" })]],
  ["a service of an unknown flow", "service_flow_check", [category(), service({ flow: "'x'" })]],
  ["a negative minimum of a service", "service_minimum_check", [category(), service({ minimum: -1 })]],
  ["a maximum below the minimum of a service", "service_maximum", [category(), service({ maximum: 99 })]],
  ["a reversible insurance", "service_reversible", [category(), service({ type: "'insurance'", reversible: "true" })]],
  ["a product without a name", "service_product_check", [category(), service({ product: "''" })]],
  ["a package without a service", "package_service_id_fkey", [pack()]],
  ["a package with id zero", "package_id_check", [category(), service(), pack({ id: 0 })]],
  ["a package without a code", "package_code_check", [category(), service(), pack({ code: "''" })]],
  ["a package without a name", "package_name_check", [category(), service(), pack({ name: "''" })]],
  ["a package with price zero", "package_price_check", [category(), service(), pack({ price: 0 })]],
  ["a package with negative minutes", "package_minutes_check", [category(), service(), pack({ minutes: -1 })]],
  ["a package with a negative number of SMS", "package_sms_check", [category(), service(), pack({ sms: -1 })]],
  ["an offer of an unknown service", "company_service_service_id_fkey", [offer()]]
]

layer(TestDatabase)("the tables that companies share", (it) => {
  it.effect.each([...ofTheDirectory, ...ofTheCatalogue])("reject %s", ([, guard, statements]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusedBy(statements), guard)
    })
  )

  // The trigger of the audit log raises an error without the name of a constraint.
  it.effect.each([
    "update directory.audit_event set action = 'x'",
    "delete from directory.audit_event",
    "truncate directory.audit_event"
  ])("protect the audit log from: %s", (statement) =>
    Effect.gen(function* () {
      assert.include(String(yield* refusedBy([statement])), "audit_event is append-only")
    })
  )

  it.effect("refuse the sandbox in a cell of another node", () =>
    Effect.gen(function* () {
      const statements = [cell({ name: "'sur'", node: "'este'" }), company({ code: "'SANDBOX'", cell: "'sur'" })]
      assert.include(String(yield* refusedBy(statements)), "company_sandbox_on_main")
    })
  )

  it.effect("have a case above for every constraint", () =>
    Effect.gen(function* () {
      const seen = new Set([...ofTheDirectory, ...ofTheCatalogue].map(([, guard]) => guard))
      const guards = [
        ...(yield* guardsIn("directory", (table) => !isOfProviders(table))),
        ...(yield* guardsIn("catalogue"))
      ]
      assert.deepStrictEqual([...seen, "audit_event_append_only"].sort(), guards.sort())
    })
  )

  it.effect("allow a token to be suspended, activated and revoked", () =>
    Effect.gen(function* () {
      const through = ["suspended", "active", "revoked", "revoked"]
      const turns = through.map((state) => `update directory.token set state = '${state}'`)
      assert.isNull(yield* refusedBy([company(), token(), ...turns]))
    })
  )
})
