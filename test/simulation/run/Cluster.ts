import { Clock, Duration, Effect } from "effect"
import { keepDelivering } from "../../../core/workflows/DeliverEvents.ts"
import { followUp } from "../../../core/workflows/FollowUp.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { keepResetting } from "../../../core/workflows/SandboxReset.ts"
import { sendDue } from "../../../core/workflows/SendSms.ts"
import { SeededRandom } from "../../support/SeededRandom.ts"
import type { Incarnation } from "../engine/EventLoop.ts"
import type { Activity } from "../engine/Faults.ts"
import { addTraceLine, type Simulation } from "../engine/Simulation.ts"
import type { Process, WorkflowServices } from "../process/Process.ts"
import type { BackgroundLoop } from "../process/Store.ts"

const second_ms = 1_000

/** How often a process looks for due deliveries (core/workflows/DeliverEvents.ts). */
const lookEvery_ms = 500

/**
 * Number of rounds without progress in a row after which a background loop doubles its pause at each further round. Only a
 * bug or a closed cell causes that many rounds without progress.
 */
const vainRounds_max = 30

/** Longest pause of a background loop whose rounds make no progress. */
const vainPause_max_ms = 3600 * second_ms

/**
 * Makes the function that returns the pause before the next round. A bug or a closed cell can leave work due for days, and
 * rounds at each second would take hours of real time.
 *
 * @param due returns the instant at which the loop next has work.
 */
const pauses = (pause_ms: number, due: () => number | null) => {
  let vainRounds = 0
  let before: number | null = null
  return () => {
    const now = due()
    vainRounds = now === before ? vainRounds + 1 : 0
    before = now
    return Math.min(pause_ms * 2 ** Math.max(0, vainRounds - vainRounds_max), vainPause_max_ms)
  }
}

/** The two replicas of the server. Each replica has at most one live process at a time. */
export interface Cluster {
  /**
   * The process that serves calls to a replica. If that process is dead, the process of the other replica; null if both
   * are dead.
   */
  readonly serving: (replica: number) => Process | null
  readonly kill: (incarnation: Incarnation, down_ms: number | null) => void
  readonly startConcurrentRecovery: (incarnation: Incarnation) => void
  /** Starts the replicas that have no process, and sets the clock of every process to the true time. */
  readonly heal: () => void
}

const replicaNames = ["A", "B"] as const

/** Questions in flight about settled sales. The default of FOLLOW_UP_CALLS_MAX. */
const followUps_max = 4

/** One round of a background loop, and the pause between two rounds. */
interface LoopRound {
  readonly activity: Activity
  readonly cycle: Effect.Effect<void, never, WorkflowServices>
  readonly pause_ms: number
}

/** The background loops of the server. Failures of a round are ignored, because production only logs them. */
const backgroundLoops: Readonly<Record<Exclude<BackgroundLoop, "deliveries">, LoopRound>> = {
  recovery: { activity: "recovery", cycle: Effect.ignoreCause(recover("due")), pause_ms: second_ms },
  "follow-up": {
    activity: "follow-up",
    cycle: Effect.ignoreCause(followUp(followUps_max)),
    pause_ms: 60 * second_ms
  },
  messages: { activity: "messages", cycle: Effect.ignoreCause(sendDue()), pause_ms: second_ms }
}

/**
 * Creates the two replicas. They have no process until `heal` is called.
 *
 * @param start starts a process.
 * @param due returns the instant at which a background loop next has work.
 */
export const clusterOf = (
  sim: () => Simulation,
  start: (incarnation: Incarnation) => Process,
  due: (loop: BackgroundLoop) => number | null
): Cluster => {
  const lives = replicaNames.map(() => 0)
  const processes: Array<Process | null> = replicaNames.map(() => null)

  /** The time of the run at which a background loop next has work, by the clock of its process. */
  const dueFor = ({ offset_ms }: Incarnation, loop: BackgroundLoop): number | null => {
    const instant_ms = due(loop)
    return instant_ms === null ? null : instant_ms - sim().epoch_ms - offset_ms
  }

  /**
   * The clock of the workflow that delivers events. Its pause between two searches for due deliveries lasts until a
   * delivery is due. Otherwise most events of a run would be searches that find nothing.
   */
  const deliveryClock = (clock: Clock.Clock, incarnation: Incarnation): Clock.Clock => {
    const pause = pauses(lookEvery_ms, () => due("deliveries"))
    return {
      ...clock,
      sleep: (duration) =>
        Duration.toMillis(duration) === lookEvery_ms
          ? Effect.callback<void>((resume) => {
              const { eventLoop } = sim()
              eventLoop.idle({
                incarnation,
                from_ms: eventLoop.now_ms + pause(),
                due_ms: () => dueFor(incarnation, "deliveries"),
                run: () => resume(Effect.void)
              })
            })
          : clock.sleep(duration)
    }
  }

  const deliver = (incarnation: Incarnation) =>
    Effect.flatMap(Clock.Clock, (clock) =>
      Effect.provideService(
        Effect.scoped(keepDelivering((event) => JSON.stringify(event))),
        Clock.Clock,
        deliveryClock(clock, incarnation)
      )
    )

  /**
   * Repeats a background loop while the process lives. A round runs when work is due, but not before the pause of
   * production has passed.
   */
  const keep = (process: Process, loop: keyof typeof backgroundLoops) => {
    const { eventLoop } = sim()
    const { incarnation } = process
    const { activity, cycle, pause_ms } = backgroundLoops[loop]
    const pause = pauses(pause_ms, () => due(loop))
    let round = 0
    const wait = () =>
      eventLoop.idle({
        incarnation,
        from_ms: eventLoop.now_ms + pause(),
        due_ms: () => dueFor(incarnation, loop),
        run: () => {
          round++
          process.start(cycle, { activity, name: `${loop} ${incarnation.name} ${round}` }, (fiber) =>
            fiber.addObserver(wait)
          )
        }
      })
    wait()
  }

  const begin = (replica: number) => {
    lives[replica] = (lives[replica] ?? 0) + 1
    const incarnation: Incarnation = {
      name: `${replicaNames[replica]}${lives[replica]}`,
      dead: false,
      held: null,
      offset_ms: 0
    }
    const process = start(incarnation)
    processes[replica] = process
    addTraceLine(sim(), incarnation.name, "starts")
    keep(process, "recovery")
    keep(process, "follow-up")
    keep(process, "messages")
    process.start(deliver(incarnation), { activity: "deliveries", name: `deliveries ${incarnation.name}` })
    process.start(keepResetting, { activity: "sandbox", name: `sandbox ${incarnation.name}` })
  }

  const replicaOf = (incarnation: Incarnation): number =>
    replicaNames.findIndex((name) => incarnation.name.startsWith(name))

  const other = (incarnation: Incarnation): Process | null => processes[1 - replicaOf(incarnation)] ?? null

  const heal = () => {
    for (const replica of replicaNames.keys()) {
      if (processes[replica] == null) begin(replica)
      const process = processes[replica]
      if (process != null) process.incarnation.offset_ms = 0
    }
  }

  return {
    serving: (replica) => processes[replica] ?? processes[1 - replica] ?? null,
    kill: (incarnation, down_ms) => {
      if (incarnation.dead) return
      const { seed, eventLoop } = sim()
      const replica = replicaOf(incarnation)
      incarnation.dead = true
      processes[replica] = null
      addTraceLine(sim(), incarnation.name, "is killed")
      const pause_ms = down_ms ?? new SeededRandom(seed, `down ${incarnation.name}`).between(200, 20 * second_ms)
      eventLoop.after(pause_ms, null, () => {
        if (processes[replica] === null) begin(replica)
      })
    },
    startConcurrentRecovery: (incarnation) => {
      const process = other(incarnation)
      if (process === null) return
      const { eventLoop } = sim()
      const { activity, cycle } = backgroundLoops.recovery
      eventLoop.soon(process.incarnation, () =>
        process.start(cycle, { activity, name: `rival ${process.incarnation.name} ${eventLoop.now_ms}` })
      )
    },
    heal
  }
}
