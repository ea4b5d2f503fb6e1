import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { type Balance, confirm, credit, isLow, owned, release, reserve } from "../../../core/domain/Account.ts"
import { InsufficientBalance } from "../../../core/domain/Errors.ts"
import { Amount, Centavos, zero } from "../../../core/domain/Money.ts"

type Step =
  | { readonly do: "deposit"; readonly amount: Amount }
  | { readonly do: "reserve"; readonly amount: Amount }
  | { readonly do: "confirm" | "release" | "reverse"; readonly which: number }
  | { readonly do: "hold" }

const amount = fc.integer({ min: 1, max: 50_000 }).map((centavos) => Amount.make(centavos))

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("deposit" as const), amount }),
  fc.record({ do: fc.constant("reserve" as const), amount }),
  fc.record({ do: fc.constantFrom("confirm" as const, "release" as const, "reverse" as const), which: fc.nat(20) }),
  fc.constant({ do: "hold" as const })
)

/** The expected state: the balance, and the held sales, delivered sales and ledger, which are tracked separately. */
interface World {
  balance: Balance
  readonly held: Array<Amount>
  readonly sold: Array<Amount>
  readonly ledger: Array<number>
}

const takeFrom = (sales: Array<Amount>, which: number): Amount | undefined =>
  sales.splice(which % Math.max(sales.length, 1), 1)[0]

const take = (world: World, next: Step): void => {
  if (next.do === "deposit") {
    world.balance = credit(world.balance, next.amount)
    world.ledger.push(next.amount)
    return
  }
  if (next.do === "reserve") {
    const reserved = reserve(world.balance, next.amount)
    expect(Result.isSuccess(reserved)).toBe(world.balance.available >= next.amount)
    if (Result.isFailure(reserved)) return
    world.balance = reserved.success
    world.held.push(next.amount)
    return
  }
  if (next.do === "hold") return
  const sale = takeFrom(next.do === "reverse" ? world.sold : world.held, next.which)
  if (sale === undefined) return
  if (next.do === "confirm") {
    world.balance = confirm(world.balance, sale)
    world.sold.push(sale)
    world.ledger.push(-sale)
  } else if (next.do === "release") world.balance = release(world.balance, sale)
  else {
    world.balance = credit(world.balance, sale)
    world.ledger.push(sale)
  }
}

const total = (numbers: ReadonlyArray<number>): number => numbers.reduce((sum, each) => sum + each, 0)

describe("a balance after any sequence of deposits, sales and reversals", () => {
  it("is never negative, holds the amounts of unresolved sales, and equals the sum of the ledger", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const world: World = { balance: { available: zero, held: zero }, held: [], sold: [], ledger: [] }
        for (const next of steps) {
          take(world, next)
          expect(world.balance.available).toBeGreaterThanOrEqual(0)
          expect(world.balance.held).toBe(total(world.held))
          expect(owned(world.balance)).toBe(total(world.ledger))
        }
      })
    )
  })

  it("is unchanged after a reservation and its release", () => {
    fc.assert(
      fc.property(amount, amount, (first, second) => {
        const before = credit({ available: zero, held: zero }, Amount.make(first + second))
        const reserved = Result.getOrThrow(reserve(before, second))
        expect(owned(reserved)).toBe(owned(before))
        expect(release(reserved, second)).toEqual(before)
      })
    )
  })
})

describe("a reservation", () => {
  const balance = credit({ available: zero, held: zero }, Amount.make(10_000))

  it("may take the last centavo", () => {
    expect(reserve(balance, Amount.make(10_000))).toEqual(Result.succeed({ available: 0, held: 10_000 }))
  })

  it("is refused for one centavo more than available, and the error states the available and the required amount", () => {
    const refused = Result.merge(reserve(balance, Amount.make(10_001)))
    expect(refused).toBeInstanceOf(InsufficientBalance)
    expect(refused).toMatchObject({ available: 10_000, required: 10_001 })
  })

  it("cannot spend money that is held", () => {
    const held = Result.getOrThrow(reserve(balance, Amount.make(6_000)))
    expect(Result.merge(reserve(held, Amount.make(4_001)))).toMatchObject({ available: 4_000, required: 4_001 })
  })

  it("cannot be confirmed or released twice: the second call is a defect, and the balance never becomes negative", () => {
    const sold = confirm(Result.getOrThrow(reserve(balance, Amount.make(6_000))), Amount.make(6_000))
    expect(() => confirm(sold, Amount.make(6_000))).toThrow()
    expect(() => release(sold, Amount.make(6_000))).toThrow()
  })
})

describe("a low balance", () => {
  it.each([
    // available, held, alert value
    [999, 0, 1_000, true],
    [1_000, 0, 1_000, false],
    [0, 0, 0, false],
    // Held money cannot be spent, so it does not count.
    [999, 5_000, 1_000, true]
  ])("is reported with %d available, %d held and an alert value of %d: %s", (available, held, alert, low) => {
    const balance = { available: Centavos.make(available), held: Centavos.make(held) }
    expect(isLow(balance, Centavos.make(alert))).toBe(low)
  })
})
