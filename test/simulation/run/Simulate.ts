import type { Reversal } from "../../../core/domain/Reversal.ts"
import { SeededRandom } from "../../support/SeededRandom.ts"
import { EndpointRecords } from "../engine/EndpointRecords.ts"
import { clockOf, EventLoop, type Incarnation } from "../engine/EventLoop.ts"
import { FaultInjector, type FaultScript } from "../engine/FaultInjector.ts"
import { GroundTruth, OperatorMistakes } from "../engine/GroundTruth.ts"
import { type DatabaseObserver, reportViolation, type Simulation, Trace, type Violation } from "../engine/Simulation.ts"
import { senderFor } from "../external/Endpoints.ts"
import { gatewayFor, type Inbox } from "../external/Gateway.ts"
import { insurerFor, providerFor } from "../external/Suppliers.ts"
import { type Invariants, makeInvariants } from "../invariants/Invariants.ts"
import { startInstantOf } from "../operations/GenerateOperations.ts"
import type { Operation } from "../operations/Operation.ts"
import { machineOf, type ProcessEnvironment, startProcess } from "../process/Process.ts"
import type { DatabasePorts, Store } from "../process/Store.ts"
import { memoryStore } from "../store/MemoryStore.ts"
import { changeAnswers } from "./ChangedAnswers.ts"
import { checkedPorts } from "./CheckedPorts.ts"
import { type Cluster, clusterOf } from "./Cluster.ts"
import {
  backOfficeOf,
  checkFinalEvents,
  checkFinalState,
  closeAllDays,
  endDeliveries,
  letEverythingSettle,
  openCompanies,
  performOperations
} from "./RunPhases.ts"

/** The result of a run. */
export interface RunResult {
  readonly seed: number
  readonly violation: Violation | null
  readonly trace: Trace
  /** The faults that happened. Another run can repeat exactly these faults. */
  readonly faults: FaultInjector
  readonly steps: number
}

/** Options of a run. */
export interface RunOptions {
  /** The faults to inject, and where. If it is absent, the seed decides. */
  readonly script?: FaultScript
  readonly store?: (watch: DatabaseObserver) => Store
  readonly variant?: Variant
}

/** The run, the process and the books in memory, for a mutant that changes this process. */
export interface VariantContext {
  readonly sim: Simulation
  readonly incarnation: Incarnation
  readonly books: Store["books"]
}

/** Changes that plant a bug into every process of a run. */
export interface Variant {
  readonly ports?: (ports: DatabasePorts, bench: VariantContext) => DatabasePorts
  readonly environment?: (environment: ProcessEnvironment, bench: VariantContext) => ProcessEnvironment
}

/** Empty records of a new run: the operations of external services, and the data of operators and callers. */
const newExternalRecords = () => ({
  sales: new GroundTruth(),
  reversals: new GroundTruth(),
  messages: new GroundTruth(),
  reversalsOf: new Map<string, Set<string>>(),
  byHand: new Map<string, number>(),
  operatorErrors: new OperatorMistakes(),
  inbox: new Map() as Inbox,
  endpoints: new EndpointRecords()
})

/**
 * Runs operations. The seed determines the clock, the order of events and the faults. The same seed and operations give
 * an identical trace.
 */
export const simulate = async (
  seed: number,
  ops: ReadonlyArray<Operation>,
  options: RunOptions = {}
): Promise<RunResult> => {
  const epoch_ms = startInstantOf(seed)
  const eventLoop = new EventLoop(new SeededRandom(seed, "schedule"))
  const outside = newExternalRecords()
  const { variant } = options
  const store = (options.store ?? memoryStore)({
    seen: (sales) => invariants.statuses.seen(sales),
    committed: (commit) => invariants.events.committed(commit),
    unsound: (invariant, what) => reportViolation(sim, invariant, what)
  })

  const environment = (incarnation: Incarnation): ProcessEnvironment => ({
    clock: clockOf(eventLoop, epoch_ms, incarnation),
    provider: providerFor(sim, incarnation, {
      ...outside,
      orders: invariants.orders,
      reversing: ({ order, xid }: Reversal) => {
        const known = outside.reversalsOf.get(order.xid) ?? new Set()
        outside.reversalsOf.set(order.xid, known.add(xid))
      }
    }),
    insurer: insurerFor(sim, incarnation, { ...outside, orders: invariants.orders }),
    gateway: gatewayFor(sim, incarnation, outside.messages, outside.inbox),
    sender: senderFor(sim, incarnation, outside.endpoints, (request) => invariants.deliveries.sending(request))
  })
  const start = (incarnation: Incarnation) => {
    const bench = { sim, incarnation, books: store.books }
    const original = environment(incarnation)
    const surroundings = variant?.environment?.(original, bench) ?? original
    const machine = machineOf(sim, incarnation, surroundings)
    const opened = store.open(sim, incarnation, machine)
    const ports = variant?.ports?.(opened, bench) ?? opened
    return startProcess(sim, incarnation, machine, checkedPorts(sim, incarnation, ports, invariants), surroundings)
  }
  const cluster: Cluster = clusterOf(() => sim, start, store.due)
  const sim: Simulation = {
    seed,
    epoch_ms,
    eventLoop,
    store,
    trace: new Trace(),
    faults: new FaultInjector(seed, options.script ?? null),
    outageUntil_ms: 0,
    violation: null,
    kill: (incarnation) => cluster.kill(incarnation, null),
    startConcurrentRecovery: cluster.startConcurrentRecovery
  }
  const invariants: Invariants = makeInvariants(sim, outside.endpoints)

  let steps = 0
  const advance = async (until_ms: number) => {
    while (sim.violation === null && eventLoop.advance(until_ms)) {
      steps++
      if (store.settle !== null) await store.settle(sim)
    }
  }

  cluster.heal()
  const office = backOfficeOf(sim, outside)
  await openCompanies(sim, cluster, office, advance)
  await performOperations(sim, cluster, ops, { invariants, inbox: outside.inbox }, office, advance)
  await letEverythingSettle(sim, cluster, ops, advance)
  await store.audit()
  if (sim.violation === null) checkFinalState(sim, invariants, outside)
  if (sim.violation === null) {
    const records = { ...outside, raised: invariants.alerts.raised }
    await changeAnswers(sim, store, cluster, records, advance)
  }
  if (sim.violation === null) await endDeliveries(sim, store, advance)
  if (sim.violation === null) await closeAllDays(sim, cluster, store, advance)
  if (sim.violation === null) checkFinalEvents(invariants, await store.finalEvents())
  return { seed, violation: sim.violation, trace: sim.trace, faults: sim.faults, steps }
}
