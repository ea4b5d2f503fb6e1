import { Struct } from "effect"
import { InsuranceState } from "../core/domain/InsuranceState.ts"
import { type InsuranceEvent, insuranceTransitions } from "../core/domain/InsuranceTransitions.ts"

/** Where the page is kept. */
export const pageFile = new URL("../docs/insurance.md", import.meta.url)

const states = InsuranceState.literals

const meanings: { readonly [_ in InsuranceState]: string } = {
  iniciada:
    "The insurer knows the vehicle and its owner. Nobody has confirmed yet that the SMS with the code went out.",
  otp_enviado: "The gateway has taken the SMS.",
  otp_validado: "The owner gave the code. A plan may be chosen.",
  plan_confirmado: "There is a plan, and no price for it.",
  cotizado: "There is a price, for half an hour. Once that is over it can be quoted again.",
  cobrando: "A sale has reserved its amount. The insurer has not been asked for the policy.",
  emitiendo:
    "The insurer was asked, or may have been, and has not answered for certain; or the sale came too late to ask, and is held for recovery. The amount stays held.",
  emitida: "There is a policy. The amount is charged.",
  fallida: "There is no policy. The amount went back."
}

interface Happening {
  /** Short enough for an arrow. */
  readonly words: string
  /** Whose doing it is. */
  readonly by: string
}

const happenings: { readonly [_ in InsuranceEvent]: Happening } = {
  code_sent: { words: "the SMS goes out", by: "the start, a resend, or the outbox later" },
  code_resent: { words: "another code is asked for", by: "POST /v1/seguros/{id}/otp" },
  code_verified: { words: "the code is right", by: "POST /v1/seguros/{id}/otp/verificar" },
  plans_read: { words: "the plans are read", by: "GET /v1/seguros/{id}/planes" },
  plan_chosen: { words: "a plan is chosen", by: "POST /v1/seguros/{id}/plan" },
  quoted: { words: "a price is quoted", by: "POST /v1/seguros/{id}/cotizar" },
  claimed: { words: "a sale reserves its amount", by: "POST /v1/recargas, in the transaction of the reservation" },
  issuing: { words: "the insurer is about to be asked", by: "the sale, before it asks" },
  held: { words: "the answer is unknown", by: "the sale, or recovery" },
  issued: { words: "the policy is issued", by: "the sale, recovery, or two operators" },
  refused: { words: "the insurer refuses", by: "the sale, recovery, or two operators" },
  freed: { words: "the insurer was surely not reached", by: "the sale" }
}

const events = Struct.keys(insuranceTransitions)

const after = (state: InsuranceState, event: InsuranceEvent): InsuranceState | undefined => {
  const row: { readonly [From in InsuranceState]?: InsuranceState } = insuranceTransitions[event]
  return row[state]
}

interface Arrow {
  readonly from: InsuranceState
  readonly to: InsuranceState
  readonly events: ReadonlyArray<InsuranceEvent>
}

/** From each state to each other one, by whatever leads there. */
const arrows: ReadonlyArray<Arrow> = states.flatMap((from) =>
  states
    .filter((to) => to !== from)
    .map((to) => ({ from, to, events: events.filter((event) => after(from, event) === to) }))
    .filter((arrow) => arrow.events.length > 0)
)

const diagram = (): ReadonlyArray<string> => {
  const first = states.filter((state) => !arrows.some(({ to }) => to === state))
  const last = states.filter((state) => !arrows.some(({ from }) => from === state))
  return [
    "stateDiagram-v2",
    ...first.map((state) => `  [*] --> ${state}`),
    ...arrows.map(
      ({ events, from, to }) => `  ${from} --> ${to}: ${events.map((event) => happenings[event].words).join(", or ")}`
    ),
    ...last.map((state) => `  ${state} --> [*]`)
  ]
}

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`)

const cell = (state: InsuranceState, event: InsuranceEvent): string => {
  const next = after(state, event)
  if (next === undefined) return "—"
  return next === state ? "stays" : `→ ${next}`
}

/** The states of an insurance for a reader, made of the table that the code runs by. */
export const insurancePage = (): string =>
  [
    "# The states of an insurance",
    "",
    "<!-- Made by `npm run docs:insurance` of core/domain/InsuranceTransitions.ts. Change that, not this. -->",
    "",
    "An insurance begins when an insurer has recognized a plate and its owner. Its buyer then takes it step by step to a",
    "price, and a sale takes it from the price to a policy. Section 3.3 of the [contract](contract.md) is this page.",
    "",
    "Three things are worth knowing before reading on:",
    "",
    "- Up to `cotizado` no money moves. From there on, what moves the money moves the state in the same transaction of the",
    "  database, so a policy without its charge cannot be, nor a charge without its policy.",
    "- Only one sale gets from `cotizado` to `cobrando`. The others hear SEGURO_YA_VENDIDO.",
    "- `emitiendo` is a doubt, and a doubt is held: the amount is neither charged nor returned until the insurer answers for",
    "  certain. The insurer is asked for a policy once; afterwards it is only asked about it.",
    "",
    "```mermaid",
    ...diagram(),
    "```",
    "",
    "## What each state means",
    "",
    ...table(
      ["State", "Meaning"],
      states.map((state) => [`\`${state}\``, meanings[state]])
    ),
    "",
    "## What can happen",
    "",
    ...table(
      ["Event", "In words", "By"],
      events.map((event) => [`\`${event}\``, happenings[event].words, happenings[event].by])
    ),
    "",
    "## Which event makes what of which state",
    "",
    "`stays` is an event that is in order and leaves the state as it is. — is an event that is out of order: it changes",
    "nothing. A step of the buyer then hears SEGURO_PASO_INVALIDO with the state, and a sale hears SEGURO_SIN_COTIZAR before",
    "`cotizado` and SEGURO_YA_VENDIDO after it. The database refuses every change of state that has no arrow above.",
    "",
    ...table(
      ["", ...states.map((state) => `\`${state}\``)],
      events.map((event) => [`\`${event}\``, ...states.map((state) => cell(state, event))])
    ),
    ""
  ].join("\n")
