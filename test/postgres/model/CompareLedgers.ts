import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as AccountsPostgres from "../../../adapters/postgres/ledger/AccountsPostgres.ts"
import * as ClosingsPostgres from "../../../adapters/postgres/ledger/ClosingsPostgres.ts"
import * as FollowUpsPostgres from "../../../adapters/postgres/ledger/FollowUpsPostgres.ts"
import * as FundingProposalsPostgres from "../../../adapters/postgres/ledger/FundingProposalsPostgres.ts"
import * as LedgerPostgres from "../../../adapters/postgres/ledger/LedgerPostgres.ts"
import * as ReversalsPostgres from "../../../adapters/postgres/ledger/ReversalsPostgres.ts"
import * as UnresolvedPostgres from "../../../adapters/postgres/ledger/UnresolvedPostgres.ts"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import * as TransactionsPostgres from "../../../adapters/postgres/reads/TransactionsPostgres.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { ReversalVerdict } from "../../../core/domain/Reversal.ts"
import { Verdict } from "../../../core/domain/Sale.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { Reversals } from "../../../core/ports/Reversals.ts"
import { TestDatabase } from "../../support/Database.ts"
import { compareStores } from "./Comparison.ts"
import { type Command, companies } from "./LedgerCommands.ts"
import { ledgers, type Ports, type Side } from "./LedgerSide.ts"

/** The Postgres adapters that a scenario uses. */
export const Postgres = Layer.mergeAll(
  LedgerPostgres.layer,
  AccountsPostgres.accountsLayer,
  AccountsPostgres.adjustmentsLayer,
  ReversalsPostgres.layer,
  TransactionsPostgres.layer,
  UnresolvedPostgres.layer,
  FollowUpsPostgres.layer,
  ClosingsPostgres.layer,
  FundingProposalsPostgres.layer,
  AuditPostgres.layer
).pipe(Layer.provide(SecureRandom.layerWebCrypto), Layer.provideMerge(TestDatabase))

let scenarios = 0

/** The Postgres ledger and an empty in-memory ledger, for two companies that no earlier scenario used. */
const sides = Effect.gen(function* () {
  const first = ++scenarios * companies.length
  const companyId = (company: number) => CompanyId.make(first + company)
  const postgres: Side = {
    ports: yield* Effect.context<Ports>(),
    claims: [],
    orders: [],
    reversals: [],
    proposals: [],
    ids: new Map(),
    companyId
  }
  const memory: Side = {
    ports: yield* Layer.build(Layer.fresh(Memory.layer)),
    claims: [],
    orders: [],
    reversals: [],
    proposals: [],
    ids: new Map(),
    companyId
  }
  return { memory, postgres }
})

/** Settles the remaining sales and reversals, so that recovery in the next scenario does not claim them. */
const settleLeftovers = Effect.fnUntraced(function* ({ orders, reversals }: Side) {
  const at = yield* DateTime.now
  const denied = ReversalVerdict.Deny()
  yield* Effect.forEach(reversals, (unresolved) =>
    Reversals.use((ports) => ports.settle({ unresolved, verdict: denied, at, notFound: 0 }))
  )
  const verdict = Verdict.Release({ refusal: "TRANSACTION_REJECTED" })
  yield* Effect.forEach(orders, (order) => Ledger.use((ledger) => ledger.settle({ order, verdict, at, notFound: 0 })))
})

/** Hides the sales of earlier scenarios from follow-ups, which look at the sales of all companies together. */
const forgetFollowUps = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`update cell.transaction set environment = 'development' where environment = 'production'`
  yield* sql`delete from cell.follow_up`
})

/** Runs the commands on both ledgers and asserts equal results of every command. Returns the results. */
export const compareScenario = (begins: string, commands: ReadonlyArray<Command>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe(begins)))
    yield* forgetFollowUps
    const both = yield* sides
    return yield* Effect.ensuring(compareStores(ledgers, both, commands), settleLeftovers(both.postgres))
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
