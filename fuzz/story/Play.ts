import { Effect, Option } from "effect"
import type { finder } from "../document/Operations.ts"
import type { AccessLaw } from "../law/Access.ts"
import type { Coverage } from "../law/Coverage.ts"
import type { Broken, Exchange } from "../law/Exchange.ts"
import { formFaults } from "../law/Form.ts"
import type { PromisesLaw } from "../law/Promises.ts"
import { unchangedFaults, type Watch } from "../law/Unchanged.ts"
import type { HttpRequest } from "../request/HttpRequest.ts"
import type { Send } from "../request/Line.ts"
import type { Prepared } from "../request/Prepared.ts"
import type { Caller, Callers } from "../world/Callers.ts"
import { learn, type Memory } from "../world/Memory.ts"
import { prepare, type Step } from "./Step.ts"
import type { Story } from "./Stories.ts"

/** What stories are played on. */
export interface Stage extends Watch {
  readonly callers: Callers
  readonly send: Send
  readonly find: ReturnType<typeof finder>
  readonly access: AccessLaw
  readonly promises: PromisesLaw
  readonly coverage: Coverage
  /** An address that nobody has called from. */
  readonly freshAddress: () => string
}

/** An address that has no calls left. */
export const crowdedAddress = "192.0.2.1"

/** A request, and what became of it. */
export interface Told {
  readonly request: HttpRequest
  /** Null where there was none. */
  readonly answer: Exchange["answer"] | null
}

/** A story as far as it went: to its end, or to the first answer that breaks a law. */
export interface Played {
  readonly told: ReadonlyArray<Told>
  readonly broken: Option.Option<Broken>
  readonly memory: Memory
}

const unanswered: Broken = { law: "every request is answered", what: "there was no answer" }

const exchangeOf = (
  { face, rewrites }: Step,
  prepared: Prepared,
  caller: Caller,
  answer: Exchange["answer"],
  { find }: Stage
): Exchange => ({
  ...prepared,
  caller,
  face,
  plain: rewrites.length === 0,
  served: find(prepared.request.method, prepared.request.path),
  answer
})

const callerOf = ({ callers, freshAddress }: Stage, { caller, crowded }: Step): Caller => {
  const found = callers[caller]
  if (found === undefined) throw new Error(`there is no caller ${caller}`)
  const address = crowded ? crowdedAddress : freshAddress()
  return { ...found, headers: [["X-Forwarded-For", address], ...found.headers] }
}

const faultsOf = ({ access, promises }: Stage, exchange: Exchange): ReadonlyArray<Broken> => [
  ...formFaults(exchange),
  ...access.faults(exchange),
  ...promises.faults(exchange)
]

/** Makes a request, or two at once, and judges what it was answered. */
const playStep = Effect.fnUntraced(function* (stage: Stage, step: Step, memory: Memory) {
  const caller = callerOf(stage, step)
  const prepared = prepare(step, memory, caller.headers)
  const { request } = prepared
  const before = step.watched ? yield* stage.look : []
  const times = step.twice ? [request, request] : [request]
  const answers = yield* Effect.forEach(times, stage.send, { concurrency: "unbounded" })
  const told = answers.map((answer): Told => ({ request, answer }))
  const exchanges = answers.flatMap((answer) =>
    answer === null ? [] : [exchangeOf(step, prepared, caller, answer, stage)]
  )
  for (const exchange of exchanges) stage.coverage.count(exchange)
  const faults = exchanges.flatMap((exchange) => faultsOf(stage, exchange))
  const moved = step.watched ? unchangedFaults(exchanges, before, yield* stage.look) : []
  const missing = exchanges.length < answers.length ? [unanswered] : []
  const learnt = exchanges.reduce(
    (now, { answer, filled: [filled] }) => (step.face === "rest" ? learn(now, filled, request, answer) : now),
    memory
  )
  return { told, memory: learnt, broken: Option.fromUndefinedOr([...missing, ...faults, ...moved][0]) } satisfies Played
})

/** Plays a story, beginning with what is known. */
export const play = Effect.fnUntraced(function* (stage: Stage, story: Story, known: Memory) {
  let played: Played = { told: [], broken: Option.none(), memory: known }
  for (const step of story) {
    const { broken, memory, told } = yield* playStep(stage, step, played.memory)
    played = { told: [...played.told, ...told], broken, memory }
    if (Option.isSome(broken)) return played
  }
  return played
})
