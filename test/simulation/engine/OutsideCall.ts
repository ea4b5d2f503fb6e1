import { Context, DateTime, Effect, type Exit, type Fiber } from "effect"
import type { SeededRandom } from "../../support/SeededRandom.ts"
import { delayFiber, type Incarnation, pauseProcess } from "./EventLoop.ts"
import { Activity, type Fault, isWorkflowStep, stepFactsOf, type WorkflowStep } from "./Faults.ts"
import { addTraceLine, type Simulation } from "./Simulation.ts"

const second_ms = 1_000
const minute_ms = 60 * second_ms

/** Maximum difference between the clocks of two processes. Each clock may be wrong by half of this difference. */
export const clockError_max_ms = 6 * minute_ms

/** Time for which an adapter retries before it reports a database failure. */
const databaseRetry_ms = 3 * second_ms

/** Interrupts the running operation, as when its caller closes the connection. Null for work without a caller. */
export const HangUp = Context.Reference<(() => void) | null>("saldo/simulation/HangUp", { defaultValue: () => null })

/**
 * One call of a process to the database or to an external service: its step in the workflow, its subject, and the fault
 * that hits it.
 */
export interface OutsideCall {
  readonly incarnation: Incarnation
  readonly step: WorkflowStep
  readonly subject: string
  readonly fault: Fault | null
  /** Random numbers for this call: delays, clock changes, choices. */
  readonly chance: SeededRandom
}

/**
 * Calls that count as a step of another activity. The key names the activity of the fiber and the method of the call.
 */
const stepAliases: Readonly<Record<string, WorkflowStep>> = {
  "insurance: send": "messages: send",
  "insurance: record": "messages: record",
  "operator: ask insurer": "operator: ask"
}

/**
 * Registers the call that the running fiber is about to make, and draws its fault. Returns null if the process dies
 * before the call.
 */
const nextCall = (
  sim: Simulation,
  incarnation: Incarnation,
  fiber: Fiber.Fiber<unknown, unknown>,
  method: string,
  subject: string
): OutsideCall | null => {
  const named = `${fiber.getRef(Activity)}: ${method}`
  const step = stepAliases[named] ?? named
  if (!isWorkflowStep(step)) throw new Error(`${step} is not a step of a workflow`)
  const fault = sim.faults.at(step, subject)
  if (fault !== null)
    sim.trace.add({ at_ms: sim.eventLoop.now_ms, where: incarnation.name, what: `${step} ${subject}: ${fault}`, fault })
  if (fault === "crash before") {
    sim.kill(incarnation)
    return null
  }
  if (fault === "caller disconnects") fiber.getRef(HangUp)?.()
  if (fault === "concurrent recovery") sim.startConcurrentRecovery(incarnation)
  return { incarnation, step, subject, fault, chance: sim.faults.chance(step, subject) }
}

/**
 * Makes a call to the database or to an external service. The activity of the running fiber and the method determine
 * the step.
 */
export const callOutside = <A, E>(
  sim: Simulation,
  incarnation: Incarnation,
  method: string,
  subject: string,
  call: (call: OutsideCall) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) => {
    const made = nextCall(sim, incarnation, fiber, method, subject)
    return made === null ? Effect.never : call(made)
  })

/** The direction in which each clock fault moves the clock. */
const clockDirections = { "clock ahead": 1, "clock back": -1 } as const

/**
 * Applies the faults that hit a process when the response arrives: the process dies, is paused, or its clock changes.
 */
export const applyProcessFault = (sim: Simulation, { chance, fault, incarnation }: OutsideCall): void => {
  const most_ms = clockError_max_ms / 2
  if (fault === "crash after") sim.kill(incarnation)
  if (fault === "pause") pauseProcess(sim.eventLoop, incarnation, chance.between(11 * second_ms, 25 * second_ms))
  if (fault === "long pause") pauseProcess(sim.eventLoop, incarnation, chance.between(61 * second_ms, 300 * second_ms))
  if (fault === "clock ahead" || fault === "clock back") {
    const set_ms = incarnation.offset_ms + clockDirections[fault] * chance.between(1, most_ms)
    incarnation.offset_ms = Math.min(most_ms, Math.max(-most_ms, set_ms))
  }
}

const connectionLost = Effect.die(new Error("the connection was lost"))
const lostConflict = Effect.die(new Error("could not serialize access"))

/**
 * Calls the database: the request travels, at most one transaction runs, and the response travels back. A transaction
 * that has started runs to its end, even if its caller dies meanwhile.
 *
 * @param heard receives the result at the moment of the commit, before any other event.
 */
const callDatabase = <A, E>(
  sim: Simulation,
  incarnation: Incarnation,
  method: string,
  subject: string,
  work: Effect.Effect<A, E>,
  heard: (exit: Exit.Exit<A, E>) => void
): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) => {
    const call = nextCall(sim, incarnation, fiber, method, subject)
    if (call === null) return Effect.never
    const { chance, fault, step } = call
    const { eventLoop } = sim
    const run = Effect.runForkWith(fiber.context)
    return Effect.callback<A, E>((resume) => {
      const giveUp = (failure: Effect.Effect<never>) =>
        void eventLoop.after(databaseRetry_ms, incarnation, () => resume(failure))
      const done = (exit: Exit.Exit<A, E>) => {
        addTraceLine(sim, incarnation.name, `${step} ${subject} ${describeExit(exit)}`)
        heard(exit)
        applyProcessFault(sim, call)
        if (fault === "cut after commit") giveUp(connectionLost)
        else eventLoop.after(chance.between(0, 5), incarnation, () => resume(exit))
      }
      const begin = () => void run(work).addObserver(done)
      eventLoop.after(chance.between(0, 3), incarnation, () => {
        if (fault === "outage") sim.outageUntil_ms = eventLoop.now_ms + chance.between(1, 9) * second_ms
        if (eventLoop.now_ms < sim.outageUntil_ms || fault === "cut before commit") giveUp(connectionLost)
        else if (fault !== "conflict") begin()
        else if (stepFactsOf(step).repeated) eventLoop.after(25, incarnation, begin)
        else giveUp(lostConflict)
      })
    })
  })

/** Reads from the database. The read takes 1 ms, in which other events may run. */
const readDatabase = <A, E>(
  sim: Simulation,
  incarnation: Incarnation,
  work: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.flatMap(delayFiber(sim.eventLoop, incarnation, 1), () =>
    sim.eventLoop.now_ms < sim.outageUntil_ms
      ? Effect.andThen(delayFiber(sim.eventLoop, incarnation, databaseRetry_ms), connectionLost)
      : work
  )

/** The result of a call as text for the trace. */
export const describeExit = (exit: Exit.Exit<unknown, unknown>): string => {
  if (exit._tag === "Success") return `→ ${describeValue(exit.value)}`
  const [reason] = exit.cause.reasons
  if (reason === undefined) return "→ nothing"
  if (reason._tag === "Fail") return `→ ${describeValue(reason.error)}`
  return reason._tag === "Die"
    ? `✗ ${reason.defect instanceof Error ? reason.defect.message : reason.defect}`
    : "✗ interrupted"
}

const describeValue = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return String(value)
  if (Array.isArray(value)) return `${value.length}`
  if ("_tag" in value) return String(value._tag)
  return "status" in value ? String(value.status) : "done"
}

/** The connection of a process to the database. Calls take time, and faults may break them. */
export interface Connection {
  readonly incarnation: Incarnation
  readonly ask: <A, E>(question: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /**
   * Runs one transaction. After it, the store checks the books of the company.
   *
   * @param companyId null if the transaction concerns no company, or several companies.
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

export const connectionOf = (sim: Simulation, incarnation: Incarnation): Connection => ({
  incarnation,
  ask: (question) => readDatabase(sim, incarnation, question),
  write: (method, subject, companyId, work, heard) =>
    callDatabase(sim, incarnation, method, String(subject), work, (exit) => {
      heard?.(exit)
      sim.store.wrote(companyId)
      if (companyId === null) return
      const { available, held } = sim.store.view.balance(companyId)
      sim.trace.sample(companyId, available, held)
    })
})

/** Makes an observer of a call that receives only successful results. */
export const onSuccess =
  <A>(look: (value: A) => void) =>
  <E>(exit: Exit.Exit<A, E>) => {
    if (exit._tag === "Success") look(exit.value)
  }

/** Names a claim by the process that made it and by the time on the clock of that process. */
export const claimName = (incarnation: Incarnation, { now }: { readonly now: DateTime.Utc }): string =>
  `${incarnation.name} at ${DateTime.toEpochMillis(now)}`
