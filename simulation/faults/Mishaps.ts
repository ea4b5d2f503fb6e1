import { Chance, digest } from "../../tools/Chance.ts"
import { type Cell, cellOf, faultsOf } from "./Cell.ts"
import { allFaults, type Fault } from "./Fault.ts"
import { type Focus, focusOf, isSeldom } from "./Focus.ts"
import { factsOf, type Step } from "./Step.ts"

/** How often a step fails that a run is about, and one that leads there. */
const focused = 0.65
const leading = 0.75

/** How often any other step fails, from one run to the next. */
const rates = [0, 0.01, 0.04, 0.1]

/** How often a connection breaks under an adapter that makes its call again, which nothing else hears of. */
const wireRates = [0, 0.1, 0.3]

/** Where something went wrong: at a step, with what it was about, the so-many-th time. */
export type Place = string

/** All that went wrong in a run, or is to go wrong in one that is run again. */
export type Script = ReadonlyMap<Place, Fault>

/**
 * Decides what goes wrong, and where. That follows from the seed or, when a run is told again with less in it, from the
 * script of what went wrong.
 */
export class Mishaps {
  /** Nothing goes wrong any more. */
  over = false
  readonly hits = new Map<Cell, number>()
  readonly happened = new Map<Place, Fault>()
  private readonly times = new Map<string, number>()
  private readonly turns = new Map<Step, number>()
  private readonly focus: Focus
  private readonly rate: number
  private readonly wireRate: number
  private readonly known: ReadonlySet<Fault>
  private readonly seed: number
  private readonly script: Script | null

  constructor(seed: number, script: Script | null) {
    const chance = new Chance(seed, "mishaps")
    this.seed = seed
    this.script = script
    this.focus = focusOf(seed)
    this.rate = isSeldom(this.focus) ? Math.min(...rates.slice(1)) : chance.pick(rates)
    // Each run knows some of the faults: what needs the absence of another has its chance too.
    this.known = new Set(allFaults.filter(() => chance.happens(0.6)))
    this.wireRate = chance.pick(wireRates)
  }

  at(step: Step, subject: string): Fault | null {
    if (this.over) return null
    const place = this.placeOf(step, subject)
    const fault = this.script === null ? this.drawn(step, place) : (this.script.get(place) ?? null)
    if (fault === null) return null
    const cell = cellOf(step, fault)
    this.happened.set(place, fault)
    this.hits.set(cell, (this.hits.get(cell) ?? 0) + 1)
    return fault
  }

  /** Chance that belongs to what has just been asked about, for how long or how much. */
  chance(step: Step, subject: string): Chance {
    return new Chance(this.seed, `${step} ${subject} #${this.times.get(`${step} ${subject}`)}`)
  }

  private placeOf(step: Step, subject: string): Place {
    const about = `${step} ${subject}`
    const time = (this.times.get(about) ?? 0) + 1
    this.times.set(about, time)
    return `${about} #${time}`
  }

  private drawn(step: Step, place: Place): Fault | null {
    const chance = new Chance(this.seed, `at ${place}`)
    const { lead, steps } = this.focus
    if (steps.includes(step)) return chance.happens(focused) ? this.next(step) : null
    if (lead?.step === step && chance.happens(leading)) return chance.pick(lead.faults)
    if (!chance.happens(factsOf(step).kind === "wire" ? this.wireRate : this.rate)) return null
    const fault = chance.pick(faultsOf(step))
    return this.known.has(fault) ? fault : null
  }

  /** Each in its turn, so that none is left out for long. */
  private next(step: Step): Fault {
    const all = faultsOf(step)
    const turn = this.turns.get(step) ?? digest(step, this.seed)
    this.turns.set(step, turn + 1)
    return all[turn % all.length] as Fault
  }
}
