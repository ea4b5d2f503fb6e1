import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import { TransactionConnection } from "effect/sql/SqlClient"
import { grouped } from "../../adapters/postgres/Grouped.ts"

const transactionService = TransactionConnection(1)
const sql = { transactionService }

const together = <A>(call: (member: number) => Effect.Effect<A>, members: ReadonlyArray<number>) =>
  Effect.forEach(members, (member) => Effect.exit(call(member)), { concurrency: "unbounded" })

const told = Exit.match({ onSuccess: String, onFailure: () => "failed" })

describe("a group", () => {
  it.effect("goes as one, and each member has its own answer", () => {
    const groups: Array<ReadonlyArray<number>> = []
    const double = grouped<number, number>(sql, "test", (members) => {
      groups.push(members)
      return Effect.succeed(members.map((member) => 2 * member))
    })
    return Effect.gen(function* () {
      assert.deepStrictEqual((yield* together(double, [1, 2, 3])).map(told), ["2", "4", "6"])
      assert.deepStrictEqual(groups, [[1, 2, 3]])
    })
  })

  it.effect("with a member that breaks it is sent again one by one, and fails that member alone", () => {
    const groups: Array<ReadonlyArray<number>> = []
    const call = grouped<number, number>(sql, "test", (members) =>
      Effect.sync(() => {
        groups.push(members)
        if (members.includes(2)) throw new Error("what was read is wrong")
        return members
      })
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual((yield* together(call, [1, 2, 3])).map(told), ["1", "failed", "3"])
      assert.deepStrictEqual(groups, [[1, 2, 3], [1], [2], [3]])
    })
  })

  it.effect("that is answered too little fails, and is not sent again", () => {
    let groups = 0
    const call = grouped<number, number>(sql, "test", (members) =>
      Effect.sync(() => {
        groups++
        return members.slice(1)
      })
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual((yield* together(call, [1, 2])).map(told), ["failed", "failed"])
      assert.strictEqual(groups, 1)
    })
  })

  it.effect("is in no transaction of its first caller, whose neighbours are strangers there", () => {
    const call = grouped<number, boolean>(sql, "test", (members) =>
      Effect.map(Effect.serviceOption(transactionService), (found) => members.map(() => Option.isSome(found)))
    )
    return Effect.gen(function* () {
      const inTransaction = Effect.provideService(call(1), transactionService, [null as never, 0])
      assert.deepStrictEqual(yield* Effect.all([inTransaction, call(2)], { concurrency: "unbounded" }), [false, false])
    })
  })
})
