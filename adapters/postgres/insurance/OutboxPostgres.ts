import { DateTime, Effect, Layer, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { Environment } from "../../../core/domain/Company.ts"
import { CompanyId, InsuranceId } from "../../../core/domain/Ids.ts"
import { statesBefore } from "../../../core/domain/InsuranceState.ts"
import { maskPhone, Phone } from "../../../core/domain/Person.ts"
import type { SmsMessage } from "../../../core/domain/Sms.ts"
import {
  type ClaimedSms,
  type DeliveryResult,
  Outbox,
  type SmsResult,
  type TracedSms,
  type UndeliveredSms
} from "../../../core/ports/Outbox.ts"
import { Vault } from "../../../core/ports/Vault.ts"
import { cellClient, isOpen } from "../connection/Cell.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { transientRetry } from "../connection/SqlFailure.ts"

const Sealed = Schema.fromJsonString(Schema.Struct({ to: Phone, text: Schema.String }))

const encodeSealed = Schema.encodeSync(Sealed)
const decodeSealed = Schema.decodeUnknownSync(Sealed)

/** The encrypted part of an SMS: phone and text. */
export const smsSecretOf = ({ text, to }: SmsMessage): string => encodeSealed({ text, to })

/** Binds the encrypted text to its SMS. The text cannot be decrypted as the text of another SMS. */
export const smsPurpose = (companyId: number | bigint, id: string): string => `sms ${companyId} ${id}`

/** The columns of a claimed SMS. */
interface SmsRow {
  readonly company_id: bigint
  readonly id: string
  readonly insurance_id: bigint
  readonly environment: Environment
  readonly sealed: Uint8Array
  readonly tries: number
  readonly created_at: Date
  readonly expires_at: Date
  readonly accounted: boolean
}

const claimedOf = (row: SmsRow, secret: string): ClaimedSms => ({
  companyId: CompanyId.make(Number(row.company_id)),
  insuranceId: InsuranceId.make(Number(row.insurance_id)),
  environment: row.environment,
  message: { id: row.id, ...decodeSealed(secret) },
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  expiresAt: DateTime.fromDateUnsafe(row.expires_at),
  tries: row.tries,
  accounted: row.accounted
})

/** The columns of an undelivered SMS. */
interface UndeliveredRow {
  readonly company_id: bigint
  readonly id: string
  readonly insurance_id: bigint
  readonly status: UndeliveredSms["status"]
  readonly detail: string
  readonly created_at: Date
}

const undeliveredOf = (row: UndeliveredRow): UndeliveredSms => ({
  id: row.id,
  companyId: CompanyId.make(Number(row.company_id)),
  insuranceId: InsuranceId.make(Number(row.insurance_id)),
  status: row.status,
  reason: row.detail,
  createdAt: DateTime.fromDateUnsafe(row.created_at)
})

const statuses = { Sent: "sent", Failed: "failed", Unknown: "unknown" } as const

/** Removes the text and the phone number, which a gateway may repeat in its response. */
const withoutSecrets = (words: string, { text, to }: SmsMessage): string =>
  words.replaceAll(text, "***").replaceAll(to, maskPhone(to))

const claiming = Effect.gen(function* () {
  const sql = yield* cellClient
  const vault = yield* Vault

  // Keeps the row leased, so that the row does not delay other SMS. After the SMS has expired, the row is marked as failed,
  // and `saldo sms list` shows it.
  const unreadable = ({ company_id, id }: SmsRow, now: DateTime.Utc) =>
    Effect.andThen(
      Effect.logError("a stored SMS cannot be decrypted and is not sent", { id }),
      sql`
        update ${sql.cell}.sms
        set detail = 'it could not be read', leased_until = null, status = 'failed', sealed = null,
          settled_at = ${instant(now)}
        where company_id = ${int8(company_id)}
          and id = ${id}::uuid
          and status = 'staged'
          and expires_at <= ${instant(now)}`
    )

  const opened = (row: SmsRow, now: DateTime.Utc) =>
    vault.open(row.sealed, smsPurpose(row.company_id, row.id)).pipe(
      Effect.map((secret) => [claimedOf(row, secret)]),
      Effect.catchDefect(() => Effect.as(Effect.orDie(unreadable(row, now)), []))
    )

  // Skips SMS that another sender has locked or leased. Recording a result ends the lease. An expired lease therefore
  // means that a sender died before it recorded the result.
  const claim: Outbox["Service"]["claim"] = Effect.fnUntraced(function* ({ lease, limit, now }) {
    const rows = yield* Effect.orDie(sql<SmsRow>`
      with due as materialized (
        select company_id, id, leased_until is null as accounted
        from ${sql.cell}.sms as s
        where status = 'staged'
          and send_at <= ${instant(now)}
          and (leased_until is null or leased_until <= ${instant(now)})
          and ${isOpen(sql, "s")}
        order by send_at, id
        limit ${limit}
        for update skip locked
      )
      update ${sql.cell}.sms as s
      set leased_until = ${instant(DateTime.addDuration(now, lease))}, tries = s.tries + 1
      from due
      where s.company_id = due.company_id and s.id = due.id
      returning
        s.company_id, s.id, s.insurance_id, s.environment, s.sealed, s.tries, s.created_at, s.expires_at, due.accounted`)
    const readable = (yield* Effect.forEach(rows, (row) => opened(row, now))).flat()
    const missing = rows.length - readable.length
    // Claims more SMS in place of the unreadable ones. The recursion ends, because unreadable rows are now leased.
    return missing === 0 ? readable : [...readable, ...(yield* claim({ lease, limit: missing, now }))]
  })
  return claim
})

/** The fields that identify a message. */
interface MessageKey {
  readonly companyId: CompanyId
  readonly insuranceId: InsuranceId
  readonly id: string
}

const settling = Effect.gen(function* () {
  const sql = yield* cellClient

  /** The change of the insurance that each result makes. */
  const insuranceChanges = {
    Sent: { change: sql`state = 'otp_enviado'`, where: sql.in("g.state", statesBefore("code_sent")) },
    Failed: { change: sql`undelivered = g.undelivered + 1`, where: sql`true` },
    none: { change: sql`undelivered = g.undelivered`, where: sql`false` }
  }

  // Locks the insurance before the message, as a resend does, so that this statement and a resend cannot deadlock. A
  // repeated result changes nothing, because the message then has another status or no further query of its delivery.
  return Effect.fnUntraced(function* (
    { companyId, id, insuranceId }: MessageKey,
    from: "staged" | "sent",
    changes: Fragment,
    ofInsurance: keyof typeof insuranceChanges
  ) {
    const { change, where } = insuranceChanges[ofInsurance]
    yield* sql`
      with owner as materialized (
        select company_id, id
        from ${sql.cell}.insurance
        where company_id = ${int8(companyId)} and id = ${int8(insuranceId)}
        for no key update
      ),
      recorded as (
        update ${sql.cell}.sms as s
        set ${changes}, leased_until = null
        from owner
        where s.company_id = owner.company_id and s.id = ${id}::uuid and s.status = ${from}
        returning s.company_id, s.insurance_id
      )
      update ${sql.cell}.insurance as g
      set ${change}
      from recorded as r
      where g.company_id = r.company_id and g.id = r.insurance_id and ${where}`.pipe(Effect.retry(transientRetry))
  }, Effect.orDie)
})

const recording = Effect.gen(function* () {
  const sql = yield* cellClient
  const settle = yield* settling

  const changesOf = (result: SmsResult, message: SmsMessage, at: DateTime.Utc) => {
    const detail = withoutSecrets(result._tag === "Sent" ? result.reference : result.reason, message)
    const askAt = result._tag === "Sent" ? (result.askAt ?? null) : null
    return result._tag === "Later"
      ? sql`detail = ${detail}, send_at = ${instant(result.at)}`
      : sql`
          detail = ${detail}, status = ${statuses[result._tag]}, sealed = null, settled_at = ${instant(at)},
          ask_at = ${instant(askAt)}`
  }

  const record: Outbox["Service"]["record"] = ({ companyId, insuranceId, message }, result, at) =>
    settle(
      { companyId, insuranceId, id: message.id },
      "staged",
      changesOf(result, message, at),
      result._tag === "Sent" || result._tag === "Failed" ? result._tag : "none"
    )
  return record
})

/** The columns of an SMS that a query about its delivery needs. */
interface TracedRow extends Omit<SmsRow, "sealed" | "tries" | "accounted"> {
  readonly detail: string
}

const tracedOf = (row: TracedRow): TracedSms => ({
  companyId: CompanyId.make(Number(row.company_id)),
  insuranceId: InsuranceId.make(Number(row.insurance_id)),
  environment: row.environment,
  id: row.id,
  reference: row.detail,
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  expiresAt: DateTime.fromDateUnsafe(row.expires_at)
})

const tracing = Effect.gen(function* () {
  const sql = yield* cellClient
  const settle = yield* settling

  const claimTraced: Outbox["Service"]["claimTraced"] = ({ lease, limit, now }) =>
    sql<TracedRow>`
      with due as materialized (
        select company_id, id
        from ${sql.cell}.sms as s
        where ask_at <= ${instant(now)}
          and (leased_until is null or leased_until <= ${instant(now)})
          and ${isOpen(sql, "s")}
        order by ask_at, id
        limit ${limit}
        for update skip locked
      )
      update ${sql.cell}.sms as s
      set leased_until = ${instant(DateTime.addDuration(now, lease))}
      from due
      where s.company_id = due.company_id and s.id = due.id
      returning s.company_id, s.id, s.insurance_id, s.environment, s.detail, s.created_at, s.expires_at`.pipe(
      Effect.map((rows) => rows.map(tracedOf)),
      Effect.orDie
    )

  const changesOf = (result: DeliveryResult) => {
    switch (result._tag) {
      case "Delivered":
        return sql`ask_at = null`
      case "Failed":
        return sql`ask_at = null, status = 'failed', detail = ${result.reason}`
      case "Open":
        return sql`ask_at = ${instant(result.askAt)}`
    }
  }

  const recordDelivery: Outbox["Service"]["recordDelivery"] = (sms, result) =>
    settle(sms, "sent", changesOf(result), result._tag === "Failed" ? "Failed" : "none")

  return { claimTraced, recordDelivery }
})

const listing = Effect.gen(function* () {
  const sql = yield* cellClient

  return (limit: number) =>
    sql<UndeliveredRow>`
      select company_id, id, insurance_id, status, detail, created_at
      from ${sql.cell}.sms
      where status in ('failed', 'unknown')
      order by created_at desc, id desc
      limit ${limit}`.pipe(
      Effect.map((rows) => rows.map(undeliveredOf)),
      Effect.orDie
    )
})

const make = Effect.gen(function* () {
  return Outbox.of({
    claim: yield* claiming,
    record: yield* recording,
    ...(yield* tracing),
    undelivered: yield* listing
  })
})

/** `Outbox` in Postgres. Phone and text are encrypted, and erased when no longer needed. */
export const layer = Layer.effect(Outbox, make)
