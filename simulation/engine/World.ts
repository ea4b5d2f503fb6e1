import type { Chance } from "../../tools/Chance.ts"
import type { Incarnation, ScheduledEvent } from "./Incarnation.ts"

/** A background loop that waits for work. */
export interface Idler {
  readonly incarnation: Incarnation
  /** The earliest time of its next round. */
  readonly from_ms: number
  /** The time at which work is due; null when there is none. */
  readonly due_ms: () => number | null
  readonly run: () => void
}

const before = (left: ScheduledEvent, right: ScheduledEvent): boolean =>
  left.at_ms < right.at_ms || (left.at_ms === right.at_ms && left.order < right.order)

/** A binary heap of future events, the earliest first. */
class Agenda {
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
      if (!before(event, parent)) break
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
      if (right !== undefined && before(right, heap[below] as ScheduledEvent)) below++
      const child = heap[below] as ScheduledEvent
      if (!before(child, last)) break
      heap[place] = child
      place = below
    }
    heap[place] = last
    return taken
  }
}

/**
 * The event loop of a simulation. Ready events run one at a time, in random order. When none is ready, time jumps to
 * the next event. The loop never reads the clock or the random numbers of the machine.
 */
export class World {
  now_ms = 0
  private asked = 0
  private readonly ready: Array<ScheduledEvent> = []
  private readonly agenda = new Agenda()
  private readonly idlers = new Set<Idler>()
  private readonly chance: Chance

  constructor(chance: Chance) {
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

  /** Makes an event ready. Also used for events held back while their process was paused. */
  enter(event: ScheduledEvent): void {
    this.ready.push(event)
  }

  idle(idler: Idler): void {
    this.idlers.add(idler)
  }

  /**
   * Whether a background loop may run next: no event is ready, and no scheduled event comes before the earliest round.
   */
  asksLoops(): boolean {
    if (this.ready.length > 0) return false
    const next_ms = this.agenda.soonest?.at_ms ?? Number.POSITIVE_INFINITY
    for (const { from_ms, incarnation } of this.idlers)
      if (!incarnation.dead && incarnation.held === null && from_ms <= next_ms) return true
    return false
  }

  /** Runs the next event, if one is due by `until_ms`. Returns false when none is. */
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

  /** The waiting loop whose work is due first, if it is due by `until_ms`. */
  private wakened(until_ms: number): { readonly idler: Idler; readonly at_ms: number } | null {
    let first: { readonly idler: Idler; readonly at_ms: number } | null = null
    for (const idler of this.idlers) {
      if (idler.incarnation.dead) this.idlers.delete(idler)
      else if (idler.from_ms <= until_ms && idler.incarnation.held === null) {
        const due_ms = idler.due_ms()
        const at_ms = due_ms === null ? Number.POSITIVE_INFINITY : Math.max(idler.from_ms, due_ms)
        if (at_ms <= until_ms && (first === null || at_ms < first.at_ms)) first = { idler, at_ms }
      }
    }
    return first
  }
}
