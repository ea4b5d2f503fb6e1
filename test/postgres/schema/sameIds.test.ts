import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import * as AccountsPostgres from "../../../adapters/postgres/ledger/AccountsPostgres.ts"
import * as OptionsPostgres from "../../../adapters/postgres/ledger/OptionsPostgres.ts"
import * as ResolutionsPostgres from "../../../adapters/postgres/ledger/ResolutionsPostgres.ts"
import { CompanyId, Identifier, ServiceId } from "../../../core/domain/Ids.ts"
import type { Insurance } from "../../../core/domain/Insurance.ts"
import { Amount, Centavos } from "../../../core/domain/Money.ts"
import { Finding, type Proposal } from "../../../core/domain/Resolution.ts"
import { ReversalVerdict, type UnresolvedReversal } from "../../../core/domain/Reversal.ts"
import { type Order, Verdict } from "../../../core/domain/Sale.ts"
import { Accounts, Adjustments } from "../../../core/ports/Accounts.ts"
import type { Insurances } from "../../../core/ports/Insurances.ts"
import { Options } from "../../../core/ports/Options.ts"
import { Resolutions } from "../../../core/ports/Resolutions.ts"
import { TestDatabase } from "../../support/Database.ts"
import {
  begunInsurance,
  codeToSend,
  plan,
  plannedInsurance,
  quotedEvent,
  quotedInsurance,
  tow,
  version
} from "../../support/InsuranceExample.ts"
import {
  begunOn,
  insuranceIntent,
  insurancesReplica,
  intentOf,
  opened,
  outboxReplica,
  replica,
  reservedOrder,
  reversalOf,
  reversalsReplica
} from "../../support/SalesOnPostgres.ts"

// Each of these functions prepares a company, then returns the change to test.

const at = DateTime.now
const delivered = Verdict.Confirm({ delivery: { authCode: "A1", rechargeToken: null } })
const policy = { authCode: "P1", rechargeToken: null, validity: { from: "2026-03-04", until: "2027-03-03" } }

const settle = (order: Order, verdict: Verdict) =>
  Effect.gen(function* () {
    const ledger = yield* replica
    return yield* ledger.settle({ order, verdict, at: yield* at, notFound: 0 })
  })

/** Reserves a reversible sale. */
const reserve = Effect.fnUntraced(function* (company: number) {
  return yield* reservedOrder(yield* replica, { ...intentOf(company, "sale", 100), reversible: true })
})

const sold = (company: number) => Effect.tap(reserve(company), (order) => settle(order, delivered))

const reversing = Effect.fnUntraced(function* (company: number) {
  return yield* begunOn(yield* reversalsReplica, reversalOf(yield* sold(company), "reversal"))
})

const endedBy = (verdict: ReversalVerdict) => (unresolved: UnresolvedReversal) =>
  Effect.gen(function* () {
    yield* (yield* reversalsReplica).settle({ unresolved, verdict, at: yield* at, notFound: 0 })
  })

const offered = Effect.fnUntraced(function* (company: number, centavos: number, until = { days: 0 }, id = "o") {
  const option = {
    id,
    companyId: CompanyId.make(company),
    serviceId: ServiceId.make(3),
    identifier: Identifier.make("8095550123"),
    reference: "P",
    name: "Paquete",
    price: Amount.make(centavos),
    validity: null,
    data: null,
    expiresAt: DateTime.add(yield* at, until)
  }
  yield* Options.use((options) => options.store([option]))
})

const proposal = Effect.map(
  at,
  (proposedAt): Proposal => ({
    number: 1,
    finding: Finding.cases.Failed.make({}),
    reversalId: null,
    reason: "r",
    proposedBy: "ana",
    proposedAt,
    confirmation: null
  })
)

const propose = (order: Order) =>
  Effect.flatMap(proposal, (proposed) => Resolutions.use((all) => all.propose(order, proposed)))

type Policies = Insurances["Service"]

/** Prepares an insurance and returns its next step. */
const insured = <A, E1, E2>(
  company: number,
  prepare: (insurances: Policies, company: number) => Effect.Effect<Insurance, E1>,
  step: (insurances: Policies, insurance: Insurance) => Effect.Effect<A, E2>
) =>
  Effect.flatMap(insurancesReplica, (insurances) =>
    Effect.map(prepare(insurances, company), (insurance) => step(insurances, insurance))
  )

const quotedOnce = (company: number) =>
  Effect.flatMap(insurancesReplica, (insurances) => quotedInsurance(insurances, company, 100))

const insuredOrder = (company: number) =>
  Effect.gen(function* () {
    const intent = insuranceIntent(yield* quotedOnce(company), "policy")
    return yield* reservedOrder(yield* replica, intent)
  })

/** The changes to test, by name. Each prepares a company and returns the change. */
const changes = {
  deposit: (company: number) =>
    Effect.succeed(
      Effect.gen(function* () {
        const deposit = { companyId: CompanyId.make(company), amount: Amount.make(5), reference: "more", at: yield* at }
        yield* (yield* replica).deposit(deposit)
      })
    ),
  adjustment: (company: number) =>
    Effect.succeed(
      Effect.gen(function* () {
        const since = DateTime.add(yield* at, { hours: 1 })
        const companyId = CompanyId.make(company)
        const adjustment = { companyId, goal: Amount.make(7), reference: "day", since, at: yield* at }
        yield* Adjustments.use((adjustments) => adjustments.adjust(adjustment))
      })
    ),
  "change of a limit": (company: number) =>
    Effect.succeed(
      Effect.gen(function* () {
        const now = yield* at
        yield* Accounts.use((all) => all.configure(CompanyId.make(company), { weekly: Centavos.make(5) }, now))
      })
    ),
  reservation: (company: number) => Effect.succeed(reserve(company)),
  "settlement as delivered": (company: number) => Effect.map(reserve(company), (order) => settle(order, delivered)),
  "settlement as refused": (company: number) =>
    Effect.map(reserve(company), (order) => settle(order, Verdict.Release({ refusal: "TRANSACTION_REJECTED" }))),
  "settlement of a sale that did not reach the provider": (company: number) =>
    Effect.map(reserve(company), (order) => settle(order, Verdict.Free())),
  "hold of a sale": (company: number) => Effect.map(reserve(company), (order) => settle(order, Verdict.Hold())),
  "start of a reversal": (company: number) =>
    Effect.map(sold(company), (order) =>
      Effect.flatMap(reversalsReplica, (reversals) => begunOn(reversals, reversalOf(order, "reversal")))
    ),
  "confirmed reversal": (company: number) => Effect.map(reversing(company), endedBy(ReversalVerdict.Confirm())),
  "denied reversal": (company: number) => Effect.map(reversing(company), endedBy(ReversalVerdict.Deny())),
  "settlement of a reversal that did not reach the provider": (company: number) =>
    Effect.map(reversing(company), endedBy(ReversalVerdict.Free())),
  "hold of a reversal": (company: number) => Effect.map(reversing(company), endedBy(ReversalVerdict.Hold())),
  "option at a new price": (company: number) => Effect.as(offered(company, 100), offered(company, 200)),
  "deletion of an expired option": (company: number) =>
    Effect.as(offered(company, 100, { days: -3 }, "old"), offered(company, 100)),
  proposal: (company: number) => Effect.map(reserve(company), propose),
  "second proposal": (company: number) => Effect.map(Effect.tap(reserve(company), propose), propose),
  "confirmation of a proposal": (company: number) =>
    Effect.map(
      Effect.gen(function* () {
        const order = yield* reserve(company)
        const proposed = yield* proposal
        yield* Resolutions.use((all) => all.propose(order, proposed))
        return { order, proposed }
      }),
      ({ order, proposed }) =>
        Effect.gen(function* () {
          const confirmation = { by: "luis", at: yield* at }
          yield* Resolutions.use((all) => all.confirm(order, proposed, confirmation))
        })
    ),
  "start of an insurance": (company: number) =>
    Effect.map(insurancesReplica, (insurances) => begunInsurance(insurances, company)),
  "resend of a code": (company: number) =>
    insured(company, begunInsurance, (insurances, { companyId, id }) =>
      Effect.flatMap(codeToSend(), (code) => insurances.resend(companyId, id, code))
    ),
  "verification attempt": (company: number) =>
    insured(company, begunInsurance, (insurances, { companyId, id }) => insurances.attempt(companyId, id)),
  "choice of a plan": (company: number) =>
    insured(company, plannedInsurance, (insurances, { companyId, id }) =>
      insurances.advance(companyId, id, { event: "plan_chosen", version, plan, extras: [tow, tow] })
    ),
  quote: (company: number) =>
    insured(company, plannedInsurance, (insurances, { companyId, id }) =>
      Effect.flatMap(quotedEvent(100), (step) => insurances.advance(companyId, id, step))
    ),
  "sent SMS": (company: number) =>
    Effect.map(
      Effect.gen(function* () {
        const letter = yield* codeToSend()
        const { companyId, id } = yield* begunInsurance(yield* insurancesReplica, company)
        yield* (yield* insurancesReplica).resend(companyId, id, letter)
        return { companyId, insuranceId: id, message: letter.sms.message }
      }),
      (sms) =>
        Effect.gen(function* () {
          yield* (yield* outboxReplica).record(sms, { _tag: "Sent", reference: "S1" }, yield* at)
        })
    ),
  "sale of a quote": (company: number) =>
    Effect.map(quotedOnce(company), (insurance) =>
      Effect.flatMap(replica, (ledger) => reservedOrder(ledger, insuranceIntent(insurance, "policy")))
    ),
  "start of a policy's issue": (company: number) =>
    Effect.map(insuredOrder(company), (order) =>
      Effect.flatMap(insurancesReplica, (insurances) => insurances.beginIssue(order))
    ),
  "issued policy": (company: number) =>
    Effect.map(insuredOrder(company), (order) => settle(order, Verdict.Confirm({ delivery: policy })))
}

/** All tables of a cell. Each table comes after the tables that it refers to. */
const tables = [
  "balance",
  "consumption",
  "transaction",
  "idempotency",
  "entry",
  "block",
  "sublist_block",
  "adjustment",
  "option",
  "insurance",
  "sms",
  "reversal",
  "resolution",
  "question",
  "replay"
]

/** Copies all rows of a company to a second company under the same ids. */
const twinOf = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const twin = company + 1_000
  const columns = yield* sql<{ table: string; names: string }>`
    select table_name as table, string_agg(column_name, ', ') as names
    from information_schema.columns
    where table_schema = 'cell' and is_generated = 'NEVER' and column_name <> 'company_id'
    group by table_name`
  const namesOf = new Map(columns.map(({ names, table }) => [table, names]))
  const copies = tables.map((table) => {
    const names = namesOf.get(table)
    return `
      insert into cell.${table} (company_id, ${names})
      select ${twin}, ${names} from cell.${table} where company_id = ${company}`
  })
  yield* sql.unsafe(`do $do$ begin ${copies.join(";")}; end $do$`).unprepared
  return twin
})

const rowsOf = (company: number) =>
  PgClient.PgClient.use((sql) =>
    sql.unsafe(
      `${tables
        .map(
          (table) =>
            `select '${table}' as of, to_jsonb(t)::text as row from cell.${table} as t where company_id = ${company}`
        )
        .join(" union all ")} order by 1, 2`
    )
  )

const TestLayer = Layer.mergeAll(
  AccountsPostgres.accountsLayer,
  AccountsPostgres.adjustmentsLayer,
  OptionsPostgres.layer,
  ResolutionsPostgres.layer
).pipe(Layer.provideMerge(TestDatabase))

// Ids are unique in a cell. If cells are merged, rows of two companies can have the same id.
layer(TestLayer, { excludeTestServices: true })("a company with the same ids as another company", (it) => {
  let companies = 0

  it.effect.each(Object.entries(changes))("is not changed by the %s of the other company", ([, prepare]) =>
    Effect.gen(function* () {
      const company = ++companies
      yield* opened(yield* replica, company, 10_000)
      const change = yield* prepare(company)
      const twin = yield* twinOf(company)
      const before = [yield* rowsOf(company), yield* rowsOf(twin)]
      yield* change
      const after = [yield* rowsOf(company), yield* rowsOf(twin)]
      assert.notDeepEqual(after[0], before[0])
      assert.deepStrictEqual(after[1], before[1])
    }).pipe(Effect.scoped)
  )
})
