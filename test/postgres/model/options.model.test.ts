import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import * as OptionsMemory from "../../../adapters/memory/OptionsMemory.ts"
import * as OptionsPostgres from "../../../adapters/postgres/ledger/OptionsPostgres.ts"
import { CompanyId, Identifier, ServiceId } from "../../../core/domain/Ids.ts"
import { type OfferedOption, optionLife } from "../../../core/domain/Lookup.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { Options } from "../../../core/ports/Options.ts"
import { TestDatabase } from "../../support/Database.ts"
import { forRandomValues, randomTimeout_ms } from "../../support/RandomValues.ts"

const Postgres = Layer.provideMerge(OptionsPostgres.layer, TestDatabase)

const optionOf = (company: number, id: string, changes: Partial<OfferedOption> = {}) =>
  Effect.map(
    DateTime.now,
    (now): OfferedOption => ({
      id,
      companyId: CompanyId.make(company),
      serviceId: ServiceId.make(3),
      identifier: Identifier.make("ñandú 🐦"),
      reference: id,
      name: "Paquete",
      price: Amount.make(9_007_199_254_740_991),
      validity: null,
      data: "3 GB",
      expiresAt: DateTime.addDuration(now, optionLife),
      ...changes
    })
  )

const store = (...options: ReadonlyArray<OfferedOption>) => Options.use((all) => all.store(options))
const find = (company: number, id: string) => Options.use((all) => all.find(CompanyId.make(company), id))

const company = fc.constantFrom(1, 2)
const id = fc.constantFrom("a", "b", "c")
const command = fc.oneof(
  fc.record({
    do: fc.constant("store" as const),
    company,
    // A lookup returns each option only once.
    ids: fc.uniqueArray(id, { maxLength: 3 }),
    centavos: fc.constantFrom(1, 5_000),
    validity: fc.constantFrom(null, "7 días")
  }),
  fc.record({ do: fc.constant("find" as const), company, id })
)

layer(Postgres, { excludeTestServices: true })("the option store in Postgres", (it) => {
  it.effect(
    "gives the same results as the store in memory in random scenarios of two companies",
    () =>
      Effect.gen(function* () {
        let scenarios = 0
        yield* forRandomValues(fc.array(command, { maxLength: 30 }), 100, (commands) =>
          Effect.gen(function* () {
            // Ten company ids for each scenario.
            const first = ++scenarios * 10
            const memory = yield* Layer.build(Layer.fresh(OptionsMemory.layer))
            const onBoth = <A>(program: Effect.Effect<A, never, Options>) =>
              Effect.all([program, Effect.provideContext(program, memory)] as const)
            for (const step of commands) {
              if (step.do === "find") {
                const [real, expected] = yield* onBoth(find(first + step.company, step.id))
                assert.deepStrictEqual(real, expected)
                continue
              }
              const changes = { price: Amount.make(step.centavos), validity: step.validity }
              const options = yield* Effect.forEach(step.ids, (id) => optionOf(first + step.company, id, changes))
              yield* onBoth(store(...options))
            }
          }).pipe(Effect.scoped)
        )
      }),
    randomTimeout_ms
  )

  it.effect("keeps an option for one day after it expires, and deletes it at the next lookup after that day", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const kept = Effect.map(
        sql<{ id: string }>`select id from cell.option where company_id in (3, 4) order by id`,
        (rows) => rows.map(({ id }) => id)
      )
      yield* store(yield* optionOf(3, "old"), yield* optionOf(3, "renewed"))
      yield* store(yield* optionOf(4, "of-another"))
      yield* TestClock.adjust(optionLife)
      yield* TestClock.adjust("1 day")
      yield* store(yield* optionOf(3, "fresh"))
      assert.deepStrictEqual(yield* kept, ["fresh", "of-another", "old", "renewed"])
      yield* TestClock.adjust("1 millis")
      yield* store(yield* optionOf(3, "renewed"))
      assert.deepStrictEqual(yield* kept, ["fresh", "of-another", "renewed"])
      assert.isTrue(Option.isNone(yield* find(3, "old")))
    }).pipe(Effect.provide(TestClock.layer()))
  )

  it.effect("stores the options of 40 concurrent lookups that return the same options", () =>
    Effect.gen(function* () {
      const options = yield* Effect.forEach(["a", "b", "c", "d"], (id) => optionOf(5, id))
      const lookups = Array.from({ length: 40 }, (_, turn) =>
        store(...(turn % 2 === 0 ? options : options.toReversed()))
      )
      yield* Effect.all(lookups, { concurrency: "unbounded" })
      for (const option of options) assert.deepStrictEqual(yield* find(5, option.id), Option.some(option))
    })
  )
})
