import { type Result, simulate } from "../course/Simulation.ts"
import type { Backend } from "../faults/Cell.ts"
import type { Script } from "../faults/Mishaps.ts"
import type { Mutant } from "../mutants/Mutant.ts"
import type { Op } from "../ops/Op.ts"
import { type Server, startServer } from "../store/sql/Server.ts"
import { sqlStore } from "../store/sql/SqlStore.ts"

// Each thread has one Postgres, because a start takes seconds. It is emptied before each run.
let server: Promise<Server> | null = null

/** Changes to a run: given faults instead of those of the seed, or a mutant. */
interface Differences {
  readonly script?: Script
  readonly mutant?: Mutant
}

/** Runs operations on books in memory, or on the SQL functions. */
export const runOn = async (
  backend: Backend,
  seed: number,
  ops: ReadonlyArray<Op>,
  { mutant, script }: Differences = {}
): Promise<Result> => {
  const options = {
    ...(script === undefined ? {} : { script }),
    ...(mutant?.on === "memory" ? { variant: mutant.variant } : {})
  }
  if (backend === "memory") return simulate(seed, ops, options)
  server ??= startServer()
  const running = await server
  await running.reset(mutant?.on === "sql" ? mutant.patch : null)
  return simulate(seed, ops, { ...options, store: sqlStore(running) })
}
