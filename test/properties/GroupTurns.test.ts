import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { groups_max, groupTurns, members_max } from "../../adapters/postgres/GroupTurns.ts"

const Kind = Schema.Literals([0, 1])
const Calls = Schema.Struct({ kind: Kind, calls: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 150 })) })
const Finished = Schema.Struct({ kind: Kind, finishes: Schema.Literal(true) })

// To pass somebody over three times takes a while.
const Steps = Schema.Array(Schema.Union([Calls, Finished])).check(Schema.isMinLength(60))

/** Groups of others that may finish while one kind waits. */
const patience = 3

describe("groups that take turns", () => {
  it.prop("are never too many or too large, and leave nobody waiting", [Steps], ([steps]) => {
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
        }
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
  })
})
