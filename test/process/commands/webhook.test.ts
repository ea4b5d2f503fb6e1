import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"
import { companyWithWebhook, deposits, storedSecret } from "../support/CompanyWebhooks.ts"

const shownBefore = { url: "https://tienda.example.com/saldo", eventos: [], descripcion: "Tienda" }
const shownAfter = { falla_desde: null, created_at: "2026-01-31T08:00:00-04:00" }

/** The audit events about a webhook. */
const auditOf = Effect.fnUntraced(function* (webhookId: number) {
  const sql = yield* PgClient.PgClient
  return yield* sql`
    select action, company_id::int as company, details
    from directory.audit_event
    where action like 'webhook%' and details ->> 'webhookId' = ${`${webhookId}`}
    order by id`
})

/** Records the result of the only attempt of a delivery. */
const attempted = Effect.fnUntraced(function* (companyId: number, sequence: number, state: string, status: number) {
  const sql = yield* PgClient.PgClient
  yield* sql`
    update cell.delivery
    set state = ${state}, attempts = 1, http_status = ${status}, duration_ms = 12,
      error = ${status === 200 ? null : `http_${status}`}, due_at = timestamptz '2026-02-01 12:00:00Z'
    where company_id = ${companyId} and sequence = ${sequence}`
})

const statesOf = Effect.fnUntraced(function* (companyId: number) {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ state: string; attempts: number }>`
    select state, attempts from cell.delivery where company_id = ${companyId} order by sequence`
  return rows.map(({ attempts, state }) => [state, attempts])
})

layer(CommandLine.layer, { excludeTestServices: true })("saldo webhook", (it) => {
  it.effect("lists the webhooks of all companies, or of one, without secrets", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      const one = yield* companyWithWebhook
      const other = yield* companyWithWebhook
      const documentOf = ({ companyId, webhookId }: typeof one) => ({
        ...{ webhook_id: webhookId, empresa_id: companyId },
        ...shownBefore,
        ...{ estado: "activo", ...shownAfter }
      })
      assert.deepStrictEqual((yield* answer("webhook", "list")).items.slice(-2), [documentOf(one), documentOf(other)])
      assert.deepStrictEqual((yield* answer("webhook", "list", `${other.companyId}`)).items, [documentOf(other)])
      const { stdout } = yield* run("webhook", "list", `${other.companyId}`)
      assert.match(stdout, /^webhook_id {2}empresa_id {2}url .*\n\d+ .*activo/)
      assert.notInclude(stdout, Buffer.from(storedSecret).toString("hex"))
    })
  )

  it.effect("says that a company has no webhooks", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      const { empresa_id } = yield* answer(
        ...["company", "create", "--razon-social", "Sin", "--codigo", "SIN", "--ambiente", "development"]
      )
      assert.strictEqual((yield* run("webhook", "list", `${empresa_id}`)).stdout, "There are no webhooks.")
    })
  )

  it.effect("shows the deliveries by state and the last errors, without the secret", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      const { companyId, webhookId } = yield* companyWithWebhook
      yield* deposits(companyId, ["a", "b", "c", "d"])
      yield* attempted(companyId, 1, "entregada", 200)
      yield* attempted(companyId, 2, "fallida", 410)
      yield* attempted(companyId, 3, "pendiente", 500)
      const { entregas, espera_desde, ultimos_errores } = yield* answer("webhook", "show", `${webhookId}`)
      assert.deepStrictEqual(entregas, { entregada: 1, pendiente: 2, fallida: 1 })
      assert.strictEqual(espera_desde, "2026-02-01T08:00:00-04:00")
      assert.deepStrictEqual(
        ultimos_errores.map(({ created_at: _, ...error }: Record<string, unknown>) => error),
        [
          { estado: "pendiente", error: "http_500", http_status: 500, proximo_intento: "2026-02-01T08:00:00-04:00" },
          { estado: "fallida", error: "http_410", http_status: 410, proximo_intento: null }
        ].map((error, nth) => ({
          evento_id: `evt_${companyId}_${3 - nth}`,
          type: "balance.deposited",
          intento: 1,
          duracion_ms: 12,
          ...error
        }))
      )
      const { stdout } = yield* run("webhook", "show", `${webhookId}`)
      assert.match(stdout, /\nentregas: entregada 1, pendiente 2, fallida 1\n.*\n\nLast errors:\nevento_id /)
      assert.notInclude(stdout, storedSecret)
    })
  )

  it.effect("lists the ten newest errors", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { companyId, webhookId } = yield* companyWithWebhook
      const references = Array.from({ length: 12 }, (_, n) => `${n}`)
      yield* deposits(companyId, references)
      yield* Effect.forEach(references, (_, n) => attempted(companyId, n + 1, "fallida", 500))
      const { ultimos_errores } = yield* answer("webhook", "show", `${webhookId}`)
      assert.deepStrictEqual(
        ultimos_errores.map(({ evento_id }: { evento_id: string }) => evento_id),
        Array.from({ length: 10 }, (_, n) => `evt_${companyId}_${12 - n}`)
      )
    })
  )

  it.effect("disables a webhook, so that new events are not queued for it", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      const { companyId, webhookId } = yield* companyWithWebhook
      yield* deposits(companyId, ["a"])
      assert.strictEqual((yield* answer("webhook", "disable", `${webhookId}`)).estado, "desactivado")
      yield* deposits(companyId, ["b"])
      assert.deepStrictEqual(yield* statesOf(companyId), [["pendiente", 0]])
      const details = { webhookId, by: "operator", before: { state: "activo" }, after: { state: "desactivado" } }
      assert.deepStrictEqual(yield* auditOf(webhookId), [{ action: "webhook_disabled", company: companyId, details }])
      const { stdout } = yield* run("webhook", "disable", `${webhookId}`)
      assert.include(stdout, `PATCH /v1/webhooks/${webhookId}`)
    })
  )

  it.effect("replays the events of a time span, also events that were never queued", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const sql = yield* PgClient.PgClient
      const { companyId, webhookId } = yield* companyWithWebhook
      yield* deposits(companyId, ["a", "b"])
      yield* attempted(companyId, 1, "entregada", 200)
      yield* attempted(companyId, 2, "fallida", 500)
      yield* sql`update cell.webhook set state = 'pausado' where id = ${webhookId}`
      yield* deposits(companyId, ["c"])
      yield* sql`update cell.webhook set state = 'activo' where id = ${webhookId}`
      const replay = (...flags: ReadonlyArray<string>) =>
        Effect.map(answer("webhook", "replay", `${webhookId}`, ...flags), ({ eventos }) => eventos)
      assert.strictEqual(yield* replay("--desde", "2020-01-01T00:00:00Z", "--hasta", "2020-01-02T00:00:00Z"), 0)
      assert.strictEqual(yield* replay("--desde", "2020-01-01T00:00:00-04:00", "--solo-fallidas"), 1)
      assert.deepStrictEqual(yield* statesOf(companyId), [
        ["entregada", 1],
        ["pendiente", 0]
      ])
      assert.strictEqual(yield* replay("--desde", "2020-01-01T00:00:00Z"), 3)
      const queued = ["pendiente", 0]
      assert.deepStrictEqual(yield* statesOf(companyId), [queued, queued, queued])
      const asked = { webhookId, since: "2020-01-01T00:00:00.000Z", until: null, onlyFailed: false }
      assert.deepStrictEqual(
        (yield* auditOf(webhookId)).map(({ action, details }) => [action, details]),
        [
          { ...asked, until: "2020-01-02T00:00:00.000Z", events: 0 },
          { ...asked, since: "2020-01-01T04:00:00.000Z", onlyFailed: true, events: 1 },
          { ...asked, events: 3 }
        ].map((details) => ["webhook_replayed", details])
      )
    })
  )

  it.effect("says that replayed events wait while the webhook is disabled", () =>
    Effect.gen(function* () {
      const { run } = yield* CommandLine
      const { companyId, webhookId } = yield* companyWithWebhook
      const replay = run("webhook", "replay", `${webhookId}`, "--desde", "2020-01-01T00:00:00Z")
      assert.match((yield* replay).stdout, /^No event matches\./)
      yield* deposits(companyId, ["a"])
      assert.match((yield* replay).stdout, /^1 event is queued for webhook \d+\. Watch/)
      yield* run("webhook", "disable", `${webhookId}`)
      assert.match((yield* replay).stdout, /The webhook is desactivado, so they wait until its company activates it/)
    })
  )

  it.effect.each(["webhook show 4711", "webhook disable 4711", "webhook replay 4711 --desde 2027-01-01T00:00:00Z"])(
    "refuses an unknown webhook with WEBHOOK_NOT_FOUND: %s",
    (line) =>
      Effect.gen(function* () {
        const { refusal } = yield* CommandLine
        const { code, details, exit, message } = yield* refusal(...line.split(" "))
        assert.deepStrictEqual([exit, code, details], [1, "WEBHOOK_NOT_FOUND", { webhook_id: 4711 }])
        assert.include(message, "saldo webhook list")
        assert.deepStrictEqual(yield* auditOf(4711), [])
      })
  )
})
