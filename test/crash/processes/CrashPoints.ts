import { writeSync } from "node:fs"
import { Context, Effect, Layer, Schema, Struct } from "effect"

/** What a server is on its way through. */
type Workflow = "sale" | "reversal" | "insurance" | "recovery"

/** Where it meets the outside on that way. */
const workflowOfCall = {
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
} as const satisfies Record<string, Workflow>
export type PortCall = keyof typeof workflowOfCall

const moments = ["before", "during", "after"] as const
type Moment = (typeof moments)[number]

/**
 * An instant at which a server may be killed or stopped: before it calls, while the call is under way, with the answer.
 */
export type CrashPoint = `${Moment} ${PortCall}`

export const crashPoints = Struct.keys(workflowOfCall).flatMap((step) =>
  moments.map((moment): CrashPoint => `${moment} ${step}`)
)

const portCallOf = (point: CrashPoint): PortCall => point.slice(point.indexOf(" ") + 1) as PortCall

/** On the way through what a server passes this point. */
export const workflowOf = (point: CrashPoint): Workflow => workflowOfCall[portCallOf(point)]

/** What a server is to do to itself, and when. A signal of one's own comes at once: the next line is never reached. */
export const PlannedSignal = Schema.Struct({
  point: Schema.Literals(crashPoints),
  /** At which visit of the point. */
  visit: Schema.Int,
  signal: Schema.Literals(["SIGKILL", "SIGSTOP"])
})
export type PlannedSignal = typeof PlannedSignal.Type

/** A statement that is on its way for so long is under way. */
const midCall = "1 millis"

/** The points of this process, and what is to happen at one of them. */
export class CrashPoints extends Context.Service<
  CrashPoints,
  {
    /** Null lets the process live. */
    readonly meet: (fate: PlannedSignal | null) => void
    /**
     * Makes a call that has a point before it, one while it is under way, and one when it is answered.
     *
     * @param matters whether there is anything to lose with an answer; if not, it is no point.
     */
    readonly around: <A, E, R>(
      step: PortCall,
      call: Effect.Effect<A, E, R>,
      matters?: (answer: A) => boolean
    ) => Effect.Effect<A, E, R>
  }
>()("saldo/crash/Points") {
  static readonly layer = Layer.sync(CrashPoints, () => {
    let fate: PlannedSignal | null = null
    let left = 0
    const at = (point: CrashPoint) =>
      Effect.sync(() => {
        if (fate?.point !== point || --left > 0) return
        const { signal } = fate
        fate = null
        // Written at once: whatever waits to be written dies with the process.
        writeSync(1, `reached ${point}\n`)
        process.kill(process.pid, signal)
      })
    const meanwhile = (step: PortCall) =>
      Effect.sleep(midCall).pipe(Effect.andThen(at(`during ${step}`)), Effect.andThen(Effect.never))
    return CrashPoints.of({
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
