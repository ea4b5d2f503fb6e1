import { Effect } from "effect"
import type { Chance } from "../../tools/Chance.ts"
import { type Call, meet } from "../engine/Call.ts"
import type { ExternalOperation, GroundTruth, Standing } from "../engine/GroundTruth.ts"
import { type Sim, say } from "../engine/Sim.ts"
import { focusOf, isAboutStuck } from "../faults/Focus.ts"

const second_ms = 1_000
const minute_ms = 60 * second_ms

/** Longer than anybody waits for an answer. Contract: 8. */
const tooLong_ms = 31 * second_ms

/** An order that has left is known to the other side within this time, or never. */
const lateness_max_ms = 8 * minute_ms

/** Some say nothing firm for at most so long, whatever they are asked. */
const silence_max_ms = 60 * minute_ms

/** Operators may end what has been silent for a quarter of an hour. */
const stuck_min_ms = 20 * minute_ms

const mute = (sim: Sim, operation: ExternalOperation, chance: Chance): void => {
  const isStuck = isAboutStuck(focusOf(sim.seed))
  if (!isStuck && chance.happens(0.5)) return
  operation.muteUntil_ms = sim.world.now_ms + chance.between(isStuck ? stuck_min_ms : minute_ms, silence_max_ms)
}

/**
 * Whoever is silent may have to look it up when an operator asks: that takes a while, at the end of which nothing firm
 * is said to him, and meanwhile others are told. Answers how long it took.
 */
const lookedUp = (sim: Sim, operation: ExternalOperation, chance: Chance): number => {
  if (chance.happens(0.5)) operation.muteUntil_ms = sim.world.now_ms
  return chance.between(5 * second_ms, 25 * second_ms)
}

const isMute = (sim: Sim, { muteUntil_ms }: ExternalOperation): boolean =>
  sim.world.now_ms < muteUntil_ms && !sim.mishaps.over

/** What a firm or an unfirm word is in the language of a port. */
interface Words<A> {
  readonly done: A
  readonly refused: A
  readonly unfirm: A
  readonly notSent: A
}

/** How somebody who is told to do something hears it, and what he does. */
export interface Order<A> {
  readonly name: string
  readonly willDo: boolean
  /** True of somebody who does it as often as he hears it; others have decided a name for good. */
  readonly forgetful?: boolean
  readonly words: Words<A>
  /** What is looked at when the order arrives. */
  readonly arrives: () => void
}

/** Answers after a while, unless whoever asked is no more. */
const unreadable = Effect.die(new Error("the answer cannot be understood"))

const answering =
  <A>(sim: Sim, call: Call, resume: (answer: Effect.Effect<A>) => void) =>
  (answer: Effect.Effect<A>, after_ms: number): void => {
    sim.world.after(after_ms, call.incarnation, () => {
      meet(sim, call)
      sim.world.soon(call.incarnation, () => resume(answer))
    })
  }

/** Tells somebody to do something. Whether it arrives, when it is done and what is heard of it are three questions. */
export const tell = <A>(sim: Sim, call: Call, truth: GroundTruth, order: Order<A>): Effect.Effect<A> =>
  Effect.callback<A>((resume) => {
    const { chance, fault } = call
    const { name, willDo, words } = order
    const answer = answering(sim, call, resume)
    const operation = truth.of(name)
    const there_ms = chance.between(5, 60)
    const back_ms = chance.between(5, 60)
    const work_ms = chance.happens(0.1) ? chance.between(2 * second_ms, 25 * second_ms) : chance.between(20, 900)
    const firm = willDo ? words.done : words.refused

    const decide = (again: boolean, then?: () => void) => {
      if (again) return then?.()
      operation.undecided--
      if (willDo) operation.done++
      else operation.refused++
      say(sim, "outside", `${name} is ${willDo ? "done" : "refused"}`)
      then?.()
    }
    const arrive = (after_ms: number, decided_ms: number, then?: () => void) => {
      sim.world.after(after_ms, null, () => {
        order.arrives()
        const again = !order.forgetful && truth.standing(name) !== "unknown"
        if (!again) operation.undecided++
        sim.world.after(decided_ms, null, () => decide(again, then))
      })
    }
    const reply = (word: A, after_ms = back_ms) => answer(Effect.succeed(word), after_ms)

    switch (fault) {
      case "timeout":
        return arrive(there_ms, chance.between(tooLong_ms, 2 * minute_ms), () => reply(firm))
      case "lost answer":
        return arrive(there_ms, work_ms)
      case "late":
        mute(sim, operation, chance)
        arrive(there_ms, chance.between(minute_ms, lateness_max_ms))
        return reply(words.unfirm, there_ms + back_ms)
      case "never arrives":
        return
      case "arrives late":
        return arrive(chance.between(tooLong_ms, lateness_max_ms), work_ms)
      case "duplicate":
        arrive(there_ms, work_ms)
        return reply(words.unfirm, there_ms + back_ms)
      case "not sent":
        return reply(words.notSent)
      case "contradiction":
        operation.lied = true
        return arrive(there_ms, work_ms, () => reply(willDo ? words.refused : words.done))
      case "breaks":
        if (chance.happens(0.5)) arrive(there_ms, work_ms)
        return answer(unreadable, back_ms)
      default:
        return arrive(there_ms, work_ms, () => reply(firm))
    }
  })

/** Asks somebody for something that neither of the two has to remember. */
export const inquire = <A, E>(sim: Sim, call: Call, known: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.callback<A, E>((resume) => {
    const { chance, fault, incarnation } = call
    const back_ms = fault === "timeout" ? chance.between(tooLong_ms, 2 * minute_ms) : chance.between(20, 900)
    if (fault === "lost answer") return
    sim.world.after(back_ms, incarnation, () => {
      meet(sim, call)
      sim.world.soon(incarnation, () => resume(fault === "breaks" ? unreadable : known))
    })
  })

/** Asks somebody how something stands that he was told to do. */
export const question = <A>(
  sim: Sim,
  call: Call,
  truth: GroundTruth,
  name: string,
  words: Readonly<Record<Standing, A>>
): Effect.Effect<A> =>
  Effect.callback<A>((resume) => {
    const { chance, fault } = call
    const answer = answering(sim, call, resume)
    const back_ms = chance.between(5, 60)
    const unfirm = Effect.succeed(words.undecided)
    sim.world.after(chance.between(5, 60), null, () => {
      const operation = truth.all.get(name)
      const standing = truth.standing(name)
      switch (fault) {
        case "timeout":
          return answer(Effect.succeed(words[standing]), chance.between(tooLong_ms, 2 * minute_ms))
        case "lost answer":
          return
        case "late":
          return answer(unfirm, back_ms)
        case "breaks":
          return answer(unreadable, back_ms)
        case "contradiction":
          truth.of(name).lied = true
          return answer(Effect.succeed(standing === "done" ? words.refused : words.done), back_ms)
        default:
          if (operation === undefined || !isMute(sim, operation))
            return answer(Effect.succeed(words[standing]), back_ms)
          return answer(unfirm, call.step.startsWith("operator") ? lookedUp(sim, operation, chance) : back_ms)
      }
    })
  })
