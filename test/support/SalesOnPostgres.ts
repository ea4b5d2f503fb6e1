import { randomUUID } from "node:crypto"
import { PgClient, PgTypes } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as InsurancesMemory from "../../adapters/memory/InsurancesMemory.ts"
import * as InsurancesPostgres from "../../adapters/postgres/insurance/InsurancesPostgres.ts"
import * as OutboxPostgres from "../../adapters/postgres/insurance/OutboxPostgres.ts"
import * as LedgerPostgres from "../../adapters/postgres/ledger/LedgerPostgres.ts"
import { reserveRow } from "../../adapters/postgres/ledger/LedgerRows.ts"
import * as ReversalsPostgres from "../../adapters/postgres/ledger/ReversalsPostgres.ts"
import { CompanyId, IdempotencyKey, Identifier, ServiceId } from "../../core/domain/Ids.ts"
import { type Insurance, insuranceOption } from "../../core/domain/Insurance.ts"
import { periodsAt } from "../../core/domain/LocalTime.ts"
import { Amount } from "../../core/domain/Money.ts"
import { type ReversalIntent, ReversalVerdict, type UnresolvedReversal } from "../../core/domain/Reversal.ts"
import { type Intent, type Order, Verdict } from "../../core/domain/Sale.ts"
import { Insurances } from "../../core/ports/Insurances.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { Outbox } from "../../core/ports/Outbox.ts"
import { Reversals } from "../../core/ports/Reversals.ts"
import { plainSale } from "./Examples.ts"
import { insurance as example } from "./InsuranceExample.ts"

/** The request for a sale of `centavos`. Its xid is derived from company and key. */
export const intentOf = (company: number, key: string, centavos: number): Intent => ({
  ...plainSale,
  companyId: CompanyId.make(company),
  environment: "development",
  key: IdempotencyKey.make(key),
  fingerprint: "00",
  xid: `RD-${company}-${key}`,
  service: { id: ServiceId.make(1), name: "Recarga", type: "mobile_recharge" },
  identifier: Identifier.make("8095550123"),
  amount: Amount.make(centavos)
})

/**
 * A ledger with its own grouping of calls, like the ledger of another server. It shares only Postgres with other
 * ledgers.
 */
export const replica = Effect.map(
  Layer.build(Layer.fresh(LedgerPostgres.layer.pipe(Layer.provide(SecureRandom.layerWebCrypto)))),
  (context) => Effect.runSync(Effect.provide(Ledger, context))
)

/** A second reversals port, like the port of another server. */
export const reversalsReplica = Effect.map(
  Layer.build(Layer.fresh(ReversalsPostgres.layer.pipe(Layer.provide(SecureRandom.layerWebCrypto)))),
  (context) => Effect.runSync(Effect.provide(Reversals, context))
)

/** The request for a reversal of a sale. Its xid is derived from company and key. */
export const reversalOf = ({ companyId, transactionId }: Order, key: string): ReversalIntent => ({
  companyId,
  transactionId,
  key: IdempotencyKey.make(key),
  fingerprint: "01",
  xid: `RV-${companyId}-${key}`
})

/** Opens a company's account with a deposit. */
export const opened = Effect.fnUntraced(function* (ledger: Ledger["Service"], company: number, centavos: number) {
  const companyId = CompanyId.make(company)
  yield* ledger.deposit({ companyId, amount: Amount.make(centavos), reference: "opening", at: yield* DateTime.now })
})

/** Reserves a sale under an unused key. */
export const reservedOrder = (ledger: Ledger["Service"], intent: Intent): Effect.Effect<Order> =>
  Effect.orDie(
    Effect.flatMap(ledger.reserve(intent), (reserved) =>
      reserved._tag === "Reservation" ? Effect.succeed(reserved.order) : Effect.die(new Error("the key is in use"))
    )
  )

/** The answer that cell.reserve returns for one sale of a call. */
interface ReserveAnswer {
  readonly n: number
  readonly answer: { readonly tag: string; readonly period?: string; readonly transaction_id: number }
}

/** Reserves sales with one call of cell.reserve. Returns the answers in the order of the sales. */
export const reserveInOneCall = Effect.fnUntraced(function* (intents: ReadonlyArray<Intent>) {
  const sql = yield* PgClient.PgClient
  const at = yield* DateTime.now
  const { day, month, week } = periodsAt(at)
  const instant = DateTime.formatIso(at)
  const members = intents.map((intent, n) => reserveRow({ intent, owner: randomUUID() }, n))
  return yield* sql<ReserveAnswer>`
    select n, answer
    from cell.reserve(
      ${PgTypes.jsonb(members)}, ${instant}::timestamptz, ${day}::date, ${week}::date, ${month}::date,
      ${instant}::timestamptz, ${instant}::timestamptz, ${instant}::timestamptz
    )
    order by n`
})

/** Begins a reversal under an unused key. */
export const begunOn = (reversals: Reversals["Service"], intent: ReversalIntent): Effect.Effect<UnresolvedReversal> =>
  Effect.orDie(
    Effect.flatMap(reversals.begin(intent), (begun) =>
      begun._tag === "Begun" ? Effect.succeed(begun.unresolved) : Effect.die(new Error("the key is in use"))
    )
  )

const delivered = Verdict.Confirm({ delivery: { authCode: "AUTH-77", rechargeToken: null } })

/** Creates a delivered sale with a reversal to which no provider has responded. */
export const unanswered = Effect.fnUntraced(function* (ledger: Ledger["Service"], intent: Intent, key: string) {
  const order = yield* reservedOrder(ledger, { ...intent, reversible: true })
  const at = yield* DateTime.now
  yield* ledger.settle({ order, verdict: delivered, at, notFound: 0 })
  yield* unansweredAgain(order, key)
  return order
})

/** Begins a reversal of the sale under this key, and leaves it without a response of the provider. */
export const unansweredAgain = Effect.fnUntraced(function* (order: Order, key: string) {
  const reversals = yield* reversalsReplica
  const unresolved = yield* begunOn(reversals, reversalOf(order, key))
  yield* reversals.settle({ unresolved, verdict: ReversalVerdict.Hold(), at: yield* DateTime.now, notFound: 0 })
})

/** Creates a company, and spends its whole balance on one reversible sale. */
export const soldOut = Effect.fnUntraced(function* (ledger: Ledger["Service"], company: number, centavos: number) {
  yield* opened(ledger, company, centavos)
  const order = yield* reservedOrder(ledger, { ...intentOf(company, "sale", centavos), reversible: true })
  yield* ledger.settle({ order, verdict: delivered, at: yield* DateTime.now, notFound: 0 })
  return order
})

/** A second insurances port, like the port of another server. */
export const insurancesReplica = Layer.build(
  Layer.fresh(InsurancesPostgres.layer.pipe(Layer.provide(InsurancesMemory.vaultLayer)))
).pipe(Effect.map((context) => Context.get(context, Insurances)))

/** A second outbox, like the outbox of another server. */
export const outboxReplica = Layer.build(
  Layer.fresh(OutboxPostgres.layer.pipe(Layer.provide(InsurancesMemory.vaultLayer)))
).pipe(Effect.map((context) => Context.get(context, Outbox)))

/** The sale that buys the quote of an insurance. */
export const insuranceIntent = ({ companyId, id, plate, quote }: Insurance, key: string): Intent => ({
  ...intentOf(companyId, key, quote?.total ?? 1),
  service: { id: example.serviceId, name: "Seguro de ley", type: "insurance" },
  identifier: Identifier.make(plate),
  optionId: insuranceOption(id),
  insuranceId: id,
  reference: quote?.reference ?? null
})

/** For a company with one sale: its money, the status of the sale, and how many reversal entries and keys it has. */
export const stateOf = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<Record<string, unknown>>`
    select
      b.available::int as available,
      b.held::int as held,
      (select sum(c.total)::int from cell.consumption as c where c.company_id = b.company_id) as consumed,
      (select t.status from cell.transaction as t where t.company_id = b.company_id) as sale,
      (select count(*)::int from cell.entry as e where e.company_id = b.company_id and e.type = 'reversal') as credits,
      (select count(*)::int from cell.idempotency as r where r.company_id = b.company_id and r.key <> 'sale') as keys
    from cell.balance as b
    where b.company_id = ${company}`
  return row
})
