import { Option, Schema } from "effect"
import type { PartResult } from "./Parts.ts"

const number = (value: number): string => value.toLocaleString("en")

/** Creates a reader for JSON documents of this schema. */
const documentReader = <A>(shape: Schema.Codec<A, unknown>, toResult: (content: A) => PartResult) => {
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(shape))
  return (document: string): PartResult | null => Option.getOrNull(Option.map(decode(document), toResult))
}

const Breach = Schema.Struct({ invariant: Schema.String, what: Schema.String })

const breachesText = (breaches: ReadonlyArray<typeof Breach.Type>): string | null =>
  breaches.length === 0 ? null : breaches.map(({ invariant, what }) => `${invariant}: ${what}`).join("; ")

/** Reads `npm run simulate` with several seeds. */
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
    const rare = thin.length === 0 ? null : `faults that were too rare: ${thin.join(", ")}`
    return {
      counts: `${number(done)} seeds of ${ops} operations; ${hits.length} pairs of step and fault, the rarest ${number(Math.min(...hits))} times`,
      digest,
      broken: failure === null ? rare : `${failure.invariant}: ${failure.what}`,
      again: failure?.again ?? null
    }
  }
)

/** Reads `npm run simulate -- --mutants`. */
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
        caught === null ? [] : [{ bug, on, seed: caught.seed, invariant: caught.invariant }]
      ),
      digest: null,
      broken: survivors.length === 0 ? null : `not caught: ${survivors.join("; ")}`,
      again: null
    }
  }
)

/** Reads `npm run crash`. */
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
  (content) => {
    if (!content.ok) {
      return {
        counts: `${content.round} rounds`,
        digest: null,
        broken: breachesText(content.breaches),
        again: `npm run crash -- --seed ${content.seed} --rounds ${content.round}`
      }
    }
    const { calls, operations, missed, reached, rounds, unanswered } = content
    const points = reached.length + missed.length
    return {
      counts: `${rounds} rounds; ${number(operations)} operations in ${number(calls)} calls, ${number(unanswered)} of them without a response; servers killed or stopped at ${reached.length} of ${points} points`,
      digest: null,
      broken: null,
      again: null
    }
  }
)

/** Reads `npm run fuzz`. */
export const readFuzzing = documentReader(
  Schema.Struct({
    requests: Schema.Int,
    endpoints: Schema.Array(Schema.Struct({ seen: Schema.Array(Schema.Int) })),
    trpc: Schema.Struct({ procedures: Schema.Array(Schema.String), calls: Schema.Int }),
    broken: Schema.Array(Breach),
    again: Schema.String
  }),
  ({ again, broken, endpoints, requests, trpc: { calls, procedures } }) => ({
    counts: `${number(requests)} requests; ${endpoints.length} paths and methods, ${number(calls)} calls of ${procedures.length} procedures over tRPC, ${endpoints.reduce((sum, { seen }) => sum + seen.length, 0)} statuses seen`,
    digest: null,
    broken: breachesText(broken),
    again
  })
)

/** Reads `npm test` with the reporter of TestReport.ts. */
export const readTests = documentReader(
  Schema.Struct({ files: Schema.Int, passed: Schema.Int, failed: Schema.Array(Schema.String) }),
  ({ failed, files, passed }) => ({
    counts: `${number(passed)} tests in ${files} files`,
    digest: null,
    broken: failed.length === 0 ? null : failed.join("; "),
    again: null
  })
)
