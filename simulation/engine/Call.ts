import { Context, Effect, type Exit, type Fiber } from "effect"
import type { Chance } from "../../tools/Chance.ts"
import type { Fault } from "../faults/Fault.ts"
import { Activity, factsOf, isStep, type Step } from "../faults/Step.ts"
import type { Incarnation } from "./Incarnation.ts"
import { pause, travel } from "./Pace.ts"
import { type Sim, say } from "./Sim.ts"

const second_ms = 1_000
const minute_ms = 60 * second_ms

/** Maximum difference between the clocks of two processes. Each clock may be wrong by half of it. */
export const clockError_max_ms = 6 * minute_ms

/** Time for which an adapter retries before it reports a database failure. */
const tries_ms = 3 * second_ms

/** Interrupts the running operation, as a caller does that closes its connection. Null for work without a caller. */
export const HangUp = Context.Reference<(() => void) | null>("saldo/simulation/HangUp", { defaultValue: () => null })

/** One call of a process to the outside: its step in the workflow, its subject, and the fault that hits it. */
export interface Call {
  readonly incarnation: Incarnation
  readonly step: Step
  readonly subject: string
  readonly fault: Fault | null
  /** Random numbers for this call: delays, clock changes, choices. */
  readonly chance: Chance
}

/** Steps that two activities share, mapped to one name. */
const sameSteps: Readonly<Record<string, Step>> = {
  "insurance: send": "messages: send",
  "insurance: record": "messages: record",
  "operator: ask insurer": "operator: ask"
}

/**
 * Registers the call that the running fiber is about to make, and draws its fault. Returns null when the process dies
 * before the call.
 */
const callOf = (
  sim: Sim,
  incarnation: Incarnation,
  fiber: Fiber.Fiber<unknown, unknown>,
  method: string,
  subject: string
): Call | null => {
  const named = `${fiber.getRef(Activity)}: ${method}`
  const step = sameSteps[named] ?? named
  if (!isStep(step)) throw new Error(`${step} is no step of any workflow`)
  const fault = sim.mishaps.at(step, subject)
  if (fault !== null)
    sim.trace.add({ at_ms: sim.world.now_ms, where: incarnation.name, what: `${step} ${subject}: ${fault}`, fault })
  if (fault === "dies before") {
    sim.kill(incarnation)
    return null
  }
  if (fault === "hang up") fiber.getRef(HangUp)?.()
  if (fault === "rival") sim.rival(incarnation)
  return { incarnation, step, subject, fault, chance: sim.mishaps.chance(step, subject) }
}

/** Makes a call to the outside. The activity of the running fiber and the method name the step. */
export const calling = <A, E>(
  sim: Sim,
  incarnation: Incarnation,
  method: string,
  subject: string,
  call: (call: Call) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) => {
    const made = callOf(sim, incarnation, fiber, method, subject)
    return made === null ? Effect.never : call(made)
  })

/** The direction in which each clock fault moves the clock. */
const directions = { "clock ahead": 1, "clock back": -1 } as const

/** Applies the faults that hit a process when the response arrives: it dies, is paused, or its clock changes. */
export const meet = (sim: Sim, { chance, fault, incarnation }: Call): void => {
  const most_ms = clockError_max_ms / 2
  if (fault === "dies after") sim.kill(incarnation)
  if (fault === "pause") pause(sim.world, incarnation, chance.between(11 * second_ms, 25 * second_ms))
  if (fault === "long pause") pause(sim.world, incarnation, chance.between(61 * second_ms, 300 * second_ms))
  if (fault === "clock ahead" || fault === "clock back") {
    const set_ms = incarnation.offset_ms + directions[fault] * chance.between(1, most_ms)
    incarnation.offset_ms = Math.min(most_ms, Math.max(-most_ms, set_ms))
  }
}

const cutOff = Effect.die(new Error("the connection was lost"))
const lostConflict = Effect.die(new Error("could not serialize access"))

/**
 * Calls the database: the request travels, one transaction runs or none, and the response travels back. A transaction
 * that started also ends when the caller dies meanwhile.
 *
 * @param heard receives the result at the moment of the commit, before any other event.
 */
export const transact = <A, E>(
  sim: Sim,
  incarnation: Incarnation,
  method: string,
  subject: string,
  work: Effect.Effect<A, E>,
  heard: (exit: Exit.Exit<A, E>) => void
): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) => {
    const call = callOf(sim, incarnation, fiber, method, subject)
    if (call === null) return Effect.never
    const { chance, fault, step } = call
    const { world } = sim
    const run = Effect.runForkWith(fiber.context)
    return Effect.callback<A, E>((resume) => {
      const giveUp = (failure: Effect.Effect<never>) => void world.after(tries_ms, incarnation, () => resume(failure))
      const done = (exit: Exit.Exit<A, E>) => {
        say(sim, incarnation.name, `${step} ${subject} ${wordsOf(exit)}`)
        heard(exit)
        meet(sim, call)
        if (fault === "cut after commit") giveUp(cutOff)
        else world.after(chance.between(0, 5), incarnation, () => resume(exit))
      }
      const begin = () => void run(work).addObserver(done)
      world.after(chance.between(0, 3), incarnation, () => {
        if (fault === "outage") sim.outageUntil_ms = world.now_ms + chance.between(1, 9) * second_ms
        if (world.now_ms < sim.outageUntil_ms || fault === "cut") giveUp(cutOff)
        else if (fault !== "conflict") begin()
        else if (factsOf(step).repeated) world.after(25, incarnation, begin)
        else giveUp(lostConflict)
      })
    })
  })

/** Reads from the database. The read takes 1 ms, in which other events may run. */
export const read = <A, E>(sim: Sim, incarnation: Incarnation, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(travel(sim.world, incarnation, 1), () =>
    sim.world.now_ms < sim.outageUntil_ms ? Effect.andThen(travel(sim.world, incarnation, tries_ms), cutOff) : work
  )

/** The result of a call as text for the trace. */
export const wordsOf = (exit: Exit.Exit<unknown, unknown>): string => {
  if (exit._tag === "Success") return `→ ${tagOf(exit.value)}`
  const [reason] = exit.cause.reasons
  if (reason === undefined) return "→ nothing"
  if (reason._tag === "Fail") return `→ ${tagOf(reason.error)}`
  return reason._tag === "Die"
    ? `✗ ${reason.defect instanceof Error ? reason.defect.message : reason.defect}`
    : "✗ interrupted"
}

const tagOf = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return String(value)
  if (Array.isArray(value)) return `${value.length}`
  if ("_tag" in value) return String(value._tag)
  return "status" in value ? String(value.status) : "done"
}
