import { Effect, Result } from "effect"
import { Audit } from "../../core/ports/Audit.ts"
import { type Document, operationsOf } from "../document/Operations.ts"
import { accessLaw } from "../law/Access.ts"
import { type Coverage, coverageOf, neverDone } from "../law/Coverage.ts"
import type { Broken } from "../law/Exchange.ts"
import { promisesLaw } from "../law/Promises.ts"
import { getFrom } from "../request/HttpRequest.ts"
import { Line, type Send } from "../request/Line.ts"
import { generation, generation_max, type Tick } from "./Generation.ts"
import type { Common, Counterexample } from "./Lane.ts"

export interface Plan {
  readonly requests: number
  readonly seed: number
}

export interface Outcome {
  readonly requests: number
  readonly port: number
  readonly coverage: Coverage
  /** The first law that an answer broke, and by what. */
  readonly counterexample: Counterexample | null
  /** What did not hold when all was over. */
  readonly atTheEnd: ReadonlyArray<Broken>
}

/** In so many requests each operation must have done all right. */
export const thorough_min = 20_000

const documentBy = Effect.fnUntraced(function* (send: Send) {
  const answer = yield* send(getFrom("192.0.2.2", "/v1/openapi.json"))
  if (answer?.status !== 200) return yield* Effect.die(new Error(`the document was answered with ${answer?.status}`))
  return answer.body as Document
})

const addresses = () => {
  let used = 0
  return () => {
    used += 1
    return `10.${(used >> 16) & 255}.${(used >> 8) & 255}.${used & 255}`
  }
}

const audited = Effect.gen(function* () {
  const { prove } = yield* Audit
  const examined = yield* prove
  return examined.flatMap(
    ({ invariant, offenders, violations }): ReadonlyArray<Broken> =>
      violations === 0 ? [] : [{ law: `audit: ${invariant}`, what: JSON.stringify(offenders) }]
  )
})

/**
 * Makes requests of the document of the service that runs here, until a law is broken or there were enough.
 *
 * @param onSent is told how many there were.
 */
export const fuzz = Effect.fnUntraced(function* ({ requests, seed }: Plan, onSent: Tick) {
  const { port, send } = yield* Line
  const operations = operationsOf(yield* documentBy(send))
  const coverage = coverageOf(operations)
  const access = accessLaw()
  const promises = promisesLaw()
  const common: Common = { operations, seed, send, coverage, access, promises, freshAddress: addresses() }
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
  const wanting = requests >= thorough_min && counterexample === null ? neverDone(coverage.doors()) : []
  const atTheEnd = [
    ...(yield* audited),
    ...(yield* promises.atTheEnd),
    ...wanting.map((what): Broken => ({ law: "every operation does all right once", what }))
  ]
  return { requests: sent, port, coverage, counterexample, atTheEnd } satisfies Outcome
})
