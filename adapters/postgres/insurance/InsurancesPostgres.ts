import { PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { type CompanyId, InsuranceId } from "../../../core/domain/Ids.ts"
import { StepOutOfOrder, statesBefore } from "../../../core/domain/InsuranceState.ts"
import type { Order } from "../../../core/domain/Sale.ts"
import { type BuyerStep, type CodeToSend, Insurances, type NewInsurance } from "../../../core/ports/Insurances.ts"
import { Vault } from "../../../core/ports/Vault.ts"
import { cellClient } from "../connection/Cell.ts"
import { companyReads } from "../connection/CompanyReads.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { transientRetry } from "../connection/SqlFailure.ts"
import { insuranceCodes } from "./InsuranceCodes.ts"
import { type InsuranceRow, insuranceColumns, insuranceGuards, insuranceOf, insurancePurpose } from "./InsuranceRow.ts"
import { phoneQuota } from "./PhoneQuota.ts"

const opening = Effect.map(
  Vault,
  (vault) => (row: InsuranceRow) =>
    Effect.map(vault.open(row.insured, insurancePurpose(row.company_id, row.id)), (secret) => insuranceOf(row, secret))
)

const finding = Effect.gen(function* () {
  const sql = yield* cellClient
  const reads = yield* companyReads
  const opened = yield* opening
  const { ofId } = yield* insuranceGuards

  return Effect.fnUntraced(function* (companyId: CompanyId, id: InsuranceId) {
    const [row] = yield* reads(companyId)<InsuranceRow>`
      select ${sql.literal(insuranceColumns)} from ${sql.cell}.insurance where ${ofId(companyId, id)}`.pipe(
      Effect.retry(transientRetry),
      Effect.orDie
    )
    return row === undefined ? Option.none() : Option.some(yield* opened(row))
  })
})

const advancing = Effect.gen(function* () {
  const sql = yield* cellClient
  const opened = yield* opening
  const { inOrder, ofId, stateOf } = yield* insuranceGuards

  const changesOf = (step: BuyerStep) => {
    switch (step.event) {
      case "code_verified":
        return sql`state = 'otp_validado'`
      case "plan_chosen":
        return sql`
          state = 'plan_confirmado',
          version = ${PgTypes.jsonb(step.version)},
          plan = ${PgTypes.jsonb(step.plan)},
          offered_extras = ${PgTypes.jsonb(step.extras)},
          quote_reference = null,
          quote_total = null,
          quote_extras = null,
          quote_expires_at = null`
      case "quoted":
        return sql`
          state = 'cotizado',
          quote_reference = ${step.quote.reference},
          quote_total = ${int8(step.quote.total)},
          quote_extras = ${PgTypes.jsonb(step.quote.extras)},
          quote_expires_at = ${instant(step.quote.expiresAt)}`
    }
  }

  const stillMeant = (step: BuyerStep) =>
    step.event === "quoted"
      ? sql`version ->> 'id' = ${step.version} and plan ->> 'code' = ${step.plan}`
      : sql.literal("true")

  return Effect.fnUntraced(function* (companyId: CompanyId, id: InsuranceId, step: BuyerStep) {
    const [row] = yield* Effect.orDie(sql<InsuranceRow>`
      update ${sql.cell}.insurance
      set ${changesOf(step)}
      where ${ofId(companyId, id)} and ${inOrder(step.event)} and ${stillMeant(step)}
      returning ${sql.literal(insuranceColumns)}`)
    if (row === undefined) return yield* new StepOutOfOrder({ state: yield* stateOf(companyId, id) })
    return yield* opened(row)
  })
})

// This write is never retried: a retry could not tell whether its own earlier commit or recovery has changed the state.
const issuing = Effect.gen(function* () {
  const sql = yield* cellClient

  return Effect.fnUntraced(function* ({ companyId, transactionId }: Order) {
    const begun = yield* sql`
      update ${sql.cell}.insurance as g
      set state = 'emitiendo'
      from ${sql.cell}.transaction as t
      where t.company_id = ${int8(companyId)}
        and t.id = ${int8(transactionId)}
        and g.company_id = t.company_id
        and g.id = t.insurance_id
        and g.transaction_id = t.id
        and ${sql.in("g.state", statesBefore("issuing"))}
      returning g.id`
    return begun.length > 0
  }, Effect.orDie)
})

const make = Effect.gen(function* () {
  const sql = yield* cellClient
  const find = yield* finding
  const { attempt, begin, resend } = yield* insuranceCodes
  const { refuse } = yield* phoneQuota

  const drawnId = sql<{ id: bigint }>`select nextval('${sql.cell}.insurance_id') as id`.pipe(
    Effect.map(([row]) => InsuranceId.make(Number(row?.id))),
    Effect.orDie
  )

  const create = (id: InsuranceId, insurance: NewInsurance, first: CodeToSend) =>
    begin(id, insurance, first).pipe(
      Effect.andThen(find(insurance.companyId, id)),
      Effect.flatMap(Option.match({ onNone: () => refuse(first.sms), onSome: (begun) => Effect.succeed(begun) }))
    )

  return Insurances.of({
    nextId: () => drawnId,
    create,
    find,
    resend,
    attempt,
    advance: yield* advancing,
    beginIssue: yield* issuing
  })
})

/** `Insurances` in Postgres. The insured person is encrypted. */
export const layer = Layer.effect(Insurances, make)
