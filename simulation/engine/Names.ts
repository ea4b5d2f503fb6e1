import { Struct } from "effect"
import { invariants } from "../../core/domain/Invariants.ts"

/** Invariants that the simulation checks in addition to those of `saldo audit`. */
const watched = [
  "an xid follows from company and key",
  "a sale counts in its local day",
  "a bill is paid once",
  "a sale is settled once",
  "what operators did is booked once",
  "two operators agree",
  "no order without a reservation",
  "one order an xid",
  "a sale is sent once",
  "what is no longer fresh is not sent",
  "no sale beyond a limit",
  "no sale goes back",
  "an answer is kept",
  "an answer is to what was asked",
  "a key answers the same again",
  "a key names one sale",
  "one recovery at a time",
  "a code is tried five times",
  "one delivery a name",
  "a contradiction is an alert",
  "every doubt ends",
  "what was delivered is what was charged"
] as const

/** The name of an invariant. */
export type Law = keyof typeof invariants | (typeof watched)[number]

export const laws: ReadonlyArray<Law> = [...Struct.keys(invariants), ...watched]
