import { type Clock, Duration, Effect, type Scheduler } from "effect"
import { makeClock } from "../../support/Clocks.ts"
import type { SeededRandom } from "../../support/SeededRandom.ts"

/**
 * One process of a replica, from its start to its death. Its memory consists of its fibers and services. After its
 * death, none of its fibers runs again and no finalizer runs, as after `kill -9`.
 */
export interface Incarnation {
  /** The replica and the number of its process, such as `A1` or `B3`. */
  readonly name: string
  dead: boolean
  /** Events that became ready while the process was paused. Null while it runs. */
  held: Array<ScheduledEvent> | null
  /** Error of the process's wall clock: the time that it shows minus the true time. */
  offset_ms: number
}

/**
 * A function that the event loop calls at a given time. It belongs to a process; `incarnation` is null if it belongs to
 * an external service.
 */
export interface ScheduledEvent {
  readonly at_ms: number
  /** Number in the order of scheduling. Of two events with the same time, the heap returns the lower number first. */
  readonly order: number
  readonly incarnation: Incarnation | null
  readonly run: () => void
  cancelled: boolean
}

/** Pauses a process, as swapping or the migration of a virtual machine does. */
export const pauseProcess = (eventLoop: EventLoop, incarnation: Incarnation, for_ms: number): void => {
  if (incarnation.held !== null || incarnation.dead) return
  incarnation.held = []
  eventLoop.after(for_ms, null, () => {
    const held = incarnation.held ?? []
    incarnation.held = null
    for (const event of held) eventLoop.enter(event)
  })
}

/** Suspends the running fiber for the given time. */
export const delayFiber = (eventLoop: EventLoop, incarnation: Incarnation, for_ms: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const arrival = eventLoop.after(for_ms, incarnation, () => resume(Effect.void))
    return Effect.sync(() => {
      arrival.cancelled = true
    })
  })

/** The clock of a process. The wall clock may be wrong; the monotonic clock is always correct. */
export const clockOf = (eventLoop: EventLoop, epoch_ms: number, incarnation: Incarnation): Clock.Clock =>
  makeClock({
    wall_ms: () => epoch_ms + eventLoop.now_ms + incarnation.offset_ms,
    monotonic_ns: () => BigInt(eventLoop.now_ms) * 1_000_000n,
    sleep: (duration) => delayFiber(eventLoop, incarnation, Duration.toMillis(duration))
  })

/** Schedules the fibers of a process on the event loop of the simulation. */
export const schedulerOf = (eventLoop: EventLoop, incarnation: Incarnation): Scheduler.Scheduler => ({
  executionMode: "async",
  // A fiber runs until it waits. Every call to the database or to an external service makes it wait.
  shouldYield: () => false,
  makeDispatcher: () => ({
    scheduleTask: (task) => eventLoop.soon(incarnation, task),
    flush: () => {}
  })
})

/** A background loop between two rounds. Its next round runs when work is due. */
export interface IdleLoop {
  readonly incarnation: Incarnation
  /** The earliest time of the loop's next round. */
  readonly from_ms: number
  /** The time at which work is due; null if there is no work. */
  readonly due_ms: () => number | null
  readonly run: () => void
}

const isBefore = (left: ScheduledEvent, right: ScheduledEvent): boolean =>
  left.at_ms < right.at_ms || (left.at_ms === right.at_ms && left.order < right.order)

/** A binary heap of future events, the earliest first. */
class EventHeap {
  private readonly heap: Array<ScheduledEvent> = []

  get soonest(): ScheduledEvent | undefined {
    while (this.heap[0]?.cancelled) this.take()
    return this.heap[0]
  }

  add(event: ScheduledEvent): void {
    const { heap } = this
    let place = heap.length
    heap.push(event)
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = heap[above] as ScheduledEvent
      if (!isBefore(event, parent)) break
      heap[place] = parent
      place = above
    }
    heap[place] = event
  }

  take(): ScheduledEvent | undefined {
    const { heap } = this
    const [taken] = heap
    const last = heap.pop()
    if (taken === undefined || last === undefined || last === taken) return taken
    let place = 0
    while (true) {
      let below = 2 * place + 1
      if (below >= heap.length) break
      const right = heap[below + 1]
      if (right !== undefined && isBefore(right, heap[below] as ScheduledEvent)) below++
      const child = heap[below] as ScheduledEvent
      if (!isBefore(child, last)) break
      heap[place] = child
      place = below
    }
    heap[place] = last
    return taken
  }
}

/**
 * The event loop of a simulation. Ready events run one at a time, in random order. When no event is ready, time jumps
 * to the next event. The loop never reads the clock or the random numbers of the machine.
 */
export class EventLoop {
  now_ms = 0
  private asked = 0
  private readonly ready: Array<ScheduledEvent> = []
  private readonly agenda = new EventHeap()
  private readonly idlers = new Set<IdleLoop>()
  private readonly chance: SeededRandom

  constructor(chance: SeededRandom) {
    this.chance = chance
  }

  /** Adds a ready event. It runs in random order among the other ready events. */
  soon(incarnation: Incarnation | null, run: () => void): void {
    this.enter({ at_ms: this.now_ms, order: this.asked++, incarnation, run, cancelled: false })
  }

  after(delay_ms: number, incarnation: Incarnation | null, run: () => void): ScheduledEvent {
    const at_ms = this.now_ms + Math.max(0, Math.ceil(delay_ms))
    const event: ScheduledEvent = { at_ms, order: this.asked++, incarnation, run, cancelled: false }
    this.agenda.add(event)
    return event
  }

  /** Makes an event ready. Also called for events that were held back while their process was paused. */
  enter(event: ScheduledEvent): void {
    this.ready.push(event)
  }

  idle(idler: IdleLoop): void {
    this.idlers.add(idler)
  }

  /**
   * Whether the next event may be a round of a background loop: no event is ready, and no scheduled event comes before
   * the earliest round.
   */
  asksLoops(): boolean {
    if (this.ready.length > 0) return false
    const next_ms = this.agenda.soonest?.at_ms ?? Number.POSITIVE_INFINITY
    for (const { from_ms, incarnation } of this.idlers)
      if (!incarnation.dead && incarnation.held === null && from_ms <= next_ms) return true
    return false
  }

  /** Runs the next event, if an event is due by `until_ms`. Returns false if no event is due. */
  advance(until_ms: number): boolean {
    while (true) {
      const event = this.pick()
      if (event !== undefined) {
        event.run()
        return true
      }
      if (!this.goOn(until_ms)) return false
    }
  }

  private pick(): ScheduledEvent | undefined {
    const { ready } = this
    while (ready.length > 0) {
      const place = ready.length === 1 ? 0 : this.chance.between(0, ready.length - 1)
      const event = ready[place] as ScheduledEvent
      const last = ready.pop() as ScheduledEvent
      if (last !== event) ready[place] = last
      if (event.cancelled || event.incarnation?.dead) continue
      if (event.incarnation?.held != null) event.incarnation.held.push(event)
      else return event
    }
    return undefined
  }

  private goOn(until_ms: number): boolean {
    const next_ms = this.agenda.soonest?.at_ms ?? Number.POSITIVE_INFINITY
    const idler = this.wakened(Math.min(next_ms, until_ms))
    if (idler !== null) {
      this.idlers.delete(idler.idler)
      this.now_ms = Math.max(this.now_ms, idler.at_ms)
      this.soon(idler.idler.incarnation, idler.idler.run)
      return true
    }
    if (next_ms > until_ms) {
      this.now_ms = Math.max(this.now_ms, until_ms)
      return false
    }
    this.now_ms = Math.max(this.now_ms, next_ms)
    while (this.agenda.soonest !== undefined && this.agenda.soonest.at_ms <= this.now_ms) {
      this.enter(this.agenda.take() as ScheduledEvent)
    }
    return true
  }

  /** The waiting loop whose work is due earliest, if that work is due by `until_ms`. */
  private wakened(until_ms: number): { readonly idler: IdleLoop; readonly at_ms: number } | null {
    let first: { readonly idler: IdleLoop; readonly at_ms: number } | null = null
    for (const idler of this.idlers) {
      if (idler.incarnation.dead) this.idlers.delete(idler)
      else if (idler.from_ms <= until_ms && idler.incarnation.held === null) {
        const due_ms = idler.due_ms()
        // Times are whole milliseconds, as in `after`. An instant in memory may have a fraction.
        const at_ms = due_ms === null ? Number.POSITIVE_INFINITY : Math.max(idler.from_ms, Math.ceil(due_ms))
        if (at_ms <= until_ms && (first === null || at_ms < first.at_ms)) first = { idler, at_ms }
      }
    }
    return first
  }
}
