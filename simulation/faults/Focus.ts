import type { Fault } from "./Fault.ts"
import type { Step } from "./Step.ts"

/** The steps at which the faults of a run concentrate. */
export interface Focus {
  /** The steps that fail often. */
  readonly steps: ReadonlyArray<Step>
  /** The kind of operation that reaches these steps. */
  readonly by: "sell" | "spend" | "buy" | "insure" | "reverse" | "resolve" | "resolve reversal" | "operate"
  /** The earlier step that must fail so that the run reaches the focus, and with which faults. */
  readonly lead?: { readonly step: Step; readonly faults: ReadonlyArray<Fault> }
}

const doubt: ReadonlyArray<Fault> = ["late", "lost answer", "duplicate"]
const sold = { step: "sale: dispatch", faults: doubt } as const
const issued = { step: "sale: issue", faults: doubt } as const
const reversed = { step: "reversal: reverse", faults: doubt } as const
const stuck = { step: "sale: dispatch", faults: ["late"] } as const
const stuckReversal = { step: "reversal: reverse", faults: ["late"] } as const

/** Steps that many operations reach. */
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

/** Steps that few operations reach. More runs therefore focus on them. */
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

/** Steps of operators who resolve long-stuck sales or reversals. Few operations of a run reach them. */
const seldomest: ReadonlyArray<Focus> = [
  { steps: ["operator: ask"], by: "resolve", lead: stuck },
  { steps: ["operator: confirm"], by: "resolve", lead: stuck },
  { steps: ["operator: settle"], by: "resolve", lead: stuck },
  { steps: ["operator: propose reversal", "operator: confirm reversal"], by: "resolve reversal", lead: stuckReversal },
  { steps: ["operator: ask reversal", "operator: settle reversal"], by: "resolve reversal", lead: stuckReversal }
]

/** Whether other steps must rarely fail in this run, so that it reaches its focus often enough. */
export const isSeldom = (focus: Focus): boolean => seldom.includes(focus) || seldomest.includes(focus)

/** Whether the run is about sales or reversals that stay stuck until operators resolve them. */
export const isAboutStuck = ({ by }: Focus): boolean => by === "resolve" || by === "resolve reversal"

const turns = [...often, ...seldom, ...seldomest, ...seldom, ...seldomest, ...seldomest]

/** The focus of a seed. Any fifty consecutive seeds include every focus. */
export const focusOf = (seed: number): Focus => turns[seed % turns.length] as Focus
