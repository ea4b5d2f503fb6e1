import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import * as fc from "fast-check"
import { conclude } from "../../core/domain/Recovery.ts"
import { type Answer, denialOf, type Order } from "../../core/domain/Sale.ts"
import type { Misbehaviour } from "../fakes/FakeServer.ts"
import { type DtOneWorld, ordered, withDtOne, xid } from "./support/DtOneWorld.ts"

const misbehaviour = fc.constantFrom<Misbehaviour | null>(
  null,
  "cut before",
  "cut after",
  "cut midway",
  "broken before",
  "broken after",
  "garbage",
  "contradiction",
  "duplicate",
  "late",
  "not found"
)

const number = fc
  .tuple(fc.constantFrom("1", "2", "3"), fc.constantFrom("0", "1", "2", "5", "7"))
  .map(([delay, end]) => `8095551${delay}0${end}`)

const sending = fc.array(misbehaviour, { maxLength: 8 })

// While a sale is younger than a quarter of an hour, what DT One does not know is not firm.
const asking = fc.array(misbehaviour, { maxLength: 2 })

/** What the ledger would have made of the sale, asked for every five minutes until it is settled. */
const settled = Effect.fnUntraced(function* ({ pass, provider }: DtOneWorld, order: Order, answer: Answer) {
  if (answer._tag !== "Unknown") return answer._tag === "Delivered" ? "charged" : "returned"
  let notFound = 0
  for (let cycle = 0; cycle < 20; cycle++) {
    yield* pass("5 minutes")
    const said = yield* provider.status(order)
    const { createdAt } = order
    const conclusion = conclude({ createdAt, notFound, askAt: null }, said, yield* DateTime.now, denialOf(order))
    if (conclusion === null) continue
    if (conclusion.verdict._tag !== "Hold") return conclusion.verdict._tag === "Confirm" ? "charged" : "returned"
    notFound = conclusion.notFound
  }
  return "held"
})

describe("whatever DT One does", () => {
  it.effect("a sale is sent once, and what is charged in the end is what was delivered", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(number, sending, asking, (identifier, atFirst, later) =>
          Effect.runPromise(
            withDtOne((world) =>
              Effect.gen(function* () {
                const { fake, provider } = world
                fake.misbehaviours.plan(xid, ...atFirst)
                const order = yield* ordered({ identifier })
                const answer = yield* provider.dispatch(order)
                fake.misbehaviours.forget(xid)
                fake.misbehaviours.plan(xid, ...later)
                const end = yield* settled(world, order, answer)
                assert.deepStrictEqual(fake.sent, [xid])
                assert.deepStrictEqual(fake.truth.doubled, [])
                assert.strictEqual(end, fake.truth.isDelivered(xid) ? "charged" : "returned")
              })
            )
          )
        ),
        { numRuns: 60 }
      )
    )
  )
})
