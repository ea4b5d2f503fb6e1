import { assert } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as AccountsPostgres from "../../../adapters/postgres/ledger/AccountsPostgres.ts"
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
import { type Command, companies } from "./LedgerCommands.ts"
import { look, type Ports, perform, type Side } from "./LedgerSide.ts"

/** The ledger in Postgres, with all that a life sees of it. */
export const Postgres = Layer.mergeAll(
  LedgerPostgres.layer,
  AccountsPostgres.accountsLayer,
  AccountsPostgres.adjustmentsLayer,
  ReversalsPostgres.layer,
  TransactionsPostgres.layer,
  UnresolvedPostgres.layer,
  AuditPostgres.layer
).pipe(Layer.provide(SecureRandom.layerWebCrypto), Layer.provide(TestDatabase))

let lives = 0

/** Two ledgers, side by side, with companies that no life before has seen. */
const sides = Effect.gen(function* () {
  const first = ++lives * companies.length
  const companyId = (company: number) => CompanyId.make(first + company)
  const postgres: Side = {
    ports: yield* Effect.context<Ports>(),
    claims: [],
    orders: [],
    reversals: [],
    ids: new Map(),
    companyId
  }
  const memory: Side = {
    ports: yield* Layer.build(Layer.fresh(Memory.layer)),
    claims: [],
    orders: [],
    reversals: [],
    ids: new Map(),
    companyId
  }
  return { memory, postgres }
})

/** Leaves nothing unresolved that the next life's recovery would find. */
const settleLeftovers = Effect.fnUntraced(function* ({ orders, reversals }: Side) {
  const at = yield* DateTime.now
  const denied = ReversalVerdict.Deny()
  yield* Effect.forEach(reversals, (under) =>
    Reversals.use((ports) => ports.settle({ under, verdict: denied, at, notFound: 0 }))
  )
  const verdict = Verdict.Release({ refusal: "TRANSACTION_REJECTED" })
  yield* Effect.forEach(orders, (order) => Ledger.use((ledger) => ledger.settle({ order, verdict, at, notFound: 0 })))
})

/** Lives on both sides at once, which must agree at every step, and tells what was answered. */
export const compareLife = (begins: string, commands: ReadonlyArray<Command>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe(begins)))
    const { memory, postgres } = yield* sides
    return yield* Effect.gen(function* () {
      const answers: Array<unknown> = []
      for (const command of commands) {
        const expected = yield* perform(memory, command)
        answers.push(expected)
        // Time passes once, for both.
        if (command.do !== "wait") assert.deepStrictEqual(yield* perform(postgres, command), expected)
      }
      assert.deepStrictEqual(yield* look(postgres), yield* look(memory))
      return answers
    }).pipe(Effect.ensuring(settleLeftovers(postgres)))
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
