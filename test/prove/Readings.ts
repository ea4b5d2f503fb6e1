import { Option, Schema } from "effect"
import type { PartResult } from "./Parts.ts"

const number = (value: number): string => value.toLocaleString("en")

/** Understands a document of this shape. */
const documentReader = <A>(shape: Schema.Codec<A, unknown>, tell: (said: A) => PartResult) => {
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(shape))
  return (document: string): PartResult | null => Option.getOrNull(Option.map(decode(document), tell))
}

const Breach = Schema.Struct({ invariant: Schema.String, what: Schema.String })

const breachesText = (breaches: ReadonlyArray<typeof Breach.Type>): string | null =>
  breaches.length === 0 ? null : breaches.map(({ invariant, what }) => `${invariant}: ${what}`).join("; ")

/** `npm run simulate`, some seeds. */
export const readSeeds = documentReader(
  Schema.Struct({
    done: Schema.Int,
    ops: Schema.Int,
    digest: Schema.String,
    coverage: Schema.Record(Schema.String, Schema.Int),
    thin: Schema.Array(Schema.String),
    failure: Schema.NullOr(Schema.Struct({ invariant: Schema.String, what: Schema.String, again: Schema.String }))
  }),
  ({ coverage, digest, done, failure, ops, thin }) => {
    const hits = Object.values(coverage)
    const seldom = thin.length === 0 ? null : `faults that were too seldom: ${thin.join(", ")}`
    return {
      counts: `${number(done)} seeds of ${ops} operations; ${hits.length} pairs of step and fault, the rarest ${number(Math.min(...hits))} times`,
      digest,
      broken: failure === null ? seldom : `${failure.invariant}: ${failure.what}`,
      again: failure?.again ?? null
    }
  }
)

/** `npm run simulate -- --mutants`. */
export const readMutants = documentReader(
  Schema.Struct({
    seeds: Schema.Int,
    ops: Schema.Int,
    mutants: Schema.Array(
      Schema.Struct({
        mutant: Schema.String,
        on: Schema.String,
        caught: Schema.NullOr(Schema.Struct({ seed: Schema.Int, invariant: Schema.String }))
      })
    )
  }),
  ({ mutants, ops, seeds }) => {
    const survivors = mutants.flatMap(({ caught, mutant }) => (caught === null ? [mutant] : []))
    return {
      counts: `${mutants.length} planted bugs, each in at most ${seeds} seeds of ${ops} operations`,
      caught: mutants.flatMap(({ caught, mutant: bug, on }) =>
        caught === null ? [] : [{ bug, on, seed: caught.seed, law: caught.invariant }]
      ),
      digest: null,
      broken: survivors.length === 0 ? null : `not caught: ${survivors.join("; ")}`,
      again: null
    }
  }
)

/** `npm run crash`. */
export const readCrashes = documentReader(
  Schema.Union([
    Schema.Struct({
      ok: Schema.Literal(true),
      rounds: Schema.Int,
      operations: Schema.Int,
      calls: Schema.Int,
      unanswered: Schema.Int,
      reached: Schema.Array(Schema.String),
      missed: Schema.Array(Schema.String)
    }),
    Schema.Struct({ ok: Schema.Literal(false), seed: Schema.Int, round: Schema.Int, breaches: Schema.Array(Breach) })
  ]),
  (said) => {
    if (!said.ok) {
      return {
        counts: `${said.round} rounds`,
        digest: null,
        broken: breachesText(said.breaches),
        again: `npm run crash -- --seed ${said.seed} --rounds ${said.round}`
      }
    }
    const { calls, operations, missed, reached, rounds, unanswered } = said
    const points = reached.length + missed.length
    return {
      counts: `${rounds} rounds; ${number(operations)} operations in ${number(calls)} calls, ${number(unanswered)} of them without a response; servers killed or stopped at ${reached.length} of ${points} points`,
      digest: null,
      broken: null,
      again: null
    }
  }
)

/** `npm run fuzz`. */
export const readFuzzing = documentReader(
  Schema.Struct({
    requests: Schema.Int,
    endpoints: Schema.Array(Schema.Struct({ seen: Schema.Array(Schema.Int) })),
    trpc: Schema.Struct({ procedures: Schema.Array(Schema.String), calls: Schema.Int }),
    broken: Schema.Array(Breach),
    again: Schema.String
  }),
  ({ again, broken, endpoints, requests, trpc: { calls, procedures } }) => ({
    counts: `${number(requests)} requests; ${endpoints.length} paths and methods, ${number(calls)} calls of ${procedures.length} procedures by tRPC, ${endpoints.reduce((sum, { seen }) => sum + seen.length, 0)} statuses seen`,
    digest: null,
    broken: breachesText(broken),
    again
  })
)

/** `npm test`, by TestReport.ts. */
export const readTests = documentReader(
  Schema.Struct({ files: Schema.Int, passed: Schema.Int, failed: Schema.Array(Schema.String) }),
  ({ failed, files, passed }) => ({
    counts: `${number(passed)} tests in ${files} files`,
    digest: null,
    broken: failed.length === 0 ? null : failed.join("; "),
    again: null
  })
)
