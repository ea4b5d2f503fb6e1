import { Effect } from "effect"
import type { Books, CompanyBooks } from "../../adapters/memory/Books.ts"
import type { CompanyId } from "../../core/domain/Ids.ts"
import type { Ledger } from "../../core/ports/Ledger.ts"
import type { Reversals } from "../../core/ports/Reversals.ts"
import type { Bench, Variant } from "../course/Simulation.ts"
import { Activity } from "../faults/Step.ts"
import type { Ports } from "../process/Ports.ts"
import type { Patch } from "../store/sql/Patch.ts"

/**
 * A bug that somebody might make, planted to see that the simulation finds it: in what a process does to books in
 * memory and to whom it meets, or in the SQL.
 */
export type Mutant = { readonly name: string } & (
  | { readonly on: "memory"; readonly variant: Variant }
  | { readonly on: "sql"; readonly patch: Patch }
)

export const booksOf = ({ books }: Bench): Books["Service"] => {
  if (books === null) throw new Error("this bug is planted into books in memory")
  return books
}

/** The books of a company may be written to here, past all that guards them. */
export const companyIn = (bench: Bench, companyId: CompanyId): CompanyBooks => booksOf(bench).of(companyId)

/** Any of the ports of the database, changed. */
export const portsMutant = (name: string, change: (ports: Ports, bench: Bench) => Partial<Ports>): Mutant => ({
  name,
  on: "memory",
  variant: { ports: (ports, bench) => ({ ...ports, ...change(ports, bench) }) }
})

/** The ledger, changed. */
export const ledgerMutant = (
  name: string,
  change: (ledger: Ledger["Service"], bench: Bench) => Partial<Ledger["Service"]>
): Mutant => portsMutant(name, ({ ledger }, bench) => ({ ledger: { ...ledger, ...change(ledger, bench) } }))

/** The reversals, changed. */
export const reversalsMutant = (
  name: string,
  change: (reversals: Reversals["Service"], bench: Bench) => Partial<Reversals["Service"]>
): Mutant => portsMutant(name, ({ reversals }, bench) => ({ reversals: { ...reversals, ...change(reversals, bench) } }))

/** The same, and then something more in the same moment. */
export const andThen = <A, E>(work: Effect.Effect<A, E>, then: (value: A) => void): Effect.Effect<A, E> =>
  Effect.tap(work, (value) => Effect.sync(() => then(value)))

/** Something in the same moment, and then the same. */
export const after = <A, E>(first: () => void, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.andThen(Effect.sync(first), work)

/** What depends on whose behalf it is done. */
export const onBehalf = <A, E>(choose: (activity: Activity) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) => choose(fiber.getRef(Activity)))
