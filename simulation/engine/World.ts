import type { Chance } from "../../tools/Chance.ts"
import type { Happening, Life } from "./Life.ts"

/** A loop that has nothing to do until something is due. */
export interface Idler {
  readonly life: Life
  /** Not before. */
  readonly from_ms: number
  /** When it has something to do; null while it has nothing. */
  readonly due_ms: () => number | null
  readonly run: () => void
}

const before = (left: Happening, right: Happening): boolean =>
  left.at_ms < right.at_ms || (left.at_ms === right.at_ms && left.order < right.order)

/** The soonest first. */
class Agenda {
  private readonly heap: Array<Happening> = []

  get soonest(): Happening | undefined {
    while (this.heap[0]?.cancelled) this.take()
    return this.heap[0]
  }

  add(happening: Happening): void {
    const { heap } = this
    let place = heap.length
    heap.push(happening)
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = heap[above] as Happening
      if (!before(happening, parent)) break
      heap[place] = parent
      place = above
    }
    heap[place] = happening
  }

  take(): Happening | undefined {
    const { heap } = this
    const [taken] = heap
    const last = heap.pop()
    if (taken === undefined || last === undefined || last === taken) return taken
    let place = 0
    while (true) {
      let below = 2 * place + 1
      if (below >= heap.length) break
      const right = heap[below + 1]
      if (right !== undefined && before(right, heap[below] as Happening)) below++
      const child = heap[below] as Happening
      if (!before(child, last)) break
      heap[place] = child
      place = below
    }
    heap[place] = last
    return taken
  }
}

/**
 * Time and order in a simulation. What is ready runs one after the other, the next one picked by chance; when nothing
 * is ready, time goes on to whatever comes next. Nothing here asks the machine for time or chance.
 */
export class World {
  now_ms = 0
  private asked = 0
  private readonly ready: Array<Happening> = []
  private readonly agenda = new Agenda()
  private readonly idlers = new Set<Idler>()
  private readonly chance: Chance

  constructor(chance: Chance) {
    this.chance = chance
  }

  /** Runs in a moment, in any order with whatever else is ready. */
  soon(life: Life | null, run: () => void): void {
    this.enter({ at_ms: this.now_ms, order: this.asked++, life, run, cancelled: false })
  }

  after(delay_ms: number, life: Life | null, run: () => void): Happening {
    const at_ms = this.now_ms + Math.max(0, Math.ceil(delay_ms))
    const happening: Happening = { at_ms, order: this.asked++, life, run, cancelled: false }
    this.agenda.add(happening)
    return happening
  }

  /** What was held back while its process was paused. */
  enter(happening: Happening): void {
    this.ready.push(happening)
  }

  idle(idler: Idler): void {
    this.idlers.add(idler)
  }

  /** Whether it may be a loop's turn next: nothing is ready, and nothing else comes before one may begin. */
  asksLoops(): boolean {
    if (this.ready.length > 0) return false
    const next_ms = this.agenda.soonest?.at_ms ?? Number.POSITIVE_INFINITY
    for (const { from_ms, life } of this.idlers) if (!life.dead && life.held === null && from_ms <= next_ms) return true
    return false
  }

  /** Lets the next thing happen, not later than `until_ms`; false when there is none. */
  advance(until_ms: number): boolean {
    while (true) {
      const happening = this.pick()
      if (happening !== undefined) {
        happening.run()
        return true
      }
      if (!this.goOn(until_ms)) return false
    }
  }

  private pick(): Happening | undefined {
    const { ready } = this
    while (ready.length > 0) {
      const place = ready.length === 1 ? 0 : this.chance.between(0, ready.length - 1)
      const happening = ready[place] as Happening
      const last = ready.pop() as Happening
      if (last !== happening) ready[place] = last
      if (happening.cancelled || happening.life?.dead) continue
      if (happening.life?.held != null) happening.life.held.push(happening)
      else return happening
    }
    return undefined
  }

  private goOn(until_ms: number): boolean {
    const next_ms = this.agenda.soonest?.at_ms ?? Number.POSITIVE_INFINITY
    const idler = this.wakened(Math.min(next_ms, until_ms))
    if (idler !== null) {
      this.idlers.delete(idler.idler)
      this.now_ms = Math.max(this.now_ms, idler.at_ms)
      this.soon(idler.idler.life, idler.idler.run)
      return true
    }
    if (next_ms > until_ms) {
      this.now_ms = Math.max(this.now_ms, until_ms)
      return false
    }
    this.now_ms = Math.max(this.now_ms, next_ms)
    while (this.agenda.soonest !== undefined && this.agenda.soonest.at_ms <= this.now_ms) {
      this.enter(this.agenda.take() as Happening)
    }
    return true
  }

  /** The loop that first has something to do, if it has before then. */
  private wakened(until_ms: number): { readonly idler: Idler; readonly at_ms: number } | null {
    let first: { readonly idler: Idler; readonly at_ms: number } | null = null
    for (const idler of this.idlers) {
      if (idler.life.dead) this.idlers.delete(idler)
      else if (idler.from_ms <= until_ms && idler.life.held === null) {
        const due_ms = idler.due_ms()
        const at_ms = due_ms === null ? Number.POSITIVE_INFINITY : Math.max(idler.from_ms, due_ms)
        if (at_ms <= until_ms && (first === null || at_ms < first.at_ms)) first = { idler, at_ms }
      }
    }
    return first
  }
}
