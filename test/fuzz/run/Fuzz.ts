import { type Duration, Effect, Result } from "effect"
import { Audit } from "../../../core/ports/Audit.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { type Coverage, coverageOf, neverSucceeded } from "../invariants/Coverage.ts"
import type { Violation } from "../invariants/Exchange.ts"
import { accessInvariant, keptAnswersInvariant } from "../invariants/StateInvariants.ts"
import { getFrom } from "../request/HttpRequest.ts"
import { type OpenApiDocument, operationsOf } from "../request/Operations.ts"
import { crowdedAddress } from "../scenario/PlayScenario.ts"
import { addressCalls_max, HttpClient, type Send } from "../service/ServiceUnderTest.ts"
import { type Counterexample, type Lane, openLane, runScenario, type SharedContext } from "./Lane.ts"

const lanes_n = 6

/** After so many requests all begins anew, with other companies: what one look has to see stays small. */
const generation_max = 6_000

/** What passes between the parts of a generation: pending sales end, then quotes and options, then keys. */
const gaps: ReadonlyArray<Duration.Input> = ["20 seconds", "31 minutes", "25 hours"]

/** Counts requests that were made. */
export type Tick = (requests: number) => Effect.Effect<void>

/** Uses up the calls of an address, until the next minute. */
const exhaustAddress = (send: Send) =>
  Effect.replicateEffect(send(getFrom(crowdedAddress, "/v1/estado")), addressCalls_max, { discard: true })

/** Tells stories in a lane until it has made so many requests. */
const runScenariosUntil = Effect.fnUntraced(function* (lane: Lane, requests: number, tick: Tick) {
  while (lane.requests < requests) yield* tick(yield* runScenario(lane))
})

/** Makes so many requests by companies of their own, a part of them before each gap. */
const generation = Effect.fnUntraced(function* (common: SharedContext, number: number, requests: number, tick: Tick) {
  const { pass } = yield* ManualClock
  const lanes = yield* Effect.forEach(Array.from({ length: lanes_n }), (_, lane) =>
    openLane(common, number * lanes_n + lane)
  )
  const share = requests / (lanes_n * (gaps.length + 1))
  for (const [part, gap] of [null, ...gaps].entries()) {
    if (gap !== null) yield* Effect.andThen(pass(gap), recover("due"))
    yield* exhaustAddress(common.send)
    yield* Effect.forEach(lanes, (lane) => runScenariosUntil(lane, share * (part + 1), tick), {
      concurrency: "unbounded",
      discard: true
    })
  }
})

export interface FuzzPlan {
  readonly requests: number
  readonly seed: number
}

export interface FuzzOutcome {
  readonly requests: number
  readonly port: number
  readonly coverage: Coverage
  /** The first law that an answer broke, and by what. */
  readonly counterexample: Counterexample | null
  /** What did not hold when all was over. */
  readonly atTheEnd: ReadonlyArray<Violation>
}

/** In so many requests each operation must have done all right. */
export const thorough_min = 20_000

const fetchDocument = Effect.fnUntraced(function* (send: Send) {
  const answer = yield* send(getFrom("192.0.2.2", "/v1/openapi.json"))
  if (answer?.status !== 200) return yield* Effect.die(new Error(`the document was answered with ${answer?.status}`))
  return answer.body as OpenApiDocument
})

const addressSequence = () => {
  let used = 0
  return () => {
    used += 1
    return `10.${(used >> 16) & 255}.${(used >> 8) & 255}.${used & 255}`
  }
}

const auditViolations = Effect.gen(function* () {
  const { prove } = yield* Audit
  const examined = yield* prove
  return examined.flatMap(
    ({ invariant, offenders, violations }): ReadonlyArray<Violation> =>
      violations === 0 ? [] : [{ law: `audit: ${invariant}`, what: JSON.stringify(offenders) }]
  )
})

/**
 * Makes requests of the document of the service that runs here, until a law is broken or there were enough.
 *
 * @param onSent is told how many there were.
 */
export const fuzz = Effect.fnUntraced(function* ({ requests, seed }: FuzzPlan, onSent: Tick) {
  const { port, send } = yield* HttpClient
  const operations = operationsOf(yield* fetchDocument(send))
  const coverage = coverageOf(operations)
  const access = accessInvariant()
  const promises = keptAnswersInvariant()
  const common: SharedContext = { operations, seed, send, coverage, access, promises, freshAddress: addressSequence() }
  let sent = 0
  const tick: Tick = (more) =>
    Effect.suspend(() => {
      sent += more
      return onSent(sent)
    })
  const generations = Math.ceil(requests / generation_max)
  const all = Effect.forEach(
    Array.from({ length: generations }),
    (_, number) => generation(common, number, requests / generations, tick),
    { discard: true }
  )
  const result = yield* Effect.result(all)
  const counterexample = Result.isFailure(result) ? result.failure : null
  const wanting = requests >= thorough_min && counterexample === null ? neverSucceeded(coverage.doors()) : []
  const atTheEnd = [
    ...(yield* auditViolations),
    ...(yield* promises.atTheEnd),
    ...wanting.map((what): Violation => ({ law: "every operation does all right once", what }))
  ]
  return { requests: sent, port, coverage, counterexample, atTheEnd } satisfies FuzzOutcome
})
