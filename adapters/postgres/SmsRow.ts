import { DateTime, Schema } from "effect"
import type { Environment } from "../../core/domain/Company.ts"
import { CompanyId, InsuranceId } from "../../core/domain/Ids.ts"
import { Phone } from "../../core/domain/Person.ts"
import type { SmsMessage } from "../../core/domain/Sms.ts"
import type { ClaimedSms, UndeliveredSms } from "../../core/ports/Outbox.ts"

const Sealed = Schema.fromJsonString(Schema.Struct({ to: Phone, text: Schema.String }))

const encode = Schema.encodeSync(Sealed)
const decode = Schema.decodeUnknownSync(Sealed)

/** The encrypted part of an SMS: phone and text. */
export const secretOf = ({ text, to }: SmsMessage): string => encode({ text, to })

/** Binds the encrypted text to its SMS. It cannot be decrypted as another SMS's text. */
export const smsPurpose = (companyId: number | bigint, id: string): string => `sms ${companyId} ${id}`

/** The columns of a claimed SMS. */
export interface SmsRow {
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

export const claimedOf = (row: SmsRow, secret: string): ClaimedSms => ({
  companyId: CompanyId.make(Number(row.company_id)),
  insuranceId: InsuranceId.make(Number(row.insurance_id)),
  environment: row.environment,
  message: { id: row.id, ...decode(secret) },
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  expiresAt: DateTime.fromDateUnsafe(row.expires_at),
  tries: row.tries,
  accounted: row.accounted
})

/** The columns of an undelivered SMS. */
export interface UndeliveredRow {
  readonly company_id: bigint
  readonly id: string
  readonly insurance_id: bigint
  readonly status: UndeliveredSms["status"]
  readonly detail: string
  readonly created_at: Date
}

export const undeliveredOf = (row: UndeliveredRow): UndeliveredSms => ({
  id: row.id,
  companyId: CompanyId.make(Number(row.company_id)),
  insuranceId: InsuranceId.make(Number(row.insurance_id)),
  status: row.status,
  reason: row.detail,
  createdAt: DateTime.fromDateUnsafe(row.created_at)
})
