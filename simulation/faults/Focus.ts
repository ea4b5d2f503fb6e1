import type { Fault } from "./Fault.ts"
import type { Step } from "./Step.ts"

/** Something that a run may be about. */
export interface Focus {
  /** The steps that fail again and again. */
  readonly steps: ReadonlyArray<Step>
  /** The kind of operation that leads there. */
  readonly by: "sell" | "spend" | "buy" | "insure" | "reverse" | "resolve" | "resolve reversal" | "operate"
  /** What has to go wrong before, so that the run comes to these steps at all. */
  readonly lead?: { readonly step: Step; readonly faults: ReadonlyArray<Fault> }
}

const doubt: ReadonlyArray<Fault> = ["late", "lost answer", "duplicate"]
const sold = { step: "sale: dispatch", faults: doubt } as const
const issued = { step: "sale: issue", faults: doubt } as const
const reversed = { step: "reversal: reverse", faults: doubt } as const
const stuck = { step: "sale: dispatch", faults: ["late"] } as const
const stuckReversal = { step: "reversal: reverse", faults: ["late"] } as const

/** Steps to which many calls lead. */
const often: ReadonlyArray<Focus> = [
  { steps: ["sale: reserve", "sale: settle"], by: "spend" },
  { steps: ["sale: dispatch", "recovery: ask"], by: "sell" },
  { steps: ["recovery: claim sales", "recovery: settle"], by: "sell", lead: sold },
  { steps: ["insurance: inspect", "insurance: plans"], by: "insure" },
  { steps: ["insurance: create", "insurance: resend"], by: "insure" },
  { steps: ["insurance: attempt"], by: "insure" },
  { steps: ["insurance: quote"], by: "insure" },
  { steps: ["insurance: advance"], by: "insure" },
  { steps: ["messages: claim", "messages: send", "messages: record"], by: "insure" },
  { steps: ["lookup: ask"], by: "buy" },
  { steps: ["lookup: store"], by: "buy" },
  { steps: ["operator: deposit"], by: "operate" },
  { steps: ["sandbox: adjust"], by: "operate" },
  { steps: ["operator: configure"], by: "operate" }
]

/** Steps to which few do, so that more runs have to be about them. */
const seldom: ReadonlyArray<Focus> = [
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

/** Steps that an operator takes with what has been stuck for long: few of a run's operations get there. */
const seldomest: ReadonlyArray<Focus> = [
  { steps: ["operator: ask"], by: "resolve", lead: stuck },
  { steps: ["operator: confirm"], by: "resolve", lead: stuck },
  { steps: ["operator: settle"], by: "resolve", lead: stuck },
  { steps: ["operator: propose reversal", "operator: confirm reversal"], by: "resolve reversal", lead: stuckReversal },
  { steps: ["operator: ask reversal", "operator: settle reversal"], by: "resolve reversal", lead: stuckReversal }
]

/** Whether a run has to go well otherwise, so that it comes to its steps often enough. */
export const isSeldom = (focus: Focus): boolean => seldom.includes(focus) || seldomest.includes(focus)

/** Whether a run is about what stays stuck for so long that operators end it. */
export const isAboutStuck = ({ by }: Focus): boolean => by === "resolve" || by === "resolve reversal"

const turns = [...often, ...seldom, ...seldomest, ...seldom, ...seldomest, ...seldomest]

/** What a seed is about. Everything has its turn within fifty seeds. */
export const focusOf = (seed: number): Focus => turns[seed % turns.length] as Focus
