import { Effect } from "effect"
import type { Books, CompanyBooks } from "../../../adapters/memory/Books.ts"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import type { Ledger } from "../../../core/ports/Ledger.ts"
import type { Reversals } from "../../../core/ports/Reversals.ts"
import { Activity } from "../engine/Faults.ts"
import type { DatabasePorts } from "../process/Store.ts"
import type { Variant, VariantContext } from "../run/Simulate.ts"
import type { DatabaseBug } from "../sql/InProcessPostgres.ts"
import type { AdapterBug } from "../sql/ProductionAdapters.ts"

/**
 * A plausible bug, planted to test that the simulation catches it. In memory, it changes the ports of processes or the
 * services around them. On SQL, it changes the text of an SQL function, the cells that adapters see, or the statements of
 * adapters. It may also run one statement before the run.
 */
export type Mutant = { readonly name: string } & (
  | { readonly on: "memory"; readonly variant: Variant }
  | ({ readonly on: "sql" } & DatabaseBug & AdapterBug)
)

export const booksOf = ({ books }: VariantContext): Books["Service"] => {
  if (books === null) throw new Error("this mutant needs books in memory")
  return books
}

/** The books of a company, for direct changes that bypass all checks. */
export const companyIn = (bench: VariantContext, companyId: CompanyId): CompanyBooks => booksOf(bench).of(companyId)

/** A mutant that changes database ports. */
export const portsMutant = (
  name: string,
  change: (ports: DatabasePorts, bench: VariantContext) => Partial<DatabasePorts>
): Mutant => ({
  name,
  on: "memory",
  variant: { ports: (ports, bench) => ({ ...ports, ...change(ports, bench) }) }
})

/** A mutant that changes the ledger. */
export const ledgerMutant = (
  name: string,
  change: (ledger: Ledger["Service"], bench: VariantContext) => Partial<Ledger["Service"]>
): Mutant => portsMutant(name, ({ ledger }, bench) => ({ ledger: { ...ledger, ...change(ledger, bench) } }))

/** A mutant that changes the reversals. */
export const reversalsMutant = (
  name: string,
  change: (reversals: Reversals["Service"], bench: VariantContext) => Partial<Reversals["Service"]>
): Mutant => portsMutant(name, ({ reversals }, bench) => ({ reversals: { ...reversals, ...change(reversals, bench) } }))

/** Runs the work and then passes its result to `then`. No event runs in between. */
export const runAfter = <A, E>(work: Effect.Effect<A, E>, then: (value: A) => void): Effect.Effect<A, E> =>
  Effect.tap(work, (value) => Effect.sync(() => then(value)))

/** Runs `first` and then the work. No event runs in between. */
export const runBefore = <A, E>(first: () => void, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.andThen(Effect.sync(first), work)

/** Chooses the work to run by the activity of the running fiber. */
export const byActivity = <A, E>(choose: (activity: Activity) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) => choose(fiber.getRef(Activity)))
