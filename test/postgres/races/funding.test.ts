import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, Context, DateTime, Effect, Layer, Option } from "effect"
import * as FundingProposalsPostgres from "../../../adapters/postgres/ledger/FundingProposalsPostgres.ts"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import { expiryOf, type FundingKind } from "../../../core/domain/FundingProposal.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { FundingProposals } from "../../../core/ports/FundingProposals.ts"
import { atOnce, inRounds, onItsOwn, racers, racing } from "../../support/Concurrency.ts"
import { TestDatabase, violatedInvariants } from "../../support/Database.ts"
import { intentOf, opened, replica } from "../../support/SalesOnPostgres.ts"

const rounds = 100

type Proposals = FundingProposals["Service"]

/** Proposals with their own connection, like the command of another operator. */
const proposals: Effect.Effect<Proposals, never, PgClient.PgClient> = Effect.scoped(
  Effect.map(Layer.build(Layer.fresh(FundingProposalsPostgres.layer)), (context) =>
    Context.get(context, FundingProposals)
  )
)

const request = (company: number, kind: FundingKind, centavos: number, reference: string, at: DateTime.Utc) => ({
  companyId: CompanyId.make(company),
  kind,
  amount: centavos,
  reference,
  isRepeated: false,
  reason: kind === "adjustment" ? "wrong transfer" : null,
  proposedBy: "ana",
  proposedAt: at,
  expiresAt: expiryOf(at)
})

/** A pending proposal. */
const proposed = Effect.fnUntraced(function* (all: Proposals, company: number, kind: FundingKind, centavos: number) {
  const made = yield* all.propose(request(company, kind, centavos, `r-${company}`, yield* DateTime.now))
  if (made._tag !== "Proposed") return yield* Effect.die(new Error(made._tag))
  return Option.getOrThrow(yield* all.find(made.number))
})

const nameOf = (racer: number): string => `turno-${racer}`

/** Each racer confirms as a separate operator. */
const confirming = (all: ReadonlyArray<Proposals>, proposal: Effect.Success<ReturnType<typeof proposed>>) =>
  all.map(({ confirm }, racer) => Effect.flatMap(DateTime.now, (at) => confirm(proposal, { by: nameOf(racer), at })))

const others = (tag: string) => Arr.makeBy(racers - 1, () => tag)

/** The available centavos of a company, and its manual entries after the opening deposit. */
const booksOf = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ available: number; held: number; entries: ReadonlyArray<number> }>`
    select b.available::int as available, b.held::int as held,
      array(
        select e.amount::int
        from cell.entry as e
        where e.company_id = b.company_id and e.reference <> 'opening'
        order by e.id
      ) as entries
    from cell.balance as b
    where b.company_id = ${company}`
  return row
})

const TestLayer = AuditPostgres.layer.pipe(Layer.provideMerge(TestDatabase))

layer(TestLayer, { excludeTestServices: true, timeout: "2 minutes" })("eight concurrent operators", (it) => {
  it.effect.each([
    ["deposit", 500, 1],
    ["adjustment", 500, 1_001],
    ["adjustment", -500, 2_001]
  ] as const)("who confirm the same %s of %d write only one entry", ([kind, centavos, first]) =>
    Effect.gen(function* () {
      const all = yield* racing(proposals)
      const ledger = yield* onItsOwn(replica)
      yield* inRounds({ count: rounds, first }, (company) =>
        Effect.gen(function* () {
          yield* opened(ledger, company, 1_000)
          const proposal = yield* proposed(all[0], company, kind, centavos)
          const confirmed = yield* Effect.all(confirming(all, proposal), { concurrency: "unbounded" })
          assert.deepStrictEqual(confirmed.map(({ _tag }) => _tag).sort(), [...others("NotPending"), "Recorded"])
          assert.deepStrictEqual(yield* booksOf(company), { available: 1_000 + centavos, held: 0, entries: [centavos] })
          const decided = Option.getOrThrow(yield* all[0].find(proposal.number))
          assert.strictEqual(decided.decision?.by, nameOf(confirmed.findIndex(({ _tag }) => _tag === "Recorded")))
        })
      )
      assert.deepStrictEqual(yield* violatedInvariants, [])
    }).pipe(Effect.scoped)
  )

  it.effect(
    "of whom four confirm and four reject the same proposal decide once, and money moves only if it was confirmed",
    () =>
      Effect.gen(function* () {
        const all = yield* racing(proposals)
        const ledger = yield* onItsOwn(replica)
        let confirmations = 0
        yield* inRounds({ count: rounds, first: 3_001 }, (company) =>
          Effect.gen(function* () {
            yield* opened(ledger, company, 1_000)
            const proposal = yield* proposed(all[0], company, "adjustment", -500)
            const deciding = confirming(all, proposal).map((confirm, racer) => {
              // In every other round, an operator who rejects starts first.
              if ((racer + company) % 2 === 0)
                return Effect.map(confirm, ({ _tag }) => (_tag === "Recorded" ? "confirmed" : null))
              const reject = Effect.flatMap(DateTime.now, (at) =>
                (all[racer] ?? all[0]).reject(proposal, { by: nameOf(racer), at, reason: "unknown to the bank" })
              )
              return Effect.map(reject, (isRejected) => (isRejected ? "rejected" : null))
            })
            // On a busy machine, rejections may win every race. In the first round a confirmation ends before the others begin.
            const early = company === 3_001 ? deciding.splice(1, 1) : []
            const decisions = [
              ...(yield* Effect.all(early)),
              ...(yield* Effect.all(deciding, { concurrency: "unbounded" }))
            ].filter((each) => each !== null)
            const decided = Option.getOrThrow(yield* all[0].find(proposal.number))
            assert.deepStrictEqual(decisions, [decided.state])
            const isConfirmed = decided.state === "confirmed"
            if (isConfirmed) confirmations++
            const moved = isConfirmed
              ? { available: 500, held: 0, entries: [-500] }
              : { available: 1_000, held: 0, entries: [] }
            assert.deepStrictEqual(yield* booksOf(company), moved)
          })
        )
        assert.isAbove(confirmations, 0)
        assert.isBelow(confirmations, rounds)
        assert.deepStrictEqual(yield* violatedInvariants, [])
      }).pipe(Effect.scoped)
  )

  it.effect("who sell while a correction takes 500 centavos never spend the same 500 centavos", () =>
    Effect.gen(function* () {
      const all = yield* onItsOwn(proposals)
      const ledgers = yield* racing(replica)
      yield* inRounds({ count: rounds, first: 4_001 }, (company) =>
        Effect.gen(function* () {
          yield* opened(ledgers[0], company, 800)
          const proposal = yield* proposed(all, company, "adjustment", -500)
          const [confirm] = confirming([all], proposal)
          const sales = ledgers.map((ledger, racer) => ledger.reserve(intentOf(company, `sale ${racer}`, 100)))
          const [confirmed, sold] = yield* Effect.all([confirm ?? Effect.die("none"), atOnce(sales)], {
            concurrency: "unbounded"
          })
          const number = sold.filter(({ _tag }) => _tag === "Success").length
          // The correction leaves 300 centavos. Without it, all eight sales are made.
          const isConfirmed = confirmed._tag === "Recorded"
          assert.deepStrictEqual([confirmed._tag, number], isConfirmed ? ["Recorded", 3] : ["Insufficient", 8])
          const entries = isConfirmed ? [-500] : []
          assert.deepStrictEqual(yield* booksOf(company), { available: 0, held: number * 100, entries })
        })
      )
      assert.deepStrictEqual(yield* violatedInvariants, [])
    }).pipe(Effect.scoped)
  )

  it.effect("who propose one reference in eight spellings store one proposal", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const all = yield* racing(proposals)
      const spellings = ["a-1", "A-1", "\u00ada-1", "a\u20101", "a\u20131", "a\u22121", "a-1\u2800", "a\u200b-1"]
      yield* inRounds({ count: rounds, first: 5_001 }, (company) =>
        Effect.gen(function* () {
          const proposing = all.map(({ propose }, racer) =>
            Effect.flatMap(DateTime.now, (at) => {
              const wanted = request(company, "deposit", 500, `${company} ${spellings[racer]}`, at)
              return propose({ ...wanted, isRepeated: true })
            })
          )
          const made = yield* Effect.all(proposing, { concurrency: "unbounded" })
          assert.deepStrictEqual(made.map(({ _tag }) => _tag).sort(), [...others("AlreadyProposed"), "Proposed"])
          assert.lengthOf(new Set(made.map((each) => ("number" in each ? each.number : 0))), 1)
          const rows = yield* sql`select number from cell.funding_proposal where company_id = ${company}`
          assert.lengthOf(rows, 1)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.effect("of whom four confirm a deposit and four record a deposit with the same reference add the money once", () =>
    Effect.gen(function* () {
      const all = yield* racing(proposals)
      const ledgers = yield* racing(replica)
      yield* inRounds({ count: rounds, first: 6_001 }, (company) =>
        Effect.gen(function* () {
          const proposal = yield* proposed(all[0], company, "deposit", 500)
          const deposit = { companyId: proposal.companyId, amount: Amount.make(500), reference: `R-${company}` }
          const adding = confirming(all, proposal).map((confirm, racer) =>
            racer % 2 === 0
              ? Effect.map(confirm, ({ _tag }) => _tag)
              : Effect.flatMap(DateTime.now, (at) =>
                  Effect.map((ledgers[racer] ?? ledgers[0]).deposit({ ...deposit, at }), ({ _tag }) => _tag)
                )
          )
          const tags = yield* Effect.all(adding, { concurrency: "unbounded" })
          assert.lengthOf(
            tags.filter((tag) => tag === "Recorded"),
            1
          )
          assert.deepStrictEqual(yield* booksOf(company), { available: 500, held: 0, entries: [500] })
        })
      )
      assert.deepStrictEqual(yield* violatedInvariants, [])
    }).pipe(Effect.scoped)
  )
})
