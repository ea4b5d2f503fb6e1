import { Effect, Option } from "effect"
import fc from "fast-check"
import type { Coverage } from "../invariants/Coverage.ts"
import type { Violation } from "../invariants/Exchange.ts"
import { type AccessInvariant, type KeptResponsesInvariant, watchTables } from "../invariants/StateInvariants.ts"
import { type Operation, operationFinder } from "../request/Operations.ts"
import { playScenario, type ScenarioContext, type ScenarioResult, type SentRequest } from "../scenario/PlayScenario.ts"
import { type Scenario, scenarioGenerator } from "../scenario/ScenarioGenerator.ts"
import { simpleStep } from "../scenario/ScenarioStep.ts"
import { makeCallers } from "../service/Callers.ts"
import { type KnownFacts, noFacts } from "../service/KnownFacts.ts"
import type { Send } from "../service/ServiceUnderTest.ts"

/** Maximum number of runs of a failing scenario while it is shrunk. */
const attempts_max = 250

/** A violation, and the shortest known scenario that shows the violation. */
export interface Counterexample {
  readonly broken: Violation
  readonly sent: ReadonlyArray<SentRequest>
  /** Number of requests of the scenario before shrinking. */
  readonly foundIn: number
}

/** A sequence of scenarios with its own companies, callers and known facts. Lanes run concurrently. */
export interface Lane {
  readonly context: ScenarioContext
  readonly scenario: fc.Arbitrary<Scenario>
  readonly seedOf: (scenario: number) => number
  memory: KnownFacts
  scenarios: number
  requests: number
}

/** State that all lanes share. */
export interface SharedContext {
  readonly operations: ReadonlyArray<Operation>
  readonly seed: number
  readonly send: Send
  readonly coverage: Coverage
  readonly access: AccessInvariant
  readonly keptResponses: KeptResponsesInvariant
  readonly freshAddress: () => string
}

/** Derives the seed of a scenario from the seed of the run, the index of the lane and the index of the scenario. */
const seedsFrom = (seed: number, index: number) => (scenario: number) =>
  (seed ^ Math.imul(index + 1, 0x85ebca6b) ^ Math.imul(scenario + 1, 0x9e3779b1)) | 0

/** Opens a lane and lets it read the catalogue. */
export const openLane = Effect.fnUntraced(function* (common: SharedContext, index: number) {
  const { operations, seed } = common
  const callers = yield* makeCallers(`F${seed}-${index}`)
  const companies = new Set(Object.values(callers).flatMap(({ companyId }) => companyId ?? []))
  const watch = yield* watchTables([...companies])
  const context: ScenarioContext = { ...common, ...watch, callers, find: operationFinder(operations) }
  const catalogue = operations.filter(({ name }) => name === "catalogoServicios").slice(0, 1)
  const opening = catalogue.map((operation) => simpleStep(operation, "main"))
  const { broken, memory, sent } = yield* playScenario(context, opening, noFacts)
  if (Option.isSome(broken)) return yield* Effect.fail<Counterexample>({ broken: broken.value, sent, foundIn: 1 })
  const scenario = scenarioGenerator(operations, Object.keys(callers))
  const lane: Lane = { context, scenario, seedOf: seedsFrom(seed, index), memory, scenarios: 0, requests: 0 }
  return lane
})

/**
 * Runs the next scenario of a lane, and shrinks the scenario if it violates an invariant.
 *
 * @returns the number of requests sent.
 */
export const runScenario = Effect.fnUntraced(function* (lane: Lane) {
  const { memory, seedOf, context, scenario } = lane
  const services = yield* Effect.context()
  const found: Array<ScenarioResult> = []
  let last: ScenarioResult = { sent: [], broken: Option.none(), memory }
  let attempts = 0
  const holds = (signal: AbortSignal) =>
    fc.asyncProperty(scenario, async (sent) => {
      attempts += 1
      if (attempts > attempts_max) return true
      last = await Effect.runPromiseWith(services)(playScenario(context, sent, memory), { signal })
      if (Option.isSome(last.broken)) found.push(last)
      return Option.isNone(last.broken)
    })
  yield* Effect.promise((signal) => fc.check(holds(signal), { seed: seedOf(lane.scenarios), numRuns: 1 }))
  lane.scenarios += 1
  const [first] = found
  const shortest = found.at(-1)
  if (first !== undefined && shortest !== undefined && Option.isSome(shortest.broken)) {
    const { broken, sent } = shortest
    return yield* Effect.fail<Counterexample>({ broken: broken.value, sent, foundIn: first.sent.length })
  }
  lane.memory = last.memory
  lane.requests += last.sent.length
  return last.sent.length
})
