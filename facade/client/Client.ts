import { callsTo } from "./Calls.ts"
import type { ClientOptions } from "./Connection.ts"
import { type Files, filesOver } from "./Files.ts"
import { type Lists, listsOver } from "./Lists.ts"
import { type Procedures, proceduresOver } from "./Procedures.ts"
import { realSurroundings, type Surroundings } from "./Repeat.ts"
import { type Vender, venderOver } from "./Vender.ts"

export interface SaldoClient extends Procedures, Lists, Files {
  readonly vender: Vender
}

/** Makes a client that uses the clock and the pauses in `surroundings`, which a test can replace. */
export const clientIn = (surroundings: Surroundings, options: ClientOptions): SaldoClient => {
  const calls = callsTo(options, surroundings)
  const procedures = proceduresOver(calls)
  return {
    ...procedures,
    ...listsOver(calls, procedures),
    ...filesOver(calls),
    vender: venderOver(calls, surroundings)
  }
}

/**
 * Makes a client of a service. The client retries calls that are safe to retry. A failed call rejects with SaldoError
 * or SaldoNetworkError.
 */
export const createClient = (options: ClientOptions): SaldoClient => clientIn(realSurroundings, options)
