import { Effect, Option } from "effect"
import type { Coverage } from "../invariants/Coverage.ts"
import type { Exchange, Violation } from "../invariants/Exchange.ts"
import { formFaults } from "../invariants/ResponseForm.ts"
import {
  type AccessInvariant,
  type KeptAnswersInvariant,
  type TableWatch,
  unchangedFaults
} from "../invariants/StateInvariants.ts"
import type { HttpRequest } from "../request/HttpRequest.ts"
import type { PreparedRequest } from "../request/OperationCall.ts"
import type { operationFinder } from "../request/Operations.ts"
import type { Caller, Callers } from "../service/Callers.ts"
import { type KnownFacts, learnFromAnswer } from "../service/KnownFacts.ts"
import type { Send } from "../service/ServiceUnderTest.ts"
import type { Scenario } from "./ScenarioGenerator.ts"
import { prepareRequest, type ScenarioStep } from "./ScenarioStep.ts"

/** What stories are played on. */
export interface ScenarioContext extends TableWatch {
  readonly callers: Callers
  readonly send: Send
  readonly find: ReturnType<typeof operationFinder>
  readonly access: AccessInvariant
  readonly promises: KeptAnswersInvariant
  readonly coverage: Coverage
  /** An address that nobody has called from. */
  readonly freshAddress: () => string
}

/** An address that has no calls left. */
export const crowdedAddress = "192.0.2.1"

/** A request, and what became of it. */
export interface SentRequest {
  readonly request: HttpRequest
  /** Null where there was none. */
  readonly answer: Exchange["answer"] | null
}

/** A story as far as it went: to its end, or to the first answer that breaks a law. */
export interface ScenarioResult {
  readonly told: ReadonlyArray<SentRequest>
  readonly broken: Option.Option<Violation>
  readonly memory: KnownFacts
}

const unanswered: Violation = { law: "every request is answered", what: "there was no answer" }

const exchangeOf = (
  { face, rewrites }: ScenarioStep,
  prepared: PreparedRequest,
  caller: Caller,
  answer: Exchange["answer"],
  { find }: ScenarioContext
): Exchange => ({
  ...prepared,
  caller,
  face,
  plain: rewrites.length === 0,
  served: find(prepared.request.method, prepared.request.path),
  answer
})

const callerOf = ({ callers, freshAddress }: ScenarioContext, { caller, crowded }: ScenarioStep): Caller => {
  const found = callers[caller]
  if (found === undefined) throw new Error(`there is no caller ${caller}`)
  const address = crowded ? crowdedAddress : freshAddress()
  return { ...found, headers: [["X-Forwarded-For", address], ...found.headers] }
}

const faultsOf = ({ access, promises }: ScenarioContext, exchange: Exchange): ReadonlyArray<Violation> => [
  ...formFaults(exchange),
  ...access.faults(exchange),
  ...promises.faults(exchange)
]

/** Makes a request, or two at once, and judges what it was answered. */
const playStep = Effect.fnUntraced(function* (stage: ScenarioContext, step: ScenarioStep, memory: KnownFacts) {
  const caller = callerOf(stage, step)
  const prepared = prepareRequest(step, memory, caller.headers)
  const { request } = prepared
  const before = step.watched ? yield* stage.look : []
  const times = step.twice ? [request, request] : [request]
  const answers = yield* Effect.forEach(times, stage.send, { concurrency: "unbounded" })
  const told = answers.map((answer): SentRequest => ({ request, answer }))
  const exchanges = answers.flatMap((answer) =>
    answer === null ? [] : [exchangeOf(step, prepared, caller, answer, stage)]
  )
  for (const exchange of exchanges) stage.coverage.count(exchange)
  const faults = exchanges.flatMap((exchange) => faultsOf(stage, exchange))
  const moved = step.watched ? unchangedFaults(exchanges, before, yield* stage.look) : []
  const missing = exchanges.length < answers.length ? [unanswered] : []
  const learnt = exchanges.reduce(
    (now, { answer, filled: [filled] }) => (step.face === "rest" ? learnFromAnswer(now, filled, request, answer) : now),
    memory
  )
  return {
    told,
    memory: learnt,
    broken: Option.fromUndefinedOr([...missing, ...faults, ...moved][0])
  } satisfies ScenarioResult
})

/** Plays a story, beginning with what is known. */
export const playScenario = Effect.fnUntraced(function* (stage: ScenarioContext, story: Scenario, known: KnownFacts) {
  let played: ScenarioResult = { told: [], broken: Option.none(), memory: known }
  for (const step of story) {
    const { broken, memory, told } = yield* playStep(stage, step, played.memory)
    played = { told: [...played.told, ...told], broken, memory }
    if (Option.isSome(broken)) return played
  }
  return played
})
