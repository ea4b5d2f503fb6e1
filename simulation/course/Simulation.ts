import type { Reversal } from "../../core/domain/Reversal.ts"
import { Chance } from "../../tools/Chance.ts"
import { GroundTruth } from "../engine/GroundTruth.ts"
import type { Incarnation } from "../engine/Incarnation.ts"
import type { Watch } from "../engine/Observed.ts"
import { OperatorErrors } from "../engine/OperatorErrors.ts"
import { clockOf } from "../engine/Pace.ts"
import { broken, type Sim, type Violation } from "../engine/Sim.ts"
import { Trace } from "../engine/Trace.ts"
import { World } from "../engine/World.ts"
import { Mishaps, type Script } from "../faults/Mishaps.ts"
import { type Laws, lawsOf } from "../laws/Laws.ts"
import { beginningOf } from "../ops/Generate.ts"
import type { Op } from "../ops/Op.ts"
import { gatewayFor, type Inbox } from "../parties/Gateway.ts"
import { insurerFor, providerFor } from "../parties/Suppliers.ts"
import type { Ports } from "../process/Ports.ts"
import { machineOf, type Surroundings, startProcess } from "../process/Process.ts"
import { memoryStore } from "../store/MemoryStore.ts"
import type { Store } from "../store/Store.ts"
import { type Cluster, clusterOf } from "./Cluster.ts"
import { backOfficeOf, comeToRest, judge, open, perform } from "./Course.ts"
import { watchedPorts } from "./WatchedPorts.ts"

/** The result of a run. */
export interface Result {
  readonly seed: number
  readonly violation: Violation | null
  readonly trace: Trace
  /** The faults that happened. Another run can repeat exactly these. */
  readonly mishaps: Mishaps
  readonly steps: number
}

/** Options of a run. */
export interface Options {
  /** The faults to inject, and where. When absent, the seed decides. */
  readonly script?: Script
  readonly store?: (watch: Watch) => Store
  readonly variant?: Variant
}

/** What a mutant can use when it changes a process: the run, the process and the books in memory. */
export interface Bench {
  readonly sim: Sim
  readonly incarnation: Incarnation
  readonly books: Store["books"]
}

/** Changes that plant a bug into every process of a run. */
export interface Variant {
  readonly ports?: (ports: Ports, bench: Bench) => Ports
  readonly around?: (around: Surroundings, bench: Bench) => Surroundings
}

/**
 * Empty records of everything outside the server: what suppliers and the gateway did, and what operators and callers
 * know.
 */
const outsideOf = () => ({
  sales: new GroundTruth(),
  reversals: new GroundTruth(),
  messages: new GroundTruth(),
  reversalsOf: new Map<string, Set<string>>(),
  byHand: new Map<string, number>(),
  operatorErrors: new OperatorErrors(),
  inbox: new Map() as Inbox
})

/**
 * Runs operations under the clock, the event order and the faults of a seed. The same seed and operations give an
 * identical trace.
 */
export const simulate = async (seed: number, ops: ReadonlyArray<Op>, options: Options = {}): Promise<Result> => {
  const epoch_ms = beginningOf(seed)
  const world = new World(new Chance(seed, "schedule"))
  const outside = outsideOf()
  const { variant } = options
  const store = (options.store ?? memoryStore)({
    seen: (sales) => laws.statuses.seen(sales),
    unsound: (invariant, what) => broken(sim, invariant, what)
  })

  const around = (incarnation: Incarnation): Surroundings => ({
    clock: clockOf(world, epoch_ms, incarnation),
    provider: providerFor(sim, incarnation, {
      ...outside,
      orders: laws.orders,
      reversing: ({ order, xid }: Reversal) => {
        const known = outside.reversalsOf.get(order.xid) ?? new Set()
        outside.reversalsOf.set(order.xid, known.add(xid))
      }
    }),
    insurer: insurerFor(sim, incarnation, { ...outside, orders: laws.orders }),
    gateway: gatewayFor(sim, incarnation, outside.messages, outside.inbox)
  })
  const start = (incarnation: Incarnation) => {
    const bench = { sim, incarnation, books: store.books }
    const met = around(incarnation)
    const surroundings = variant?.around?.(met, bench) ?? met
    const machine = machineOf(sim, incarnation, surroundings)
    const opened = store.open(sim, incarnation, machine)
    const ports = variant?.ports?.(opened, bench) ?? opened
    return startProcess(sim, incarnation, machine, watchedPorts(sim, incarnation, ports, laws), surroundings)
  }
  const cluster: Cluster = clusterOf(() => sim, start, store.due)
  const sim: Sim = {
    seed,
    epoch_ms,
    world,
    store,
    trace: new Trace(),
    mishaps: new Mishaps(seed, options.script ?? null),
    outageUntil_ms: 0,
    violation: null,
    kill: (incarnation) => cluster.kill(incarnation, null),
    rival: cluster.rival
  }
  const laws: Laws = lawsOf(sim)

  let steps = 0
  const advance = async (until_ms: number) => {
    while (sim.violation === null && world.advance(until_ms)) {
      steps++
      if (store.settle !== null) await store.settle(sim)
    }
  }

  cluster.heal()
  const office = backOfficeOf(sim, outside)
  await open(sim, cluster, office, advance)
  await perform(sim, cluster, ops, { laws, inbox: outside.inbox }, office, advance)
  await comeToRest(sim, cluster, advance)
  await store.close()
  if (sim.violation === null) judge(sim, laws, outside)
  return { seed, violation: sim.violation, trace: sim.trace, mishaps: sim.mishaps, steps }
}
