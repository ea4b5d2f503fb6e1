import { Chance, digest } from "../../tools/Chance.ts"
import { type Cell, cellOf, faultsOf } from "./Cell.ts"
import { allFaults, type Fault } from "./Fault.ts"
import { type Focus, focusOf, isSeldom } from "./Focus.ts"
import { factsOf, type Step } from "./Step.ts"

/** Probability of a fault at a focused step, and at the step that leads to it. */
const focused = 0.65
const leading = 0.75

/** Probabilities of a fault at any other step. Each run uses one of them. */
const rates = [0, 0.01, 0.04, 0.1]

/** Probabilities of a fault between the driver and Postgres. The adapter retries there, so workflows do not notice. */
const wireRates = [0, 0.1, 0.3]

/** Where a fault happens: a step, its subject and the number of the call, as in `sale: settle RD-… #2`. */
export type Place = string

/** The faults of a run, by place. A run can be repeated with exactly these. */
export type Script = ReadonlyMap<Place, Fault>

/** Injects faults. The seed decides which and where, or a script that repeats faults of an earlier run. */
export class Mishaps {
  /** Whether fault injection has stopped. */
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
    // Each run uses a random 60 % of the faults. Some bugs show only while another fault is absent.
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

  /** Random numbers for the latest call at this step about this subject. */
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

  /** Takes the possible faults of a step in rotation, so that each one happens regularly. */
  private next(step: Step): Fault {
    const all = faultsOf(step)
    const turn = this.turns.get(step) ?? digest(step, this.seed)
    this.turns.set(step, turn + 1)
    return all[turn % all.length] as Fault
  }
}
