import { Effect, Option } from "effect"
import type { Coverage } from "../invariants/Coverage.ts"
import type { Exchange, Violation } from "../invariants/Exchange.ts"
import { formFaults } from "../invariants/ResponseForm.ts"
import {
  type AccessInvariant,
  type KeptResponsesInvariant,
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

/** The service, the callers and the invariants of a scenario. */
export interface ScenarioContext extends TableWatch {
  readonly callers: Callers
  readonly send: Send
  readonly find: ReturnType<typeof operationFinder>
  readonly access: AccessInvariant
  readonly keptResponses: KeptResponsesInvariant
  readonly coverage: Coverage
  /** Returns an IP address that has not called the service before. */
  readonly freshAddress: () => string
}

/** IP address whose rate limit is exhausted. */
export const crowdedAddress = "192.0.2.1"

/** A request that was sent, and its response. */
export interface SentRequest {
  readonly request: HttpRequest
  /** Null if there was no response. */
  readonly answer: Exchange["answer"] | null
}

/** The requests of a scenario up to its end or to the first violation. */
export interface ScenarioResult {
  readonly sent: ReadonlyArray<SentRequest>
  readonly broken: Option.Option<Violation>
  readonly memory: KnownFacts
}

const unanswered: Violation = { invariant: "every request gets a response", what: "there was no response" }

const exchangeOf = (
  { protocol, rewrites }: ScenarioStep,
  prepared: PreparedRequest,
  caller: Caller,
  answer: Exchange["answer"],
  { find }: ScenarioContext
): Exchange => ({
  ...prepared,
  caller,
  protocol,
  plain: rewrites.length === 0,
  served: find(prepared.request.method, prepared.request.path),
  answer
})

const callerOf = ({ callers, freshAddress }: ScenarioContext, { caller, crowded }: ScenarioStep): Caller => {
  const found = callers[caller]
  if (found === undefined) throw new Error(`unknown caller ${caller}`)
  const address = crowded ? crowdedAddress : freshAddress()
  return { ...found, headers: [["X-Forwarded-For", address], ...found.headers] }
}

const faultsOf = ({ access, keptResponses }: ScenarioContext, exchange: Exchange): ReadonlyArray<Violation> => [
  ...formFaults(exchange),
  ...access.faults(exchange),
  ...keptResponses.faults(exchange)
]

/** Sends the request of a step, or two copies of it at the same time, and checks the responses. */
const playStep = Effect.fnUntraced(function* (context: ScenarioContext, step: ScenarioStep, memory: KnownFacts) {
  const caller = callerOf(context, step)
  const prepared = prepareRequest(step, memory, caller.headers)
  const { request } = prepared
  const before = step.watched ? yield* context.look : []
  const times = step.twice ? [request, request] : [request]
  const answers = yield* Effect.forEach(times, context.send, { concurrency: "unbounded" })
  const sent = answers.map((answer): SentRequest => ({ request, answer }))
  const exchanges = answers.flatMap((answer) =>
    answer === null ? [] : [exchangeOf(step, prepared, caller, answer, context)]
  )
  for (const exchange of exchanges) context.coverage.count(exchange)
  const faults = exchanges.flatMap((exchange) => faultsOf(context, exchange))
  const moved = step.watched ? unchangedFaults(exchanges, before, yield* context.look) : []
  const missing = exchanges.length < answers.length ? [unanswered] : []
  const learnt = exchanges.reduce(
    (now, { answer, filled: [filled] }) =>
      step.protocol === "rest" ? learnFromAnswer(now, filled, request, answer) : now,
    memory
  )
  return {
    sent,
    memory: learnt,
    broken: Option.fromUndefinedOr([...missing, ...faults, ...moved][0])
  } satisfies ScenarioResult
})

/** Plays a scenario that starts with these known facts. */
export const playScenario = Effect.fnUntraced(function* (
  context: ScenarioContext,
  scenario: Scenario,
  known: KnownFacts
) {
  let played: ScenarioResult = { sent: [], broken: Option.none(), memory: known }
  for (const step of scenario) {
    const { broken, memory, sent } = yield* playStep(context, step, played.memory)
    played = { sent: [...played.sent, ...sent], broken, memory }
    if (Option.isSome(broken)) return played
  }
  return played
})
