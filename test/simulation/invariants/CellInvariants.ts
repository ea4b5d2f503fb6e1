import { Exit, Option } from "effect"
import { failureOf } from "../../../core/domain/ErrorCatalogue.ts"
import { reportViolation, type Simulation } from "../engine/Simulation.ts"
import { cellOf } from "../process/CompaniesAndCatalogue.ts"

/** Checks that no company is refused as closed in a cell that no operator has closed. */
export const checkRefusals = (sim: Simulation) => {
  const closedBefore = new Set<string>()
  return {
    closing: (cell: string): void => void closedBefore.add(cell),
    answered: (companyId: number, exit: Exit.Exit<unknown, unknown>): void => {
      if (Exit.isSuccess(exit) || closedBefore.has(cellOf(companyId))) return
      const failure = Option.getOrNull(failureOf(exit.cause)) as { readonly _tag?: string } | null
      if (failure?._tag === "CompanyClosed")
        reportViolation(sim, "only companies of closed cells are refused as closed", `company ${companyId} is refused`)
    }
  }
}
