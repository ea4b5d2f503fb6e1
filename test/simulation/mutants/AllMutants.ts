import { cellMutants } from "./CellMutants.ts"
import { closingMutants } from "./ClosingMutants.ts"
import { eventMutants } from "./EventMutants.ts"
import { fundingMutants } from "./FundingMutants.ts"
import type { Mutant } from "./Mutant.ts"
import { otherMutants, recoveryMutants } from "./RecoveryMutants.ts"
import { keyMutants, reservationMutants } from "./ReservationMutants.ts"
import { reversalMutants, settlementMutants } from "./SettlementMutants.ts"
import { sqlMutants } from "./SqlMutants.ts"

/** Every mutant. */
export const allMutants: ReadonlyArray<Mutant> = [
  ...reservationMutants,
  ...keyMutants,
  ...settlementMutants,
  ...recoveryMutants,
  ...reversalMutants,
  ...otherMutants,
  ...fundingMutants,
  ...eventMutants,
  ...closingMutants,
  ...sqlMutants,
  ...cellMutants
]

export const mutantOf = (name: string): Mutant => {
  const found = allMutants.find((mutant) => mutant.name === name)
  if (found === undefined) throw new Error(`there is no mutant ${name}`)
  return found
}
