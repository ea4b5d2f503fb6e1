import { Effect } from "effect"
import type { Cells } from "../../../adapters/postgres/cells/Cells.ts"
import { withoutOpenCondition } from "../../support/WithoutOpenCondition.ts"
import { simulatedCells } from "../process/CompaniesAndCatalogue.ts"
import type { DatabasePorts } from "../process/Store.ts"
import type { RoutingBug } from "../sql/ProductionAdapters.ts"
import type { Mutant } from "./Mutant.ts"

const [firstCell = "", otherCell = ""] = simulatedCells

const routingMutant = (name: string, routing: RoutingBug): Mutant => ({ name: `cells: ${name}`, on: "sql", routing })

const inFirstCell = (known: Cells["Service"]): Cells["Service"] => ({ ...known, of: () => Effect.succeed(firstCell) })

const withoutOtherCell = (known: Cells["Service"]): Cells["Service"] => ({
  ...known,
  list: Effect.map(known.list, (cells) =>
    cells.map((cell) => (cell.name === otherCell ? { ...cell, state: "closed" as const } : cell))
  )
})

const allOpen = (known: Cells["Service"]): Cells["Service"] => ({
  ...known,
  list: Effect.map(known.list, (cells) => cells.map((cell) => ({ ...cell, state: "open" as const })))
})

/**
 * A mutant of a claim that takes the work of closed companies. Its servers never learn that a cell is closed. So only the
 * condition that this mutant removes could stop the claim, as for a company that moves.
 */
const claimMutant = (name: string, ports: (ports: DatabasePorts) => Partial<DatabasePorts>): Mutant => ({
  name: `cells: ${name}`,
  on: "sql",
  ports,
  routing: { events: allOpen, ledger: allOpen }
})

/** Mutants of an installation with several cells. */
export const cellMutants: ReadonlyArray<Mutant> = [
  routingMutant("the webhooks of all companies go to the first cell", { events: inFirstCell }),
  routingMutant("insurances of all companies go to the first cell", { insurances: inFirstCell }),
  routingMutant("the money of all companies goes to the first cell", { ledger: inFirstCell }),
  routingMutant("recovery leaves out a cell", { ledger: withoutOtherCell }),
  routingMutant("later checks leave out a cell", { followUps: withoutOtherCell }),
  routingMutant("deliveries leave out a cell", { events: withoutOtherCell }),
  {
    name: "cells: a company of a closed cell sells",
    on: "sql",
    patch: { file: "reserve", from: "closed => coalesce(b.closed, false)", to: "closed => false" }
  },
  {
    name: "cells: money functions and triggers accept writes in a closed cell",
    on: "sql",
    patch: { file: "close", from: "where b.company_id = company and b.closed)", to: "where false)" }
  },
  claimMutant("recovery asks about the sales of a closed company", ({ unresolved }) => ({
    unresolved: { ...unresolved, claim: (wanted) => withoutOpenCondition(unresolved.claim(wanted)) }
  })),
  claimMutant("the events of a closed company are delivered", ({ deliveries }) => ({
    deliveries: { ...deliveries, claim: (wanted) => withoutOpenCondition(deliveries.claim(wanted)) }
  })),
  {
    name: "cells: sales are refused as if each cell were closed",
    on: "sql",
    patch: { file: "reserve", from: "closed => coalesce(b.closed, false)", to: "closed => true" }
  },
  {
    name: "cells: two cells assign the same ids to sales",
    on: "sql",
    statement: `alter sequence ${otherCell}.transaction_id restart with 512`
  }
]
