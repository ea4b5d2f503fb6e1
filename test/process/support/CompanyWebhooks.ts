import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"

/** The stored secret of a webhook. No command may print it. */
export const storedSecret = "whsec_canary"

/** A company whose events are turned on, and a webhook that was created in the past. */
export const companyWithWebhook = Effect.gen(function* () {
  const { answer } = yield* CommandLine
  const sql = yield* PgClient.PgClient
  const code = `W-${crypto.randomUUID().slice(0, 8)}`
  const { empresa_id }: { readonly empresa_id: number } = yield* answer(
    ...["company", "create", "--razon-social", code, "--codigo", code, "--ambiente", "production"]
  )
  yield* answer("company", "set", `${empresa_id}`, "--eventos", "on")
  const [row] = yield* sql<{ id: number }>`
    insert into cell.webhook (company_id, id, url, event_types, description, state, secret, created_at)
    values (
      ${empresa_id}, nextval('cell.webhook_id'), 'https://tienda.example.com/saldo', '{}', 'Tienda', 'activo',
      ${Buffer.from(storedSecret)}, timestamptz '2026-01-31 12:00:00Z'
    )
    returning id::int`
  return { companyId: empresa_id, webhookId: row?.id ?? 0 }
})

/** Makes deposits, each of which is an event with one delivery. */
export const deposits = Effect.fnUntraced(function* (companyId: number, references: ReadonlyArray<string>) {
  const { answer } = yield* CommandLine
  yield* Effect.forEach(references, (reference) =>
    answer("company", "deposit", `${companyId}`, "10", "--referencia", `${companyId}-${reference}`)
  )
})
