import { availableParallelism } from "node:os"
import { integer, type Parser } from "./Variable.ts"

/** Settings for several processes of one server. */

const processes_max = 64

export const expectedProcesses = `a whole number from 1 to ${processes_max}, or auto`

/** Parses a number of processes. `auto` is one for each core that this process may use, except one for Postgres. */
export const processCount: Parser<number> = (text) =>
  text.toLowerCase() === "auto"
    ? Math.min(processes_max, Math.max(1, availableParallelism() - 1))
    : integer(1, processes_max)(text)

/** Default of PG_POOL_MAX for a single process. */
const connections_default = 16

/**
 * Number of connections that the processes share if PG_POOL_MAX is not set. Each process gets at least
 * `connections_min`. Postgres accepts a hundred by default.
 */
const shared_max = 64

/**
 * Minimum default of PG_POOL_MAX. With fewer connections, a process has no connection that listens for new deliveries.
 */
const connections_min = 7

/** Default of PG_POOL_MAX. */
export const defaultConnections = (processes: number): number =>
  Math.max(connections_min, Math.min(connections_default, Math.floor(shared_max / processes)))
