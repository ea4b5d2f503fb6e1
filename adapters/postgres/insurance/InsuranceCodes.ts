import { PgTypes } from "@effect/sql-pg"
import { DateTime, Effect } from "effect"
import type { CompanyId, InsuranceId } from "../../../core/domain/Ids.ts"
import { CodeBlocked } from "../../../core/domain/InsuranceErrors.ts"
import { afterEvent, type InsuranceEvent } from "../../../core/domain/InsuranceState.ts"
import { attempts_max, resends_max } from "../../../core/domain/OneTimeCode.ts"
import type { CodeToSend, NewInsurance } from "../../../core/ports/Insurances.ts"
import type { StagedSms } from "../../../core/ports/Outbox.ts"
import { Vault } from "../../../core/ports/Vault.ts"
import { cellClient } from "../connection/Cell.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { transientRetry } from "../connection/SqlFailure.ts"
import { insuranceGuards, insurancePurpose, insuredSecretOf } from "./InsuranceRow.ts"
import { smsPurpose, smsSecretOf } from "./OutboxPostgres.ts"
import { phoneQuota } from "./PhoneQuota.ts"

const smsColumns =
  "company_id, id, insurance_id, environment, status, sealed, tries, created_at, expires_at, send_at, leased_until"

// The values of the `smsColumns` from `status` on. The values of the columns before `status` come from the insurance.
// The process that stages the SMS makes the first attempt.
const staging = Effect.gen(function* () {
  const sql = yield* cellClient
  const vault = yield* Vault

  return Effect.fnUntraced(function* (companyId: CompanyId, sms: StagedSms) {
    const { at, expiresAt, leasedUntil, message } = sms
    const sealed = yield* vault.seal(smsSecretOf(message), smsPurpose(companyId, message.id))
    return sql`'staged', ${sealed}, 1, ${instant(at)}, ${instant(expiresAt)}, ${instant(at)}, ${instant(leasedUntil)}`
  })
})

// A retry recognizes its earlier commit by the insurance's id, because the id was assigned for this call only. Creates
// nothing if the phone may not get another message.
const beginning = Effect.gen(function* () {
  const sql = yield* cellClient
  const vault = yield* Vault
  const smsValuesOf = yield* staging
  const { granting } = yield* phoneQuota
  const { ofId } = yield* insuranceGuards

  return Effect.fnUntraced(function* (id: InsuranceId, insurance: NewInsurance, { code, sms }: CodeToSend) {
    const { companyId } = insurance
    const insured = yield* vault.seal(insuredSecretOf(insurance.insured), insurancePurpose(companyId, id))
    const smsValues = yield* smsValuesOf(companyId, sms)
    const owner = sql`
      select o.company_id, o.id, o.environment
      from (values (${int8(companyId)}, ${int8(id)}, ${insurance.environment})) as o(company_id, id, environment)
      where not exists (select from ${sql.cell}.insurance where ${ofId(companyId, id)})`
    yield* sql`
      with ${yield* granting(sms, owner)},
      begun as (
        insert into ${sql.cell}.insurance (
          company_id, id, service_id, environment, state, plate, insured, terminal_id, renewal, reference, versions,
          offered_extras, code_hash, code_expires_at, created_at
        )
        select
          company_id, id, ${int8(insurance.serviceId)}, environment, 'iniciada', ${insurance.plate}, ${insured},
          ${insurance.terminalId}, ${insurance.renewal}, ${insurance.reference}, ${PgTypes.jsonb(insurance.versions)},
          '[]', ${code.hash}, ${instant(code.expiresAt)}, ${instant(insurance.createdAt)}
        from granted
        on conflict do nothing
        returning company_id, id, environment
      )
      insert into ${sql.cell}.sms (${sql.literal(smsColumns)})
      select company_id, ${sms.message.id}::uuid, id, environment, ${smsValues} from begun`.pipe(
      Effect.retry(transientRetry),
      Effect.orDie
    )
  })
})

// The reason for a change that did not happen: the state does not allow it, or the attempts or resends are used up.
const refusing = Effect.gen(function* () {
  const { stateOf } = yield* insuranceGuards

  return Effect.fnUntraced(function* (companyId: CompanyId, id: InsuranceId, event: InsuranceEvent) {
    yield* Effect.fromResult(afterEvent(yield* stateOf(companyId, id), event))
    return yield* new CodeBlocked()
  })
})

// A retry recognizes its earlier commit by the id of the SMS. This statement and the outbox lock the insurance before its
// SMS, so that they cannot deadlock. This statement locks the phone's row after the insurance and before the SMS.
const resending = Effect.gen(function* () {
  const sql = yield* cellClient
  const { inOrder, ofId } = yield* insuranceGuards
  const smsValuesOf = yield* staging
  const refused = yield* refusing
  const { granting, refuse } = yield* phoneQuota

  return Effect.fnUntraced(function* (companyId: CompanyId, id: InsuranceId, { code, sms }: CodeToSend) {
    const smsValues = yield* smsValuesOf(companyId, sms)
    const messageId = sql`${sms.message.id}::uuid`
    const known = sql`exists (select 1 from ${sql.cell}.sms where company_id = ${int8(companyId)} and id = ${messageId})`
    const owner = sql`
      select company_id, id, environment
      from ${sql.cell}.insurance
      where ${ofId(companyId, id)}
        and ${inOrder("code_resent")}
        and attempts < ${attempts_max}
        and resends < ${resends_max} + undelivered
        and not ${known}
      for no key update`
    const [row] = yield* sql<{ staged: boolean; allowed: boolean }>`
      with ${yield* granting(sms, owner)},
      resent as (
        update ${sql.cell}.insurance as g
        set code_hash = ${code.hash}, code_expires_at = ${instant(code.expiresAt)}, resends = resends + 1
        from granted
        where g.company_id = granted.company_id and g.id = granted.id
        returning g.company_id, g.id, g.environment
      ),
      -- An SMS that was not sent yet carries a code that is no longer valid.
      overtaken as (
        update ${sql.cell}.sms as s
        set expires_at = ${instant(sms.at)}
        from resent as r
        where s.company_id = r.company_id and s.insurance_id = r.id and s.status = 'staged'
      ),
      staged as (
        insert into ${sql.cell}.sms (${sql.literal(smsColumns)})
        select company_id, ${messageId}, id, environment, ${smsValues} from resent
        returning id
      )
      select exists (select 1 from staged) or ${known} as staged, exists (select 1 from owner) as allowed`.pipe(
      Effect.retry(transientRetry),
      Effect.orDie
    )
    if (row?.staged === true) return
    return row?.allowed === true ? yield* refuse(sms) : yield* refused(companyId, id, "code_resent")
  })
})

// Counts the attempt before the code is compared. Concurrent attempts wait for this statement's row lock. Never
// retried, because a retry could count twice.
const attempting = Effect.gen(function* () {
  const sql = yield* cellClient
  const { inOrder, ofId } = yield* insuranceGuards
  const refused = yield* refusing

  return Effect.fnUntraced(function* (companyId: CompanyId, id: InsuranceId) {
    const [row] = yield* Effect.orDie(sql<{ code_hash: string; code_expires_at: Date; attempts: number }>`
      update ${sql.cell}.insurance
      set attempts = attempts + 1
      where ${ofId(companyId, id)} and ${inOrder("code_verified")} and attempts < ${attempts_max}
      returning code_hash, code_expires_at, attempts`)
    if (row === undefined) return yield* refused(companyId, id, "code_verified")
    return {
      code: { hash: row.code_hash, expiresAt: DateTime.fromDateUnsafe(row.code_expires_at) },
      attemptsLeft: attempts_max - row.attempts
    }
  })
})

/** Writes the one-time codes of insurances, each in one statement with its SMS. */
export const insuranceCodes = Effect.gen(function* () {
  return { begin: yield* beginning, resend: yield* resending, attempt: yield* attempting }
})
