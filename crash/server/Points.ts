import { writeSync } from "node:fs"
import { Context, Effect, Layer, Schema, Struct } from "effect"

/** What a server is on its way through. */
type Way = "sale" | "reversal" | "insurance" | "recovery"

/** Where it meets the outside on that way. */
const steps = {
  reserve: "sale",
  dispatch: "sale",
  settle: "sale",
  "begin reversal": "reversal",
  reverse: "reversal",
  "settle reversal": "reversal",
  "begin issue": "insurance",
  issue: "insurance",
  "claim sales": "recovery",
  ask: "recovery",
  "ask insurer": "recovery",
  "claim reversals": "recovery",
  "ask reversal": "recovery"
} as const satisfies Record<string, Way>
export type Step = keyof typeof steps

const moments = ["before", "during", "after"] as const
type Moment = (typeof moments)[number]

/**
 * An instant at which a server may be killed or stopped: before it calls, while the call is under way, with the answer.
 */
export type Point = `${Moment} ${Step}`

export const points = Struct.keys(steps).flatMap((step) => moments.map((moment): Point => `${moment} ${step}`))

const stepOf = (point: Point): Step => point.slice(point.indexOf(" ") + 1) as Step

/** On the way through what a server passes this point. */
export const wayOf = (point: Point): Way => steps[stepOf(point)]

/** What a server is to do to itself, and when. A signal of one's own comes at once: the next line is never reached. */
export const Fate = Schema.Struct({
  point: Schema.Literals(points),
  /** At which visit of the point. */
  visit: Schema.Int,
  signal: Schema.Literals(["SIGKILL", "SIGSTOP"])
})
export type Fate = typeof Fate.Type

/** A statement that is on its way for so long is under way. */
const underWay = "1 millis"

/** The points of this process, and what is to happen at one of them. */
export class Points extends Context.Service<
  Points,
  {
    /** Null lets the process live. */
    readonly meet: (fate: Fate | null) => void
    /**
     * Makes a call that has a point before it, one while it is under way, and one when it is answered.
     *
     * @param matters whether there is anything to lose with an answer; if not, it is no point.
     */
    readonly around: <A, E, R>(
      step: Step,
      call: Effect.Effect<A, E, R>,
      matters?: (answer: A) => boolean
    ) => Effect.Effect<A, E, R>
  }
>()("saldo/crash/Points") {
  static readonly layer = Layer.sync(Points, () => {
    let fate: Fate | null = null
    let left = 0
    const at = (point: Point) =>
      Effect.sync(() => {
        if (fate?.point !== point || --left > 0) return
        const { signal } = fate
        fate = null
        // Written at once: whatever waits to be written dies with the process.
        writeSync(1, `reached ${point}\n`)
        process.kill(process.pid, signal)
      })
    const meanwhile = (step: Step) =>
      Effect.sleep(underWay).pipe(Effect.andThen(at(`during ${step}`)), Effect.andThen(Effect.never))
    return Points.of({
      meet: (met) => {
        fate = met
        left = met?.visit ?? 0
      },
      around: (step, call, matters = () => true) =>
        at(`before ${step}`).pipe(
          Effect.andThen(Effect.raceFirst(call, meanwhile(step))),
          Effect.tap((answer) => (matters(answer) ? at(`after ${step}`) : Effect.void))
        )
    })
  })
}
