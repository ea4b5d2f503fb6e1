import { Effect } from "effect"
import { SeededRandom } from "../support/SeededRandom.ts"
import { type ClientOperation, hasFinalResponse, isFinal, makeClientLoad, retryUntilAnswered } from "./Clients.ts"
import type { CellClosing } from "./CloseCell.ts"
import { readBooks } from "./Evidence.ts"
import { type CrashEnvironment, openingDeposit, type RoundLog } from "./environment/Environment.ts"
import { untilPostgresAnswers } from "./environment/Postgres.ts"
import { closeEverything, deliverEverything, settleByRecovery, untilEve } from "./environment/RunTime.ts"
import type { Server } from "./environment/ServersAndSuppliers.ts"
import type { FaultContext } from "./FaultContext.ts"
import { crashPointOf, describeFault, type Fault, type FaultGroup, hasClosing } from "./Faults.ts"
import { injectFault } from "./InjectFault.ts"
import { type Breach, checkInvariants } from "./Invariants.ts"
import { fundDuring, type MadeEntry, setAlertValues } from "./OperatorWork.ts"
import { makeInsuranceOffers, type PurchaseKind, planPurchases } from "./PlannedPurchases.ts"
import { type CrashPoint, workflowOf } from "./processes/CrashPoints.ts"
import type { ReceivedEvent } from "./processes/WebhookEndpoints.ts"

/** Maximum number of calls that a client makes for one operation after the faults. */
const finalTries_max = 30

/**
 * Maximum repetitions of the recovery phase. One repetition may not be enough: after a suspension of the machine, calls
 * of servers that had just restarted can time out.
 */
const turns_max = 4

/** Fraction of the operations with a final response. The clients repeat the call of these operations once. */
const retryRate = 0.1

/**
 * Number of insurance quotes that clients may buy: during an ordinary group of faults, and during a group that kills
 * processes while they sell insurance.
 */
const offers_usual = 4
const offers_insuring = 30

/** State of a run that all rounds share. */
export interface CrashRun {
  readonly environment: CrashEnvironment["Service"]
  readonly seed: number
  /** Xids whose outcome the suppliers never decide. */
  readonly undecided: Set<string>
  /** Crash points at which a server was killed or stopped. */
  readonly reached: Set<CrashPoint>
  /** Faults that happened as planned. */
  readonly happened: Set<Fault>
  /** Deposits and corrections of all rounds. */
  readonly made: Array<MadeEntry>
  /** Events that the endpoints of webhooks received in all rounds. */
  readonly received: Array<ReceivedEvent>
  /** The periods during which a cell was closed, of all rounds. */
  readonly cellClosings: Array<CellClosing>
  /** Number of vehicles that have an insurance quote. */
  offered: number
}

/** The planned faults of a round. */
export interface RoundFaults {
  readonly round: number
  readonly groups: ReadonlyArray<FaultGroup>
}

/** Outcome of a round. */
interface RoundResult {
  /** Number of stored events of companies, in the whole run so far. */
  readonly storedEvents: number
  /** Number of closings, in the whole run so far. */
  readonly closings: number
  readonly operations: ReadonlyArray<ClientOperation>
  readonly breaches: ReadonlyArray<Breach>
}

const kindOfWorkflow = {
  sale: "plain",
  reversal: "reversible",
  insurance: "insurance",
  delivery: "plain",
  closing: "plain"
} as const

/** The kind of sale during which a server passes a crash point. */
const kindAt = (point: CrashPoint): PurchaseKind => {
  const way = workflowOf(point)
  if (way !== "recovery") return kindOfWorkflow[way]
  if (point.endsWith("insurer")) return "insurance"
  return point.includes("reversal") ? "reversible" : "plain"
}

const kindsAt = (group: FaultGroup): ReadonlyArray<PurchaseKind> =>
  group.flatMap((fault) => crashPointOf(fault) ?? []).map(kindAt)

/** The kind of sale whose suppliers must misbehave, so that recovery reaches the crash points of the group. */
const troubled = (group: FaultGroup): PurchaseKind | null => {
  for (const fault of group) if (fault._tag === "KillRecovery") return kindAt(fault.point)
  return null
}

/** Assigns one server to each fault that needs a single server. All remaining faults get both servers. */
const withServers = (group: FaultGroup, servers: ReadonlyArray<Server>) => {
  const free = [...servers]
  return group.map((fault) => {
    const isOfOne = fault._tag === "Kill" || fault._tag === "Pause"
    return { fault, servers: isOfOne ? free.splice(0, 1) : servers }
  })
}

const injectFaults = Effect.fnUntraced(function* (
  { cellClosings, happened, reached, environment }: CrashRun,
  group: FaultGroup,
  given: Pick<FaultContext, "chance" | "load" | "log">
) {
  const servers = given.chance.happens(0.5) ? environment.servers : environment.servers.toReversed()
  yield* Effect.forEach(
    withServers(group, servers),
    ({ fault, servers }) =>
      Effect.map(injectFault({ ...given, cellClosings, environment, servers, reached }, fault), (isAsPlanned) => {
        if (isAsPlanned) happened.add(fault)
      }),
    { concurrency: "unbounded" }
  )
  yield* revived(environment)
})

const revived = ({ servers }: CrashEnvironment["Service"]) =>
  Effect.forEach(servers, ({ revive }) => revive, { concurrency: "unbounded", discard: true })

/** Lets clients make purchases until all faults of the group have happened. */
const buyUnderFaults = Effect.fnUntraced(function* (run: CrashRun, when: string, group: FaultGroup, log: RoundLog) {
  const { seed, environment, undecided } = run
  const { customers, operator, servers, suppliers, time } = environment
  const needs = kindsAt(group)
  const vehicles = { count: needs.includes("insurance") ? offers_insuring : offers_usual, made: run.offered }
  run.offered += vehicles.count
  const offers = yield* Effect.provide(time.on(makeInsuranceOffers(customers, vehicles)), operator)
  const context = { seed, when, offers, customers, needs, troubled: troubled(group) }
  const { lists, plans } = yield* Effect.provide(planPurchases(context), operator)
  yield* suppliers.play(plans)
  for (const { decision, xid } of plans) if (decision === "pending") undecided.add(xid)

  for (const fault of group) log.add(`planned: ${describeFault(fault)}`)
  const chance = new SeededRandom(seed, when)
  const load = makeClientLoad(servers, lists, new SeededRandom(seed, `clients of ${when}`))
  const faults = Effect.andThen(injectFaults(run, group, { chance, load, log }), load.stop)
  const funding = fundDuring(load, customers, new SeededRandom(seed, `deposits of ${when}`), when).pipe(
    Effect.provide(environment.cuttableOperator)
  )
  const [made] = yield* Effect.all([funding, load.run, faults], { concurrency: "unbounded" })
  run.made.push(...made)
  log.add(`clients started ${load.operations.length} operations`)
  return load.operations
})

/** Repairs the environment and waits until recovery has settled all open transactions. */
const repair = Effect.fnUntraced(function* (
  { environment, undecided }: CrashRun,
  operations: ReadonlyArray<ClientOperation>,
  chance: SeededRandom,
  log: RoundLog
) {
  const { operator, servers, suppliers, time } = environment
  yield* suppliers.behave
  yield* Effect.provide(untilPostgresAnswers, operator)
  yield* revived(environment)
  const recovering = settleByRecovery(time, undecided).pipe(
    Effect.tap((isSettled) =>
      Effect.sync(() => log.add(isSettled ? "recovery settled everything" : "recovery left open transactions"))
    ),
    Effect.repeat({ until: (isSettled) => isSettled, times: turns_max }),
    Effect.provide(operator)
  )
  yield* recovering
  // Clients retry operations without a final response, and a fraction of the operations with a final response.
  let retrying = operations.filter((operation) => !operation.responses.some(isFinal) || chance.happens(retryRate))
  for (let turn = 0; turn < turns_max && retrying.length > 0; turn++) {
    yield* Effect.forEach(retrying, (operation) => retryUntilAnswered(servers, operation, finalTries_max), {
      concurrency: 8
    })
    log.add(`${retrying.length} of ${operations.length} operations were called again`)
    yield* recovering
    retrying = retrying.filter((operation) => !hasFinalResponse(operation))
  }
})

/** Waits until the healthy endpoints have received every event. Then takes the events that all endpoints received. */
const deliverRest = Effect.fnUntraced(function* ({ environment, received }: CrashRun, log: RoundLog) {
  const { endpoints, operator, suppliers, time } = environment
  const healthy = endpoints.filter(({ isHealthy }) => isHealthy).map(({ webhookId }) => webhookId)
  const isDelivered = yield* Effect.provide(deliverEverything(time, healthy), operator)
  log.add(isDelivered ? "the healthy endpoints confirmed every event" : "healthy endpoints did not confirm every event")
  received.push(...(yield* suppliers.takeEvents))
})

/**
 * How many minutes may pass until the servers have closed all days. A server retries after ten minutes. Several of these
 * tries may fail, because the time jumps while a server connects to Postgres.
 */
const closingMinutes_max = 90

/** Plays the groups of faults in order, repairs the environment and checks the invariants. */
export const runRound = Effect.fnUntraced(function* (run: CrashRun, { groups, round }: RoundFaults, log: RoundLog) {
  const { cellClosings, environment, made, received, seed, undecided } = run
  if (groups.some(hasClosing)) yield* untilEve(environment.time)
  yield* Effect.provide(environment.time.on(setAlertValues), environment.operator)
  const played = yield* Effect.forEach(groups, (group, index) =>
    buyUnderFaults(run, `round ${round} group ${index + 1}`, group, log)
  )
  const operations = played.flat()
  yield* repair(run, operations, new SeededRandom(seed, `repair of round ${round}`), log)
  yield* deliverRest(run, log)
  const isClosed = yield* Effect.provide(closeEverything(environment.time, closingMinutes_max), environment.operator)
  log.add(isClosed ? "the servers closed every day" : "the servers left days open")

  const books = yield* Effect.provide(environment.time.on(readBooks), environment.operator)
  const record = yield* environment.suppliers.truth
  const { customers, endpoints } = environment
  const given = openingDeposit
  const cells = new Map(customers.map(({ cell, companyId }) => [companyId as number, cell as string]))
  const facts = { record, operations, undecided, given, made, endpoints, received, cells, cellClosings }
  const breaches = checkInvariants({ books, ...facts })
  const ownEnds = environment.servers.flatMap(({ ownEnds }) => ownEnds)
  return {
    storedEvents: books.events.length,
    closings: books.closings.stored,
    operations,
    breaches: [...breaches, ...ownEnds.map((what) => ({ invariant: "no server ends by itself", what }))]
  } satisfies RoundResult
})
