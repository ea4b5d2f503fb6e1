import { Effect, Option } from "effect"
import fc from "fast-check"
import type { Coverage } from "../invariants/Coverage.ts"
import type { Violation } from "../invariants/Exchange.ts"
import { type AccessInvariant, type KeptAnswersInvariant, watchTables } from "../invariants/StateInvariants.ts"
import { type Operation, operationFinder } from "../request/Operations.ts"
import { playScenario, type ScenarioContext, type ScenarioResult, type SentRequest } from "../scenario/PlayScenario.ts"
import { type Scenario, scenarioGenerator } from "../scenario/ScenarioGenerator.ts"
import { simpleStep } from "../scenario/ScenarioStep.ts"
import { makeCallers } from "../service/Callers.ts"
import { type KnownFacts, noFacts } from "../service/KnownFacts.ts"
import type { Send } from "../service/ServiceUnderTest.ts"

/** How often a story that broke a law is told again, ever shorter. */
const attempts_max = 250

/** A law was broken by this story, which is as short as it could be made. */
export interface Counterexample {
  readonly broken: Violation
  readonly told: ReadonlyArray<SentRequest>
  /** How many requests it had when it was found. */
  readonly foundIn: number
}

/** Companies and callers of their own, and what is known of them: requests of a lane go one after the other. */
export interface Lane {
  readonly stage: ScenarioContext
  readonly story: fc.Arbitrary<Scenario>
  readonly seedOf: (story: number) => number
  memory: KnownFacts
  stories: number
  requests: number
}

/** What all lanes share. */
export interface SharedContext {
  readonly operations: ReadonlyArray<Operation>
  readonly seed: number
  readonly send: Send
  readonly coverage: Coverage
  readonly access: AccessInvariant
  readonly promises: KeptAnswersInvariant
  readonly freshAddress: () => string
}

/** Far apart for any two stories of any two lanes. */
const seedsFrom = (seed: number, index: number) => (story: number) =>
  (seed ^ Math.imul(index + 1, 0x85ebca6b) ^ Math.imul(story + 1, 0x9e3779b1)) | 0

/** A lane that knows the catalogue. */
export const openLane = Effect.fnUntraced(function* (common: SharedContext, index: number) {
  const { operations, seed } = common
  const callers = yield* makeCallers(`F${seed}-${index}`)
  const companies = new Set(Object.values(callers).flatMap(({ companyId }) => companyId ?? []))
  const watch = yield* watchTables([...companies])
  const stage: ScenarioContext = { ...common, ...watch, callers, find: operationFinder(operations) }
  const catalogue = operations.filter(({ name }) => name === "catalogoServicios").slice(0, 1)
  const opening = catalogue.map((operation) => simpleStep(operation, "main"))
  const { broken, memory, told } = yield* playScenario(stage, opening, noFacts)
  if (Option.isSome(broken)) return yield* Effect.fail<Counterexample>({ broken: broken.value, told, foundIn: 1 })
  const story = scenarioGenerator(operations, Object.keys(callers))
  const lane: Lane = { stage, story, seedOf: seedsFrom(seed, index), memory, stories: 0, requests: 0 }
  return lane
})

/**
 * Tells one more story; one that breaks a law is told again until it is as short as can be.
 *
 * @returns how many requests it took.
 */
export const runScenario = Effect.fnUntraced(function* (lane: Lane) {
  const { memory, seedOf, stage, story } = lane
  const services = yield* Effect.context()
  const found: Array<ScenarioResult> = []
  let last: ScenarioResult = { told: [], broken: Option.none(), memory }
  let attempts = 0
  const holds = (signal: AbortSignal) =>
    fc.asyncProperty(story, async (told) => {
      attempts += 1
      if (attempts > attempts_max) return true
      last = await Effect.runPromiseWith(services)(playScenario(stage, told, memory), { signal })
      if (Option.isSome(last.broken)) found.push(last)
      return Option.isNone(last.broken)
    })
  yield* Effect.promise((signal) => fc.check(holds(signal), { seed: seedOf(lane.stories), numRuns: 1 }))
  lane.stories += 1
  const [first] = found
  const shortest = found.at(-1)
  if (first !== undefined && shortest !== undefined && Option.isSome(shortest.broken)) {
    const { broken, told } = shortest
    return yield* Effect.fail<Counterexample>({ broken: broken.value, told, foundIn: first.told.length })
  }
  lane.memory = last.memory
  lane.requests += last.told.length
  return last.told.length
})
