import { DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as ClosingsOfCells from "../../../adapters/postgres/cells/ClosingsOfCells.ts"
import * as FollowUpsOfCells from "../../../adapters/postgres/cells/FollowUpsOfCells.ts"
import * as LedgerOfCells from "../../../adapters/postgres/cells/LedgerOfCells.ts"
import * as ReadsOfCells from "../../../adapters/postgres/cells/ReadsOfCells.ts"
import { everyCell } from "../../../adapters/postgres/connection/Cell.ts"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { ReversalVerdict } from "../../../core/domain/Reversal.ts"
import { Verdict } from "../../../core/domain/Sale.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { Reversals } from "../../../core/ports/Reversals.ts"
import { compareStores } from "./Comparison.ts"
import { type Command, companies } from "./LedgerCommands.ts"
import { ledgers, type Ports, type Side } from "./LedgerSide.ts"
import { firstCompany, TwoCells } from "./TwoCells.ts"

/** The Postgres adapters that a scenario uses, over two cells. */
export const Postgres = Layer.mergeAll(
  LedgerOfCells.layer,
  ReadsOfCells.companyLayer,
  FollowUpsOfCells.layer,
  ClosingsOfCells.layer,
  ClosingsOfCells.proposalsLayer,
  AuditPostgres.layer
).pipe(Layer.provide(SecureRandom.layerWebCrypto), Layer.provideMerge(TwoCells))

let scenarios = 0

/**
 * The Postgres ledger and an empty in-memory ledger, for two companies that no earlier scenario used. Each of them is in
 * its own cell.
 */
const sides = Effect.gen(function* () {
  const first = firstCompany + ++scenarios * companies.length
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

/** Hides the sales of earlier scenarios from the later checks of settled sales, which cover all companies together. */
const forgetFollowUps = Effect.gen(function* () {
  for (const { sql } of yield* yield* everyCell) {
    yield* sql`update ${sql.cell}.transaction set environment = 'development' where environment = 'production'`
    yield* sql`delete from ${sql.cell}.follow_up`
  }
})

/** Runs the commands on both ledgers and asserts equal results of every command. Returns the results. */
export const compareScenario = (begins: string, commands: ReadonlyArray<Command>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe(begins)))
    yield* forgetFollowUps
    const both = yield* sides
    return yield* Effect.ensuring(compareStores(ledgers, both, commands), settleLeftovers(both.postgres))
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
