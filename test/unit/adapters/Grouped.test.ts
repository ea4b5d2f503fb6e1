import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Metric, Option, Schema } from "effect"
import { TransactionConnection } from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { CellLate } from "../../../adapters/postgres/connection/SqlFailure.ts"
import { grouped, watchGroupSize } from "../../../adapters/postgres/grouping/Grouped.ts"
import { type GroupTurns, groups_max, groupTurns, members_max } from "../../../adapters/postgres/grouping/GroupTurns.ts"

const Kind = Schema.Literals([0, 1])
const Calls = Schema.Struct({ kind: Kind, calls: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 150 })) })
const Finished = Schema.Struct({ kind: Kind, finishes: Schema.Literal(true) })

// Calls of one kind run the same SQL statement, for example all reservations. A short sequence would not contain three
// groups of one kind while a call of the other kind waits.
const Steps = Schema.Array(Schema.Union([Calls, Finished])).check(Schema.isMinLength(60))

/** A waiting kind starts a group at the latest when this many groups have finished. */
const patience = 3

describe("groups of several kinds", () => {
  it.prop(
    "stay within their limits, and no kind waits for more than three groups of other kinds",
    [Steps],
    ([steps]) => {
      const turns = groupTurns()
      const kinds = [0, 1].map(() => {
        const kind = { waiting: 0, underWay: [] as number[], passed: 0 }
        const turn = turns.join({
          count: () => kind.waiting,
          send: (members) => {
            assert.isAtMost(members, Math.min(members_max, kind.waiting))
            kind.waiting -= members
            kind.underWay.push(members)
            kind.passed = 0
          },
          refuse: () => undefined
        })
        return { kind, turn }
      })
      for (const step of steps) {
        const chosen = kinds[step.kind]
        if (chosen === undefined) continue
        if ("calls" in step) {
          chosen.kind.waiting += step.calls
          chosen.turn.called()
        } else {
          const members = chosen.kind.underWay.shift()
          if (members === undefined) continue
          for (const { kind } of kinds) kind.passed += kind.waiting > 0 ? 1 : 0
          chosen.turn.finished(members)
        }
        const underWay = kinds.flatMap(({ kind }) => kind.underWay)
        assert.isAtMost(underWay.length, groups_max)
        for (const { kind } of kinds) {
          assert.isTrue(kind.waiting === 0 || underWay.length > 0)
          assert.isBelow(kind.passed, patience)
        }
      }
    }
  )
})

/** Calls of one kind. The test decides when their groups finish. */
const kindOf = (turns: GroupTurns) => {
  let count = 0
  const underWay: Array<number> = []
  const turn = turns.join({
    count: () => count,
    send: (members) => {
      count -= members
      underWay.push(members)
    },
    refuse: () => undefined
  })
  return {
    underWay,
    call: (calls: number) => {
      count += calls
      turn.called()
    },
    finish: () => turn.finished(underWay.shift() ?? 0)
  }
}

describe("the scheduler of groups", () => {
  it("starts a single call immediately", () => {
    const sale = kindOf(groupTurns())
    sale.call(1)
    assert.deepStrictEqual(sale.underWay, [1])
  })

  it.each([
    { underWay: 3, enough: 3 },
    { underWay: 16, enough: 16 },
    { underWay: 60, enough: 16 }
  ])(
    "starts a second group during a running group of $underWay calls when $enough calls wait",
    ({ enough, underWay }) => {
      const sale = kindOf(groupTurns())
      sale.call(underWay)
      sale.call(enough - 1)
      assert.deepStrictEqual(sale.underWay, [underWay])
      sale.call(1)
      assert.deepStrictEqual(sale.underWay, [underWay, enough])
    }
  )

  it("does not count the calls of finished groups when it decides whether to start a second group", () => {
    const sale = kindOf(groupTurns())
    sale.call(60)
    sale.finish()
    sale.call(1)
    sale.call(1)
    assert.deepStrictEqual(sale.underWay, [1, 1])
  })

  it("waits while two groups run, then takes all calls that arrived in the meantime", () => {
    const turns = groupTurns()
    const [reservation, settlement] = [kindOf(turns), kindOf(turns)]
    reservation.call(1)
    settlement.call(1)
    reservation.call(20)
    settlement.call(30)
    assert.deepStrictEqual([reservation.underWay, settlement.underWay], [[1], [1]])
    reservation.finish()
    assert.deepStrictEqual([reservation.underWay, settlement.underWay], [[], [1, 30]])
  })

  it("takes at most 128 calls into a group", () => {
    const sale = kindOf(groupTurns())
    sale.call(300)
    assert.deepStrictEqual(sale.underWay, [128, 128])
    sale.finish()
    assert.deepStrictEqual(sale.underWay, [128, 44])
  })

  it("starts a group of a skipped kind first, even if the other kind has more waiting calls", () => {
    const turns = groupTurns()
    const [reservation, settlement] = [kindOf(turns), kindOf(turns)]
    settlement.call(40)
    settlement.call(40)
    settlement.call(40)
    reservation.call(1)
    settlement.finish()
    assert.deepStrictEqual([reservation.underWay, settlement.underWay], [[], [40, 40]])
    settlement.call(40)
    settlement.finish()
    assert.deepStrictEqual([reservation.underWay, settlement.underWay], [[1], [40]])
  })
})

const transactionService = TransactionConnection(1)
const sql = { transactionService }

const together = <A>(call: (member: number) => Effect.Effect<A>, members: ReadonlyArray<number>) =>
  Effect.forEach(members, (member) => Effect.exit(call(member)), { concurrency: "unbounded" })

const told = Exit.match({ onSuccess: String, onFailure: () => "failed" })

describe("a group", () => {
  it.effect("is sent as one call, and each call of the group receives its own result", () => {
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

  it.effect("is retried call by call when one call makes the group fail, and only that call fails", () => {
    const groups: Array<ReadonlyArray<number>> = []
    const call = grouped<number, number>(sql, "test", (members) =>
      Effect.sync(() => {
        groups.push(members)
        if (members.includes(2)) throw new Error("a row is invalid")
        return members
      })
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual((yield* together(call, [1, 2, 3])).map(told), ["1", "failed", "3"])
      assert.deepStrictEqual(groups, [[1, 2, 3], [1], [2], [3]])
    })
  })

  it.effect("fails when results are missing, and is not retried", () => {
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

  it.effect("does not run in the transaction of its first caller", () => {
    const call = grouped<number, boolean>(sql, "test", (members) =>
      Effect.map(Effect.serviceOption(transactionService), (found) => members.map(() => Option.isSome(found)))
    )
    return Effect.gen(function* () {
      const inTransaction = Effect.provideService(call(1), transactionService, [null as never, 0])
      assert.deepStrictEqual(yield* Effect.all([inTransaction, call(2)], { concurrency: "unbounded" }), [false, false])
    })
  })
})

/** Calls of two kinds in a cell with a limit of 5 seconds. Their statements run until the test calls `end`. */
const inLateCell = Effect.gen(function* () {
  const ended = yield* Deferred.make<void>()
  const turns = groupTurns({ cell: "norte", timeout: Duration.seconds(5) })
  const waiting = (members: ReadonlyArray<number>) => Effect.as(Deferred.await(ended), members)
  const kind = (name: string) => grouped<number, number>(sql, name, waiting, turns)
  return { end: Deferred.succeed(ended, undefined), reserve: kind("reserve"), settle: kind("settle") }
})

const lateness = new CellLate({ message: "the cell norte takes longer than 5s to answer" })

describe("a group that takes longer than the limit of its cell", () => {
  it.effect("fails its own calls and the waiting calls, and calls succeed again after the group has ended", () =>
    Effect.gen(function* () {
      const { end, reserve, settle } = yield* inLateCell
      const late = (call: Effect.Effect<number>) => Effect.map(Effect.exit(call), (exit) => told(exit))
      const sent = yield* Effect.forEach([1, 2], (member) => Effect.forkChild(Effect.exit(reserve(member))))
      yield* TestClock.adjust("1 second")
      const waiting = yield* Effect.forEach([reserve(3), settle(4)], (call) => Effect.forkChild(Effect.exit(call)))
      yield* TestClock.adjust("3999 millis")
      assert.isUndefined(sent[0]?.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      for (const fiber of [...sent, ...waiting]) assert.deepStrictEqual(yield* Fiber.join(fiber), Exit.die(lateness))
      assert.deepStrictEqual(yield* Effect.exit(settle(5)), Exit.die(lateness))
      yield* end
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual([yield* late(reserve(6)), yield* late(settle(7))], ["6", "7"])
    })
  )

  it.effect("is not retried call by call if it fails in the end", () =>
    Effect.gen(function* () {
      const groups: Array<ReadonlyArray<number>> = []
      const turns = groupTurns({ cell: "norte", timeout: Duration.seconds(5) })
      const statement = (members: ReadonlyArray<number>) => {
        groups.push(members)
        return Effect.delay(Effect.die(new Error("a row is invalid")), "6 seconds")
      }
      const call = grouped<number, number>(sql, "test", statement, turns)
      const sent = yield* Effect.forkChild(together(call, [1, 2]))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Fiber.join(sent), [Exit.die(lateness), Exit.die(lateness)])
      assert.deepStrictEqual(groups, [[1, 2]])
    })
  )

  it.effect("does not fail its calls if it ends in time", () =>
    Effect.gen(function* () {
      const { end, reserve } = yield* inLateCell
      const sent = yield* Effect.forkChild(reserve(1))
      yield* TestClock.adjust("4999 millis")
      yield* end
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Fiber.join(sent), 1)
      assert.strictEqual(yield* reserve(2), 2)
    })
  )
})

describe("the mean size of recent groups", () => {
  it.effect("is measured over at least half a second, and is 0 if no group ran in this time", () =>
    Effect.gen(function* () {
      const call = grouped<number, number>(sql, "watched", (members) => Effect.succeed(members))
      const calls = (count: number) => Effect.replicateEffect(call(1), count, { concurrency: "unbounded" })
      const groupSize = yield* watchGroupSize("watched")
      const readAfter = (time: "499 millis" | "1 millis" | "500 millis") =>
        Effect.andThen(TestClock.adjust(time), groupSize)
      yield* calls(30)
      yield* calls(10)
      assert.strictEqual(yield* readAfter("499 millis"), 0)
      assert.strictEqual(yield* readAfter("1 millis"), 20)
      yield* calls(3)
      assert.strictEqual(yield* groupSize, 20)
      assert.strictEqual(yield* readAfter("500 millis"), 3)
      assert.strictEqual(yield* readAfter("500 millis"), 0)
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
