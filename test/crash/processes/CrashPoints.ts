import { writeSync } from "node:fs"
import { Context, Effect, Layer, Schema, Struct } from "effect"

/** The workflow during which a server passes a crash point. */
type Workflow = "sale" | "reversal" | "insurance" | "recovery" | "delivery" | "closing"

/** Workflow of each port call that has crash points. */
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
  "ask reversal": "recovery",
  "claim deliveries": "delivery",
  "send event": "delivery",
  "record delivery": "delivery",
  "end day": "closing",
  "read figures": "closing",
  "store closing": "closing"
} as const satisfies Record<string, Workflow>
export type PortCall = keyof typeof workflowOfCall

const moments = ["before", "during", "after"] as const
type Moment = (typeof moments)[number]

/** A moment at which a server may be killed or stopped: before, during or after a port call. */
export type CrashPoint = `${Moment} ${PortCall}`

export const crashPoints = Struct.keys(workflowOfCall).flatMap((step) =>
  moments.map((moment): CrashPoint => `${moment} ${step}`)
)

const portCallOf = (point: CrashPoint): PortCall => point.slice(point.indexOf(" ") + 1) as PortCall

/** The workflow that passes this crash point. */
export const workflowOf = (point: CrashPoint): Workflow => workflowOfCall[portCallOf(point)]

/**
 * A signal that a server sends to itself at a crash point. The signal takes effect before the server executes anything
 * else.
 */
export const PlannedSignal = Schema.Struct({
  point: Schema.Literals(crashPoints),
  /** The pass of the point at which the signal is sent: 1 for the first time that the server passes the point. */
  visit: Schema.Int,
  signal: Schema.Literals(["SIGKILL", "SIGSTOP"])
})
export type PlannedSignal = typeof PlannedSignal.Type

/** Time from the start of a port call to the crash point "during" the call. */
const midCall = "1 millis"

/** Crash points of this process, and the signal that is armed at one of the points. */
export class CrashPoints extends Context.Service<
  CrashPoints,
  {
    /** Arms a signal; null disarms it. */
    readonly arm: (planned: PlannedSignal | null) => void
    /**
     * Adds crash points before, during and after a port call.
     *
     * @param matters whether the answer of the call gives the server more to do. If not, the point after the call is
     * skipped, because a crash there changes nothing.
     */
    readonly around: <A, E, R>(
      step: PortCall,
      call: Effect.Effect<A, E, R>,
      matters?: (answer: A) => boolean
    ) => Effect.Effect<A, E, R>
  }
>()("saldo/crash/Points") {
  static readonly layer = Layer.sync(CrashPoints, () => {
    let planned: PlannedSignal | null = null
    let left = 0
    const at = (point: CrashPoint) =>
      Effect.sync(() => {
        if (planned?.point !== point || --left > 0) return
        const { signal } = planned
        planned = null
        // A synchronous write, because buffered output is lost when the process dies.
        writeSync(1, `reached ${point}\n`)
        process.kill(process.pid, signal)
      })
    const meanwhile = (step: PortCall) =>
      Effect.sleep(midCall).pipe(Effect.andThen(at(`during ${step}`)), Effect.andThen(Effect.never))
    return CrashPoints.of({
      arm: (wrapped) => {
        planned = wrapped
        left = wrapped?.visit ?? 0
      },
      around: (step, call, matters = () => true) =>
        at(`before ${step}`).pipe(
          Effect.andThen(Effect.raceFirst(call, meanwhile(step))),
          Effect.tap((answer) => (matters(answer) ? at(`after ${step}`) : Effect.void))
        )
    })
  })
}
