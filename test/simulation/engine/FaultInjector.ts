import { hash32, SeededRandom } from "../../support/SeededRandom.ts"
import {
  allFaults,
  type Fault,
  type FaultAtStep,
  faultAtStep,
  faultsOf,
  stepFactsOf,
  type WorkflowStep
} from "./Faults.ts"

/** The steps at which the faults of a run concentrate. */
export interface RunFocus {
  /** The steps that fail often. */
  readonly steps: ReadonlyArray<WorkflowStep>
  /** The kind of operation that reaches these steps. */
  readonly by:
    | "sell"
    | "spend"
    | "spend at midnight"
    | "buy"
    | "insure"
    | "reverse"
    | "resolve"
    | "resolve reversal"
    | "operate"
    | "close"
  /**
   * An earlier step and the faults that hit it. Without these faults, the run would not reach the steps of
   * the focus.
   */
  readonly lead?: { readonly step: WorkflowStep; readonly faults: ReadonlyArray<Fault> }
}

const doubtfulAnswers: ReadonlyArray<Fault> = ["late decision", "lost response", "duplicate"]
const sold = { step: "sale: dispatch", faults: doubtfulAnswers } as const
const issued = { step: "sale: issue", faults: doubtfulAnswers } as const
const reversed = { step: "reversal: reverse", faults: doubtfulAnswers } as const
const wrongClocks = { step: "sale: reserve", faults: ["clock ahead", "clock back"] } as const
const stuck = { step: "sale: dispatch", faults: ["late decision"] } as const
const stuckReversal = { step: "reversal: reverse", faults: ["late decision"] } as const

/** Steps that many operations reach. */
const frequentFocuses: ReadonlyArray<RunFocus> = [
  { steps: ["sale: reserve", "sale: settle"], by: "spend" },
  { steps: ["sale: settle"], by: "spend at midnight", lead: wrongClocks },
  { steps: ["sale: dispatch", "recovery: ask"], by: "sell" },
  { steps: ["recovery: claim sales", "recovery: settle"], by: "sell", lead: sold },
  { steps: ["insurance: inspect", "insurance: plans"], by: "insure" },
  { steps: ["insurance: create", "insurance: resend"], by: "insure" },
  { steps: ["insurance: attempt"], by: "insure" },
  { steps: ["insurance: quote"], by: "insure" },
  { steps: ["insurance: advance"], by: "insure" },
  { steps: ["messages: claim", "messages: send", "messages: record"], by: "insure" },
  { steps: ["deliveries: claim", "deliveries: send", "deliveries: record"], by: "sell" },
  { steps: ["lookup: ask"], by: "buy" },
  { steps: ["lookup: store"], by: "buy" },
  { steps: ["operator: deposit"], by: "operate" },
  { steps: ["operator: propose funding"], by: "operate" },
  { steps: ["operator: confirm funding"], by: "operate" },
  { steps: ["sandbox: adjust"], by: "operate" },
  { steps: ["operator: configure"], by: "operate" },
  { steps: ["closings: end"], by: "close" },
  { steps: ["closings: add"], by: "close" }
]

/** Steps that few operations reach. More runs therefore focus on these steps. */
const rareFocuses: ReadonlyArray<RunFocus> = [
  { steps: ["operator: reject funding"], by: "operate" },
  { steps: ["sale: begin issue"], by: "insure" },
  { steps: ["sale: issue"], by: "insure" },
  { steps: ["recovery: ask insurer"], by: "insure", lead: issued },
  { steps: ["reversal: begin"], by: "reverse" },
  { steps: ["reversal: reverse"], by: "reverse" },
  { steps: ["reversal: settle reversal"], by: "reverse" },
  { steps: ["recovery: claim reversals", "recovery: ask reversal"], by: "reverse", lead: reversed },
  { steps: ["recovery: settle reversal"], by: "reverse", lead: reversed },
  { steps: ["operator: propose"], by: "resolve", lead: stuck },
  {
    steps: ["operator: ask reversal", "operator: confirm reversal", "operator: settle reversal"],
    by: "resolve reversal",
    lead: stuckReversal
  }
]

/**
 * Steps that run when operators resolve sales or reversals that no supplier answers for 15 minutes. Few operations of a
 * run reach these steps.
 */
const rarestFocuses: ReadonlyArray<RunFocus> = [
  { steps: ["operator: ask"], by: "resolve", lead: stuck },
  { steps: ["operator: confirm"], by: "resolve", lead: stuck },
  { steps: ["operator: settle"], by: "resolve", lead: stuck },
  { steps: ["operator: propose reversal", "operator: confirm reversal"], by: "resolve reversal", lead: stuckReversal },
  { steps: ["operator: ask reversal", "operator: settle reversal"], by: "resolve reversal", lead: stuckReversal }
]

/** The questions about settled sales. All runs reach them often. */
const followUpFocus: RunFocus = {
  steps: ["follow-up: claim check", "follow-up: ask", "follow-up: ask insurer", "follow-up: finish check"],
  by: "insure"
}

/**
 * Whether other steps may fail only rarely in this run, because otherwise the run would not reach its focus often
 * enough.
 */
const isRarelyReached = (focus: RunFocus): boolean => rareFocuses.includes(focus) || rarestFocuses.includes(focus)

/** Whether the focus is sales or reversals that stay stuck until operators resolve them. */
export const isAboutStuck = ({ by }: RunFocus): boolean => by === "resolve" || by === "resolve reversal"

const focusRotation = [
  ...frequentFocuses,
  ...rareFocuses,
  ...rarestFocuses,
  ...rareFocuses,
  ...rarestFocuses,
  ...rarestFocuses,
  followUpFocus
]

/** The focus of a seed. Any 58 consecutive seeds include every focus. */
export const focusOf = (seed: number): RunFocus => focusRotation[seed % focusRotation.length] as RunFocus

/** Probability of a fault at a step of the focus, and at the earlier step that leads to it. */
const focusedRate = 0.65
const leadRate = 0.75

/**
 * Maximum number of faults at the steps of the focus. A step that is retried until it succeeds could otherwise fail tens
 * of thousands of times in a run.
 */
const focusedFaults_max = 1_000

/** Possible probabilities of a fault at any other step. Each run uses one of them. */
const otherRates = [0, 0.01, 0.04, 0.1]

/**
 * Possible probabilities of a fault between the driver and Postgres. The adapter retries after these faults, so
 * workflows do not notice them.
 */
const wireRates = [0, 0.1, 0.3]

/** Where a fault happens: the step, its subject and the number of the call, as in `sale: settle RD-… #2`. */
export type FaultPlace = string

/** The faults of a run, by place. Another run can repeat exactly these faults. */
export type FaultScript = ReadonlyMap<FaultPlace, Fault>

/**
 * Injects faults. Either the seed decides which faults happen and where, or a script repeats the faults of an earlier
 * run.
 */
export class FaultInjector {
  /** Whether fault injection has stopped. */
  stopped = false
  readonly hits = new Map<FaultAtStep, number>()
  readonly happened = new Map<FaultPlace, Fault>()
  private readonly times = new Map<string, number>()
  private readonly turns = new Map<WorkflowStep, number>()
  private focusedFaults = 0
  private readonly focus: RunFocus
  private readonly rate: number
  private readonly wireRate: number
  private readonly known: ReadonlySet<Fault>
  private readonly seed: number
  private readonly script: FaultScript | null

  constructor(seed: number, script: FaultScript | null) {
    const chance = new SeededRandom(seed, "mishaps")
    this.seed = seed
    this.script = script
    this.focus = focusOf(seed)
    this.rate = isRarelyReached(this.focus) ? Math.min(...otherRates.slice(1)) : chance.pick(otherRates)
    // Each run uses a random 60 % of the faults, because some bugs show only when another fault is absent.
    this.known = new Set(allFaults.filter(() => chance.happens(0.6)))
    this.wireRate = chance.pick(wireRates)
  }

  at(step: WorkflowStep, subject: string): Fault | null {
    if (this.stopped) return null
    const place = this.placeOf(step, subject)
    const fault = this.script === null ? this.drawn(step, place) : (this.script.get(place) ?? null)
    if (fault === null) return null
    const cell = faultAtStep(step, fault)
    this.happened.set(place, fault)
    this.hits.set(cell, (this.hits.get(cell) ?? 0) + 1)
    return fault
  }

  /** Random numbers for the latest call at this step about this subject. */
  chance(step: WorkflowStep, subject: string): SeededRandom {
    return new SeededRandom(this.seed, `${step} ${subject} #${this.times.get(`${step} ${subject}`)}`)
  }

  private placeOf(step: WorkflowStep, subject: string): FaultPlace {
    const about = `${step} ${subject}`
    const time = (this.times.get(about) ?? 0) + 1
    this.times.set(about, time)
    return `${about} #${time}`
  }

  private drawn(step: WorkflowStep, place: FaultPlace): Fault | null {
    const chance = new SeededRandom(this.seed, `at ${place}`)
    const { lead, steps } = this.focus
    if (steps.includes(step) && this.focusedFaults < focusedFaults_max)
      return chance.happens(focusedRate) ? this.next(step) : null
    if (lead?.step === step && chance.happens(leadRate)) return chance.pick(lead.faults)
    if (!chance.happens(stepFactsOf(step).kind === "wire" ? this.wireRate : this.rate)) return null
    const fault = chance.pick(faultsOf(step))
    return this.known.has(fault) ? fault : null
  }

  /** The next possible fault of a step, in rotation, so that every fault happens regularly. */
  private next(step: WorkflowStep): Fault {
    const all = faultsOf(step)
    const turn = this.turns.get(step) ?? hash32(step, this.seed)
    this.turns.set(step, turn + 1)
    this.focusedFaults += 1
    return all[turn % all.length] as Fault
  }
}
