import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Array as Arr, Effect, Layer, Redacted } from "effect"
import { DataKey } from "../../adapters/crypto/DataKey.ts"
import * as Database from "../../adapters/postgres/Database.ts"
import * as DataKeyPostgres from "../../adapters/postgres/DataKeyPostgres.ts"
import { freshDatabaseUrl } from "../support/Database.ts"

const [first, other] = [1, 2].map((byte) => Redacted.make(new Uint8Array(32).fill(byte))) as [
  NonNullable<DataKeyPostgres.OperatorKey>,
  NonNullable<DataKeyPostgres.OperatorKey>
]

/** What a process that starts finds, or why it does not start. */
const started = (operatorKey: DataKeyPostgres.OperatorKey) =>
  DataKey.pipe(
    Effect.provide(Layer.fresh(DataKeyPostgres.layer(operatorKey)).pipe(Layer.provide(NodeCrypto.layer))),
    Effect.map((key) => ({ bytes: Buffer.from(Redacted.value(key.bytes)).toString("hex"), protected: key.protected })),
    Effect.catchTag("DataKeyUnavailable", ({ message }) => Effect.succeed(message))
  )

const inspected = (operatorKey: DataKeyPostgres.OperatorKey) =>
  DataKeyPostgres.inspect(operatorKey).pipe(
    Effect.provide(NodeCrypto.layer),
    Effect.catchTag("DataKeyUnavailable", ({ message }) => Effect.succeed(message))
  )

const rows = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return yield* sql<{ wrapped: string; protected: boolean }>`
    select encode(wrapped, 'hex') as wrapped, protected from directory.data_key`
})

const onFreshDatabase = <A, E>(test: Effect.Effect<A, E, PgClient.PgClient>) =>
  Effect.gen(function* () {
    const url = yield* freshDatabaseUrl
    return yield* Effect.provide(test, Database.layer({ url: Redacted.make(url), connections_max: 4 }))
  })

const absent =
  "DATA_KEY is absent, and the personal data in this database is encrypted by it: set it as it was set before"
const wrong =
  "DATA_KEY is not the key by which the personal data in this database is encrypted: set it as it was set before"

describe("the data key", () => {
  it.live("is made once, and stands as it is while the operator has no key", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        assert.strictEqual(yield* inspected(null), "plain")
        assert.isEmpty(yield* rows)
        const made = yield* started(null)
        assert(typeof made === "object")
        assert.isFalse(made.protected)
        assert.deepStrictEqual(yield* started(null), made)
        assert.deepStrictEqual(yield* rows, [{ wrapped: made.bytes, protected: false }])
        assert.strictEqual(yield* inspected(null), "plain")
      })
    )
  )

  it.live("is another one in another database", () =>
    Effect.gen(function* () {
      const [one, another] = [yield* onFreshDatabase(started(null)), yield* onFreshDatabase(started(null))]
      assert.notDeepEqual(one, another)
    })
  )

  it.live("never stands as it is when the operator's key is there from the beginning", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        assert.strictEqual(yield* inspected(first), "protected")
        const made = yield* started(first)
        assert(typeof made === "object" && made.protected)
        const [row] = yield* rows
        assert.isTrue(row?.protected)
        assert.notInclude(row?.wrapped, made.bytes)
        assert.deepStrictEqual(yield* started(first), made)
      })
    )
  )

  it.live("stays the same when the operator's key is given later, and is then needed", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const before = yield* started(null)
        assert.strictEqual(yield* inspected(first), "protected")
        const after = yield* started(first)
        assert(typeof before === "object" && typeof after === "object")
        assert.deepStrictEqual(after, { bytes: before.bytes, protected: true })
        const [row] = yield* rows
        assert.notInclude(row?.wrapped, before.bytes)
        for (const start of [started, inspected]) {
          assert.strictEqual(yield* start(null), absent)
          assert.strictEqual(yield* start(other), wrong)
        }
        assert.deepStrictEqual(yield* started(first), after)
      })
    )
  )

  const rounds = Arr.range(1, 5)
  const startedAtOnce = (keys: ReadonlyArray<DataKeyPostgres.OperatorKey>) =>
    onFreshDatabase(Effect.forEach(keys, started, { concurrency: "unbounded" }))

  it.live.each([
    ["no key of the operator's", null, false],
    ["one key of the operator's", first, true]
  ] as const)("is one for eight processes that start at once with %s", ([, key, kept]) =>
    Effect.gen(function* () {
      for (const _ of rounds) {
        const [one, ...others] = yield* startedAtOnce(Arr.makeBy(8, () => key))
        assert.deepInclude(one, { protected: kept })
        for (const another of others) assert.deepStrictEqual(another, one)
      }
    })
  )

  it.live("is kept by the operator's key when one process of two that start at once has it", () =>
    Effect.gen(function* () {
      for (const _ of rounds) {
        const [without, having] = yield* startedAtOnce([null, first])
        assert.deepInclude(having, { protected: true })
        assert(typeof having === "object")
        // The other one was first, or hears what it lacks.
        assert.include([absent, having.bytes], typeof without === "object" ? without.bytes : without)
      }
    })
  )

  it.live("is kept by one of two keys that are given at once, and the other is refused", () =>
    Effect.gen(function* () {
      for (const _ of rounds) {
        const found = yield* startedAtOnce([first, other])
        const [one, refused] = found.toSorted((left) => (typeof left === "object" ? -1 : 1))
        assert.deepInclude(one, { protected: true })
        assert.strictEqual(refused, wrong)
      }
    })
  )
})
