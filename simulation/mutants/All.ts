import { keyMutants } from "./Keys.ts"
import type { Mutant } from "./Mutant.ts"
import { otherMutants } from "./Others.ts"
import { recoveryMutants } from "./Recoveries.ts"
import { reservationMutants } from "./Reservations.ts"
import { reversalMutants } from "./Reversals.ts"
import { settlementMutants } from "./Settlements.ts"
import { sqlMutants } from "./Sql.ts"

/** Every mutant. */
export const mutants: ReadonlyArray<Mutant> = [
  ...reservationMutants,
  ...keyMutants,
  ...settlementMutants,
  ...recoveryMutants,
  ...reversalMutants,
  ...otherMutants,
  ...sqlMutants
]

export const mutantOf = (name: string): Mutant => {
  const found = mutants.find((mutant) => mutant.name === name)
  if (found === undefined) throw new Error(`there is no mutant ${name}`)
  return found
}
