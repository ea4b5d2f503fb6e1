import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import * as InsurancesMemory from "../../../adapters/memory/InsurancesMemory.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as InsurancesOfCells from "../../../adapters/postgres/cells/InsurancesOfCells.ts"
import * as LedgerOfCells from "../../../adapters/postgres/cells/LedgerOfCells.ts"
import * as InsurancesPostgres from "../../../adapters/postgres/insurance/InsurancesPostgres.ts"
import * as OutboxPostgres from "../../../adapters/postgres/insurance/OutboxPostgres.ts"
import * as LedgerPostgres from "../../../adapters/postgres/ledger/LedgerPostgres.ts"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { Outbox } from "../../../core/ports/Outbox.ts"
import { TestDatabase, violatedInvariants } from "../../support/Database.ts"
import { forRandomValues, randomTimeout_ms } from "../../support/RandomValues.ts"
import { compareStores } from "./Comparison.ts"
import { companies, type InsuranceCommand, scenario } from "./InsuranceCommands.ts"
import { insuranceStores, type Ports, type Side } from "./InsuranceSide.ts"
import { firstCompany, TwoCells } from "./TwoCells.ts"

const services = Layer.merge(SecureRandom.layerWebCrypto, InsurancesMemory.vaultLayer)

const OneCell = Layer.mergeAll(
  LedgerPostgres.layer,
  InsurancesPostgres.layer,
  OutboxPostgres.layer,
  AuditPostgres.layer
).pipe(Layer.provide(services), Layer.provide(TestDatabase))

const SeveralCells = Layer.mergeAll(LedgerOfCells.layer, InsurancesOfCells.layer, AuditPostgres.layer).pipe(
  Layer.provide(services),
  Layer.provide(TwoCells)
)

let scenarios = 0

/**
 * The Postgres store and an empty in-memory store, for two companies that no earlier scenario used. If there are two cells,
 * each company is in its own cell.
 */
const sides = Effect.gen(function* () {
  const company = firstCompany + ++scenarios * 10
  const side = (ports: Side["ports"]): Side => ({ company, ports, begun: [], messages: [], orders: [] })
  const postgres = side(yield* Effect.context<Ports>())
  const memory = side(yield* Layer.build(Layer.fresh(Memory.layer)))
  return { memory, postgres }
})

const fund = Effect.fnUntraced(function* ({ company, ports }: Side) {
  const at = yield* DateTime.now
  const ledger = Effect.provideContext(Ledger, ports)
  yield* Effect.forEach(companies, (each) =>
    Effect.flatMap(ledger, ({ deposit }) =>
      deposit({ companyId: CompanyId.make(company + each), amount: Amount.make(55_000), reference: "opening", at })
    )
  )
})

/** Records the result and delivery of the remaining SMS, so that the next scenario does not claim them. */
const deliverLeftovers = Effect.fnUntraced(function* ({ messages }: Side) {
  const outbox = yield* Outbox
  const at = yield* DateTime.now
  yield* Effect.forEach(messages, (message) => outbox.record(message, { _tag: "Failed", reason: "the end" }, at))
  // One day is longer than every lease.
  const claim = { now: DateTime.add(at, { days: 1 }), lease: Duration.minutes(1), limit: 10_000 }
  yield* Effect.forEach(yield* outbox.claimTraced(claim), (sms) => outbox.recordDelivery(sms, { _tag: "Delivered" }))
})

const runScenario = (commands: ReadonlyArray<InsuranceCommand>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe("2026-03-04T15:00:00.000Z")))
    const both = yield* sides
    yield* Effect.forEach([both.memory, both.postgres], fund)
    yield* Effect.ensuring(compareStores(insuranceStores, both, commands), deliverLeftovers(both.postgres))
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))

/** The command without a limit. If two cells have work, it is not defined which of them uses up a limit. */
const withoutLimit = (command: InsuranceCommand): InsuranceCommand =>
  command.do === "send" || command.do === "trace" ? { ...command, limit: 100 } : command

const title = "gives the same results as the store in memory in random scenarios of two companies"

layer(OneCell, { excludeTestServices: true })("the insurance store in Postgres", (it) => {
  it.effect(
    title,
    () =>
      Effect.gen(function* () {
        yield* forRandomValues(scenario, 40, runScenario)
        assert.deepStrictEqual(yield* violatedInvariants, [])
      }),
    randomTimeout_ms
  )
})

layer(SeveralCells, { excludeTestServices: true })("the insurance store over two cells", (it) => {
  it.effect(
    title,
    () =>
      Effect.gen(function* () {
        yield* forRandomValues(scenario, 40, (commands) => runScenario(commands.map(withoutLimit)))
        assert.deepStrictEqual(yield* violatedInvariants, [])
      }),
    randomTimeout_ms
  )
})
