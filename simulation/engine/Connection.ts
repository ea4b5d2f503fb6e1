import type { Effect, Exit } from "effect"
import { read, transact } from "./Call.ts"
import type { Incarnation } from "./Incarnation.ts"
import type { Sim } from "./Sim.ts"

/** The connection of a process to the database. Calls take time, and faults may break them. */
export interface Connection {
  readonly incarnation: Incarnation
  readonly ask: <A, E>(question: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /**
   * Runs one transaction. Afterwards the store checks the company's books.
   *
   * @param companyId null when the transaction concerns no company, or several.
   * @param heard receives the result before the check.
   */
  readonly write: <A, E>(
    method: string,
    subject: string | number,
    companyId: number | null,
    work: Effect.Effect<A, E>,
    heard?: (exit: Exit.Exit<A, E>) => void
  ) => Effect.Effect<A, E>
}

export const connectionOf = (sim: Sim, incarnation: Incarnation): Connection => ({
  incarnation,
  ask: (question) => read(sim, incarnation, question),
  write: (method, subject, companyId, work, heard) =>
    transact(sim, incarnation, method, String(subject), work, (exit) => {
      heard?.(exit)
      sim.store.wrote(companyId)
      if (companyId === null) return
      const { available, held } = sim.store.eyes.balance(companyId)
      sim.trace.sample(companyId, available, held)
    })
})
