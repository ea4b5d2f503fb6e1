import { type Duration, Effect, Result } from "effect"
import { Audit } from "../../../core/ports/Audit.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { type Coverage, coverageOf, neverSucceeded } from "../invariants/Coverage.ts"
import type { Violation } from "../invariants/Exchange.ts"
import { accessInvariant, keptResponsesInvariant } from "../invariants/StateInvariants.ts"
import { getFrom } from "../request/HttpRequest.ts"
import { type OpenApiDocument, operationsOf } from "../request/Operations.ts"
import { crowdedAddress } from "../scenario/PlayScenario.ts"
import { addressCalls_max, HttpClient, type Send } from "../service/ServiceUnderTest.ts"
import { type Counterexample, type Lane, openLane, runScenario, type SharedContext } from "./Lane.ts"

const lanes_n = 6

/**
 * Number of requests in a generation. Each generation has its own companies, which limits the data that the
 * check for unwanted changes must read.
 */
const generation_max = 6_000

/**
 * Time that passes between the parts of a generation. The first gap settles pending sales, the second expires quotes
 * and options, the third expires keys.
 */
const gaps: ReadonlyArray<Duration.Input> = ["20 seconds", "31 minutes", "25 hours"]

/** Receives a number of requests that were sent. */
export type Tick = (requests: number) => Effect.Effect<void>

/** Exhausts the rate limit of an address for the current minute. */
const exhaustAddress = (send: Send) =>
  Effect.replicateEffect(send(getFrom(crowdedAddress, "/v1/estado")), addressCalls_max, { discard: true })

/** Runs scenarios in a lane until it has sent this many requests. */
const runScenariosUntil = Effect.fnUntraced(function* (lane: Lane, requests: number, tick: Tick) {
  while (lane.requests < requests) yield* tick(yield* runScenario(lane))
})

/** Sends the requests of one generation with its own companies, in equal parts before, between and after the gaps. */
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
  /** The first violation during the run, with the requests that show it. */
  readonly counterexample: Counterexample | null
  /** Violations found after the last request. */
  readonly atTheEnd: ReadonlyArray<Violation>
}

/** In a run with at least this number of requests, each documented success status must be seen at least once. */
export const thorough_min = 20_000

const fetchDocument = Effect.fnUntraced(function* (send: Send) {
  const answer = yield* send(getFrom("192.0.2.2", "/v1/openapi.json"))
  if (answer?.status !== 200) return yield* Effect.die(new Error(`fetching the document returned ${answer?.status}`))
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
      violations === 0 ? [] : [{ invariant: `audit: ${invariant}`, what: JSON.stringify(offenders) }]
  )
})

/**
 * Sends generated requests to a running service, until an invariant is violated or the planned number of requests is
 * reached.
 *
 * @param onSent receives the number of requests sent so far.
 */
export const fuzz = Effect.fnUntraced(function* ({ requests, seed }: FuzzPlan, onSent: Tick) {
  const { port, send } = yield* HttpClient
  const operations = operationsOf(yield* fetchDocument(send))
  const coverage = coverageOf(operations)
  const access = accessInvariant()
  const keptResponses = keptResponsesInvariant()
  const common: SharedContext = {
    operations,
    seed,
    send,
    coverage,
    access,
    keptResponses,
    freshAddress: addressSequence()
  }
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
  const wanting = requests >= thorough_min && counterexample === null ? neverSucceeded(coverage.endpoints()) : []
  const atTheEnd = [
    ...(yield* auditViolations),
    ...(yield* keptResponses.atTheEnd),
    ...wanting.map((what): Violation => ({ invariant: "every documented success status is seen", what }))
  ]
  return { requests: sent, port, coverage, counterexample, atTheEnd } satisfies FuzzOutcome
})
