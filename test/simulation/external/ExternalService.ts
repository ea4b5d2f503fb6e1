import { Effect } from "effect"
import type { SeededRandom } from "../../support/SeededRandom.ts"
import { focusOf, isAboutStuck } from "../engine/FaultInjector.ts"
import type { ExternalOperation, GroundTruth, Standing } from "../engine/GroundTruth.ts"
import { applyProcessFault, type OutsideCall } from "../engine/OutsideCall.ts"
import { addTraceLine, type Simulation } from "../engine/Simulation.ts"

const second_ms = 1_000
const minute_ms = 60 * second_ms

/** A response time that is longer than every timeout. Contract: 8. */
const tooLong_ms = 31 * second_ms

/**
 * Maximum delay until an order arrives, or until it is decided. An order that has not arrived within this time never
 * arrives.
 */
const lateness_max_ms = 8 * minute_ms

/** Maximum time for which a supplier gives no firm answer about an order. */
const silence_max_ms = 60 * minute_ms

/**
 * Minimum time without a firm answer in runs with stuck sales. It exceeds the 15 minutes after which operators may
 * resolve a sale.
 */
const stuck_min_ms = 20 * minute_ms

const silenceService = (sim: Simulation, operation: ExternalOperation, chance: SeededRandom): void => {
  const isStuck = isAboutStuck(focusOf(sim.seed))
  if (!isStuck && chance.happens(0.5)) return
  operation.silentUntil_ms = sim.eventLoop.now_ms + chance.between(isStuck ? stuck_min_ms : minute_ms, silence_max_ms)
}

/**
 * Response time of a supplier that gives no firm answer to the question of an operator. In half of the cases, later
 * questions receive a firm answer.
 */
const lookUpByHand = (sim: Simulation, operation: ExternalOperation, chance: SeededRandom): number => {
  if (chance.happens(0.5)) operation.silentUntil_ms = sim.eventLoop.now_ms
  return chance.between(5 * second_ms, 25 * second_ms)
}

const isSilent = (sim: Simulation, { silentUntil_ms }: ExternalOperation): boolean =>
  sim.eventLoop.now_ms < silentUntil_ms && !sim.faults.stopped

/** The answers of an external service, in the types of a port. */
interface AnswerSet<A> {
  readonly done: A
  readonly refused: A
  readonly unfirm: A
  readonly notSent: A
}

/** An order to an external service, and what the service does with it. */
export interface ExternalOrder<A> {
  readonly name: string
  readonly accepts: boolean
  /** Whether the service performs a repeated order again. If not, it recognises the name and keeps its decision. */
  readonly repeats?: boolean
  readonly words: AnswerSet<A>
  /** Called when the order arrives. */
  readonly arrives: () => void
}

/** An answer that the adapter cannot parse. */
const unreadable = Effect.die(new Error("the response cannot be parsed"))

/** Returns a response to the process after a delay, and applies the fault that hits the process at that time. */
export const replyAfter =
  <A>(sim: Simulation, call: OutsideCall, resume: (answer: Effect.Effect<A>) => void) =>
  (answer: Effect.Effect<A>, after_ms: number): void => {
    sim.eventLoop.after(after_ms, call.incarnation, () => {
      applyProcessFault(sim, call)
      sim.eventLoop.soon(call.incarnation, () => resume(answer))
    })
  }

/**
 * Sends an order. The fault of the call decides whether the order arrives, when it is performed, and which response
 * returns.
 */
export const placeOrder = <A>(
  sim: Simulation,
  call: OutsideCall,
  truth: GroundTruth,
  order: ExternalOrder<A>
): Effect.Effect<A> =>
  Effect.callback<A>((resume) => {
    const { chance, fault } = call
    const { name, accepts, words } = order
    const answer = replyAfter(sim, call, resume)
    const operation = truth.of(name)
    const there_ms = chance.between(5, 60)
    const back_ms = chance.between(5, 60)
    const work_ms = chance.happens(0.1) ? chance.between(2 * second_ms, 25 * second_ms) : chance.between(20, 900)
    const firm = accepts ? words.done : words.refused

    const decide = (again: boolean, then?: () => void) => {
      if (again) return then?.()
      operation.undecided--
      if (accepts) operation.done++
      else operation.refused++
      addTraceLine(sim, "outside", `${name} is ${accepts ? "done" : "refused"}`)
      then?.()
    }
    const arrive = (after_ms: number, decided_ms: number, then?: () => void) => {
      sim.eventLoop.after(after_ms, null, () => {
        order.arrives()
        const again = !order.repeats && truth.standing(name) !== "unknown"
        if (!again) operation.undecided++
        sim.eventLoop.after(decided_ms, null, () => decide(again, then))
      })
    }
    const reply = (word: A, after_ms = back_ms) => answer(Effect.succeed(word), after_ms)

    switch (fault) {
      case "timeout":
        return arrive(there_ms, chance.between(tooLong_ms, 2 * minute_ms), () => reply(firm))
      case "lost response":
        return arrive(there_ms, work_ms)
      case "late decision":
        silenceService(sim, operation, chance)
        arrive(there_ms, chance.between(minute_ms, lateness_max_ms))
        return reply(words.unfirm, there_ms + back_ms)
      case "lost order":
        return
      case "late order":
        return arrive(chance.between(tooLong_ms, lateness_max_ms), work_ms)
      case "duplicate":
        arrive(there_ms, work_ms)
        return reply(words.unfirm, there_ms + back_ms)
      case "not sent":
        return reply(words.notSent)
      case "false answer":
        operation.answeredFalsely = true
        return arrive(there_ms, work_ms, () => reply(accepts ? words.refused : words.done))
      case "unreadable response":
        if (chance.happens(0.5)) arrive(there_ms, work_ms)
        return answer(unreadable, back_ms)
      default:
        return arrive(there_ms, work_ms, () => reply(firm))
    }
  })

/** Asks a question that creates no state at the external service: a lookup, or a request for an insurer's quote. */
export const askQuestion = <A, E>(
  sim: Simulation,
  call: OutsideCall,
  known: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.callback<A, E>((resume) => {
    const { chance, fault, incarnation } = call
    const back_ms = fault === "timeout" ? chance.between(tooLong_ms, 2 * minute_ms) : chance.between(20, 900)
    if (fault === "lost response") return
    sim.eventLoop.after(back_ms, incarnation, () => {
      applyProcessFault(sim, call)
      sim.eventLoop.soon(incarnation, () => resume(fault === "unreadable response" ? unreadable : known))
    })
  })

/** Asks an external service for the status of an order. */
export const askStatus = <A>(
  sim: Simulation,
  call: OutsideCall,
  truth: GroundTruth,
  name: string,
  words: Readonly<Record<Standing, A>>
): Effect.Effect<A> =>
  Effect.callback<A>((resume) => {
    const { chance, fault } = call
    const answer = replyAfter(sim, call, resume)
    const back_ms = chance.between(5, 60)
    const unfirm = Effect.succeed(words.undecided)
    sim.eventLoop.after(chance.between(5, 60), null, () => {
      const operation = truth.all.get(name)
      const standing = truth.standing(name)
      switch (fault) {
        case "timeout":
          return answer(Effect.succeed(words[standing]), chance.between(tooLong_ms, 2 * minute_ms))
        case "lost response":
          return
        case "late decision":
          return answer(unfirm, back_ms)
        case "unreadable response":
          return answer(unreadable, back_ms)
        case "false answer":
          truth.of(name).answeredFalsely = true
          return answer(Effect.succeed(standing === "done" ? words.refused : words.done), back_ms)
        default:
          if (operation === undefined || !isSilent(sim, operation))
            return answer(Effect.succeed(words[standing]), back_ms)
          return answer(unfirm, call.step.startsWith("operator") ? lookUpByHand(sim, operation, chance) : back_ms)
      }
    })
  })
