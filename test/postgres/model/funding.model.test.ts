import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compareScenario, Postgres } from "./CompareLedgers.ts"
import type { Command } from "./LedgerCommands.ts"

const day_ms = 24 * 60 * 60 * 1_000

type Operator = Extract<Command, { readonly do: "decide" }>["by"]

const propose = (centavos: number): Command => ({
  do: "propose",
  company: 0,
  kind: "adjustment",
  centavos,
  reference: "t",
  isRepeated: false
})
const confirm = (by: Operator): Command => ({ do: "decide", which: 0, by, confirms: true })
const reject = (by: Operator): Command => ({ do: "decide", which: 0, by, confirms: false })
const wait = (for_ms: number): Command => ({ do: "wait", for_ms })
const money: Command = { do: "deposit", company: 0, centavos: 10_000, reference: "r0" }
const reserve: Command = {
  do: "reserve",
  sale: { company: 0, key: "a", prefix: "RD", body: "aa", centavos: 1_000, bill: null }
}

// The course of a correction -> the commands, and the results of the decisions.
const cases: ReadonlyArray<readonly [string, ReadonlyArray<Command>, ReadonlyArray<unknown>]> = [
  [
    "is confirmed by another operator, once",
    [propose(-9_000), confirm("luis"), confirm("eva")],
    ["Recorded", "NotPending"]
  ],
  [
    "is not confirmed by its operator, in any spelling",
    [propose(-9_000), confirm("ana"), confirm("ANA")],
    ["NotPending", "NotPending"]
  ],
  ["is confirmed just before it expires", [propose(-9_000), wait(day_ms - 1), confirm("luis")], ["Recorded"]],
  ["expires after 24 hours", [propose(1), wait(day_ms), confirm("luis"), reject("eva")], ["NotPending", false]],
  ["is rejected, and then not confirmed", [propose(1), reject("ana"), confirm("luis")], [true, "NotPending"]],
  ["takes no held money", [propose(-10_000), reserve, confirm("luis")], ["Insufficient"]]
]

layer(Postgres, { excludeTestServices: true })("a correction in Postgres and in memory", (it) => {
  it.effect.each(cases)("%s", ([, commands, results]) =>
    Effect.gen(function* () {
      const answers = yield* compareScenario("2026-03-02T12:00:00.000Z", [money, ...commands])
      const decided = answers.flatMap((answer) =>
        Object(answer).proposal === undefined ? [] : [Object(answer).result]
      )
      assert.deepStrictEqual(
        decided.map((result) => Object(result)._tag ?? result),
        results
      )
    })
  )
})
