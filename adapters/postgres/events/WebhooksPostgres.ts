import { DateTime, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Base64 } from "effect/encoding"
import type { SqlError } from "effect/sql/SqlError"
import { WebhookId, webhooks_max } from "../../../core/domain/Event.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { EventType, WebhookSecret, WebhookUrl } from "../../../core/domain/Webhook.ts"
import { Vault } from "../../../core/ports/Vault.ts"
import { type Webhook, type WebhookState, Webhooks } from "../../../core/ports/Webhooks.ts"
import { cellClient, isOpen } from "../connection/Cell.ts"
import { instant, instantOrNull, int8 } from "../connection/Sql.ts"
import { queueTransactionsInTurn } from "./QueueTransactions.ts"

/** The columns of a webhook without its secrets. */
interface WebhookRow {
  readonly company_id: bigint
  readonly id: bigint
  readonly url: string
  readonly event_types: ReadonlyArray<string>
  readonly description: string
  readonly state: WebhookState
  readonly failing_since: Date | null
  readonly previous_until: Date | null
  readonly created_at: Date
}

const columns = "company_id, id, url, event_types, description, state, failing_since, previous_until, created_at"

const decodeTypes = Schema.decodeUnknownSync(Schema.Array(EventType))

const webhookOf = (row: WebhookRow): Webhook => ({
  companyId: CompanyId.make(Number(row.company_id)),
  id: WebhookId.make(Number(row.id)),
  url: WebhookUrl.make(row.url),
  eventTypes: decodeTypes(row.event_types),
  description: row.description,
  state: row.state,
  failingSince: instantOrNull(row.failing_since),
  previousUntil: instantOrNull(row.previous_until),
  createdAt: DateTime.fromDateUnsafe(row.created_at)
})

/** Binds the encrypted secret to its webhook. The text cannot be decrypted as the secret of another webhook. */
const secretPurpose = (companyId: number | bigint, id: number | bigint): string => `webhook ${companyId} ${id}`

/** How many decrypted secrets a process keeps. The oldest is dropped. */
const openedSecrets_max = 10_000

/**
 * Encrypts and decrypts the secrets of webhooks. Decrypted secrets are kept, because each decryption waits for another
 * thread. A kept secret is found by its ciphertext. A changed secret has another ciphertext, so a kept secret never becomes
 * outdated.
 */
export const secrets = Effect.map(Vault, ({ open, seal }) => {
  const kept = new Map<string, Redacted.Redacted<WebhookSecret>>()

  const keep = (key: string, secret: Redacted.Redacted<WebhookSecret>) => {
    const [oldest] = kept.size < openedSecrets_max ? [] : kept.keys()
    if (oldest !== undefined) kept.delete(oldest)
    kept.set(key, secret)
  }

  const opened = (companyId: bigint, id: bigint, sealed: Uint8Array) => {
    const purpose = secretPurpose(companyId, id)
    const key = `${purpose} ${Base64.encode(sealed)}`
    const known = kept.get(key)
    if (known !== undefined) return Effect.succeed(known)
    return open(sealed, purpose).pipe(
      Effect.map((text) => Redacted.make(WebhookSecret.make(text))),
      Effect.tap((secret) => Effect.sync(() => keep(key, secret)))
    )
  }

  const sealed = (companyId: CompanyId, id: WebhookId, secret: Redacted.Redacted<WebhookSecret>) =>
    seal(Redacted.value(secret), secretPurpose(companyId, id))

  return { opened, sealed }
})

const firstOf = (rows: Effect.Effect<ReadonlyArray<WebhookRow>, SqlError>) =>
  Effect.orDie(Effect.map(rows, ([row]) => Option.map(Option.fromUndefinedOr(row), webhookOf)))

/** Maximum number of deliveries that a transaction deletes. */
const deleted_max = 1000

const make = Effect.gen(function* () {
  const sql = yield* cellClient
  const inTurn = yield* queueTransactionsInTurn(sql)
  const { sealed } = yield* secrets

  const find = (companyId: CompanyId, id: WebhookId) =>
    firstOf(sql<WebhookRow>`
      select ${sql.literal(columns)}
      from ${sql.cell}.webhook
      where company_id = ${int8(companyId)} and id = ${int8(id)}`)

  const add: Webhooks["Service"]["add"] = Effect.fnUntraced(function* (companyId, choice, secret, at) {
    const [drawn] = yield* sql<{ id: bigint }>`select nextval('${sql.cell}.webhook_id') as id`
    const id = WebhookId.make(Number(drawn?.id))
    const [row] = yield* sql<{ added: boolean }>`
      select ${sql.cell}.add_webhook(
        company => ${int8(companyId)},
        webhook_ => ${int8(id)},
        url_ => ${choice.url},
        event_types_ => ${[...choice.eventTypes]}::text[],
        description_ => ${choice.description},
        secret_ => ${yield* sealed(companyId, id, secret)},
        at => ${instant(at)},
        webhooks_max => ${webhooks_max}
      ) as added`
    return row?.added === true ? yield* find(companyId, id) : Option.none()
  }, Effect.orDie)

  const list = (companyId?: CompanyId) =>
    Effect.orDie(
      Effect.map(
        sql<WebhookRow>`
          select ${sql.literal(columns)}
          from ${sql.cell}.webhook
          ${companyId === undefined ? sql.literal("") : sql`where company_id = ${int8(companyId)}`}
          order by company_id, id`,
        (rows) => rows.map(webhookOf)
      )
    )

  const change: Webhooks["Service"]["change"] = (companyId, id, { description, eventTypes, state, url }) =>
    firstOf(sql<WebhookRow>`
      update ${sql.cell}.webhook
      set url = coalesce(${url ?? null}::text, url),
        event_types = coalesce(${eventTypes === undefined ? null : [...eventTypes]}::text[], event_types),
        description = coalesce(${description ?? null}::text, description),
        state = coalesce(${state ?? null}::text, state),
        failing_since = case when ${state ?? null}::text = 'activo' then null else failing_since end
      where company_id = ${int8(companyId)} and id = ${int8(id)}
      returning ${sql.literal(columns)}`)

  /**
   * Deletes the first deliveries of a webhook after a sequence, except those that another transaction has locked. Returns
   * their number and the sequence of the last one.
   */
  const deleteDeliveries = (companyId: CompanyId, id: WebhookId, after: bigint) =>
    inTurn(sql<{ readonly deleted: number; readonly last: bigint }>`
      with deleted as (
        delete from ${sql.cell}.delivery
        where ctid = any (
          array(
            select t.ctid
            from ${sql.cell}.delivery as t
            where t.company_id = ${int8(companyId)}
              and t.webhook_id = ${int8(id)}
              and t.sequence > ${int8(after)}
              and ${isOpen(sql, "t")}
            order by t.sequence
            limit ${deleted_max}
            for update skip locked
          )
        )
        returning sequence
      )
      select count(*)::int as deleted, coalesce(max(sequence), 0) as last from deleted`)

  const remove: Webhooks["Service"]["remove"] = Effect.fnUntraced(function* (companyId, id) {
    // If this call is interrupted, the webhook stays paused. A webhook is never active while its deliveries are being deleted.
    yield* sql`
      update ${sql.cell}.webhook as w
      set state = 'pausado'
      where w.company_id = ${int8(companyId)} and w.id = ${int8(id)} and w.state = 'activo' and ${isOpen(sql, "w")}`
    // remove_webhook locks the balance, so the company's sales wait for it. A month of deliveries may be a million rows.
    let part: { readonly deleted: number; readonly last: bigint } | undefined
    do [part] = yield* deleteDeliveries(companyId, id, part?.last ?? 0n)
    while (part?.deleted === deleted_max)
    const [row] = yield* sql<{ removed: boolean }>`
      select ${sql.cell}.remove_webhook(company => ${int8(companyId)}, webhook_ => ${int8(id)}) as removed`
    return row?.removed === true
  }, Effect.orDie)

  const rotate: Webhooks["Service"]["rotate"] = Effect.fnUntraced(function* (companyId, id, secret, previousUntil) {
    const rotated = yield* sql`
      update ${sql.cell}.webhook
      set previous_secret = secret,
        previous_until = ${instant(previousUntil)},
        secret = ${yield* sealed(companyId, id, secret)}
      where company_id = ${int8(companyId)} and id = ${int8(id)}
      returning id`
    return rotated.length > 0
  }, Effect.orDie)

  return Webhooks.of({ add, list, find, change, remove, rotate })
})

export const layer = Layer.effect(Webhooks, make)
