import { DateTime, Effect, Schema } from "effect"
import type { CompanyId, InsuranceId } from "../../../core/domain/Ids.ts"
import { Insurance, Insured } from "../../../core/domain/Insurance.ts"
import { type InsuranceEvent, type InsuranceState, statesBefore } from "../../../core/domain/InsuranceState.ts"
import { cellClient } from "../connection/Cell.ts"
import { int8, numberOrNull } from "../connection/Sql.ts"

/** Conditions for the statements that change an insurance, and a query for its state. */
export const insuranceGuards = Effect.gen(function* () {
  const sql = yield* cellClient

  const ofId = (companyId: CompanyId, id: InsuranceId) => sql`company_id = ${int8(companyId)} and id = ${int8(id)}`

  /** Condition that the state allows this event. Contract: 3.3. */
  const inOrder = (event: InsuranceEvent) => sql.in("state", statesBefore(event))

  const stateOf = Effect.fnUntraced(function* (companyId: CompanyId, id: InsuranceId) {
    const [row] = yield* sql<{ state: InsuranceState }>`
      select state from ${sql.cell}.insurance where ${ofId(companyId, id)}`
    return row === undefined ? yield* Effect.die(new Error(`insurance ${id} does not exist`)) : row.state
  }, Effect.orDie)

  return { ofId, inOrder, stateOf }
})

const InsuredJson = Schema.fromJsonString(Insured)

/** The encrypted part of an insurance: the insured person and vehicle. */
export const insuredSecretOf = Schema.encodeSync(InsuredJson)
const decodeSecret = Schema.decodeUnknownSync(InsuredJson)

/** Binds the encrypted text to its insurance. The text cannot be decrypted as the text of another insurance. */
export const insurancePurpose = (companyId: number | bigint, id: number | bigint): string => `seguro ${companyId} ${id}`

/** The columns of an insurance, as SQL. */
export const insuranceColumns = [
  ...["company_id", "id", "service_id", "environment", "state", "plate", "insured", "terminal_id", "renewal"],
  ...["reference", "versions", "version", "plan", "offered_extras", "quote_reference", "quote_total", "quote_extras"],
  ...["quote_expires_at", "transaction_id", "policy_number", "valid_from", "valid_until", "created_at", "issued_at"]
].join(", ")

export interface InsuranceRow {
  readonly company_id: bigint
  readonly id: bigint
  readonly service_id: bigint
  readonly environment: string
  readonly state: string
  readonly plate: string
  readonly insured: Uint8Array
  readonly terminal_id: string | null
  readonly renewal: boolean
  readonly reference: string
  readonly versions: unknown
  readonly version: unknown
  readonly plan: unknown
  readonly offered_extras: unknown
  readonly quote_reference: string | null
  readonly quote_total: bigint | null
  readonly quote_extras: unknown
  readonly quote_expires_at: Date | null
  readonly transaction_id: bigint | null
  readonly policy_number: string | null
  readonly valid_from: string | null
  readonly valid_until: string | null
  readonly created_at: Date
  readonly issued_at: Date | null
}

// Table constraints: the columns of a quote are all null or all set, and so are those of a policy.
const quoteOf = (row: InsuranceRow) =>
  row.quote_expires_at === null
    ? null
    : {
        reference: row.quote_reference,
        total: Number(row.quote_total),
        extras: row.quote_extras,
        expiresAt: DateTime.fromDateUnsafe(row.quote_expires_at)
      }

const policyOf = (row: InsuranceRow) =>
  row.issued_at === null
    ? null
    : {
        number: row.policy_number,
        validity: { from: row.valid_from, until: row.valid_until },
        issuedAt: DateTime.fromDateUnsafe(row.issued_at)
      }

const decodeInsurance = Schema.decodeUnknownSync(Schema.toType(Insurance))

export const insuranceOf = (row: InsuranceRow, secret: string): Insurance =>
  decodeInsurance({
    id: Number(row.id),
    companyId: Number(row.company_id),
    serviceId: Number(row.service_id),
    environment: row.environment,
    state: row.state,
    plate: row.plate,
    insured: decodeSecret(secret),
    terminalId: row.terminal_id,
    renewal: row.renewal,
    reference: row.reference,
    versions: row.versions,
    version: row.version,
    plan: row.plan,
    offeredExtras: row.offered_extras,
    quote: quoteOf(row),
    transactionId: numberOrNull(row.transaction_id),
    policy: policyOf(row),
    createdAt: DateTime.fromDateUnsafe(row.created_at)
  })
