import { Context, Effect, type Exit, type Fiber } from "effect"
import type { Chance } from "../../tools/Chance.ts"
import type { Fault } from "../faults/Fault.ts"
import { Activity, factsOf, isStep, type Step } from "../faults/Step.ts"
import type { Incarnation } from "./Incarnation.ts"
import { pause, travel } from "./Pace.ts"
import { type Sim, say } from "./Sim.ts"

const second_ms = 1_000
const minute_ms = 60 * second_ms

/** How far the clocks of two machines may be apart: half of it each. */
export const clockError_max_ms = 6 * minute_ms

/** An adapter tries so long before it gives up on the database. */
const tries_ms = 3 * second_ms

/** Cuts the caller of an operation off, who would have waited. */
export const HangUp = Context.Reference<(() => void) | null>("saldo/simulation/HangUp", { defaultValue: () => null })

/** One call of a process to the outside: where in its workflow, about what, and what goes wrong with it. */
export interface Call {
  readonly incarnation: Incarnation
  readonly step: Step
  readonly subject: string
  readonly fault: Fault | null
  /** For how long, how far, how often. */
  readonly chance: Chance
}

/** The same step, whoever comes to it. */
const sameSteps: Readonly<Record<string, Step>> = {
  "insurance: send": "messages: send",
  "insurance: record": "messages: record",
  "operator: ask insurer": "operator: ask"
}

/** What the running fiber is about to call, and what goes wrong with it; null when the process dies instead. */
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

/** Calls somebody, as the activity of the running fiber. */
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

/** Which way a fault puts a clock. */
const directions = { "clock ahead": 1, "clock back": -1 } as const

/** What the answer meets: a process that dies, is paused, or whose clock is set. */
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
 * A call of the database: it travels there, is one transaction or none, and the answer travels back. What has reached
 * the database is done, whatever has become of the caller.
 *
 * @param heard looks at what was done, before anybody else can.
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

/** A call that only reads: it takes a moment, in which others go on. */
export const read = <A, E>(sim: Sim, incarnation: Incarnation, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(travel(sim.world, incarnation, 1), () =>
    sim.world.now_ms < sim.outageUntil_ms ? Effect.andThen(travel(sim.world, incarnation, tries_ms), cutOff) : work
  )

/** What a call came to, in a few words. */
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
