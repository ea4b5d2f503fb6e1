import fc from "fast-check"
import type { Literal } from "../document/Literal.ts"
import type { Input, Operation } from "../document/Operations.ts"
import { addressRewriteOf } from "../mutation/Addresses.ts"
import { bodyRewrite } from "../mutation/Bodies.ts"
import { headRewriteOf } from "../mutation/Heads.ts"
import { valueChangeOf } from "../mutation/Values.ts"
import type { Value } from "../request/Filled.ts"
import type { Kind } from "../world/Memory.ts"
import { valuesFor } from "./Known.ts"
import type { Basis, Call, Step } from "./Step.ts"

/** What a step is to be, as far as it is told. */
export interface Cue {
  /** Any of these, which do the same. */
  readonly operations: ReadonlyArray<Operation>
  readonly basis: fc.Arbitrary<Basis | null>
  readonly caller: fc.Arbitrary<string>
  /** How much may go wrong, from 0 to 1. */
  readonly wrong: number
}

interface About {
  readonly where?: Readonly<Record<string, Literal>>
  readonly withKey?: boolean
}

/** Mostly the newest thing of its kind. */
export const basis = (kind: Kind, { where = {}, withKey = false }: About = {}): fc.Arbitrary<Basis> =>
  fc.record({
    kind: fc.constant(kind),
    where: fc.constant(where),
    back: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 40 }) }),
    withKey: withKey ? fc.constant(true) : chance(0.04)
  })

/** True this often, from 0 to 1; shrinks to false. */
const chance = (probability: number): fc.Arbitrary<boolean> =>
  fc.noBias(fc.nat({ max: 999 })).map((drawn) => drawn >= 1_000 * (1 - probability))

/** Shrinks to nothing. */
const sometimes = <A>(probability: number, arbitrary: fc.Arbitrary<A>): fc.Arbitrary<ReadonlyArray<A>> =>
  chance(probability).chain((happens) =>
    fc.array(arbitrary, happens ? { minLength: 1, maxLength: 2 } : { maxLength: 0 })
  )

const given = (input: Input): fc.Arbitrary<ReadonlyArray<Value>> =>
  fc
    .tuple(input.required ? fc.constant(true) : chance(input.place === "body" ? 0.7 : 0.3), valuesFor(input))
    .map(([isGiven, value]) => (isGiven ? [[input.name, value]] : []))

const callOf = (operation: Operation, about: fc.Arbitrary<Basis | null>, wrong: number): fc.Arbitrary<Call> =>
  fc.record({
    operation: fc.constant(operation),
    values: fc.tuple(...operation.inputs.map(given)).map((values) => values.flat()),
    basis: about,
    changes: sometimes(wrong, valueChangeOf(operation))
  })

const rewriteOf = (operation: Operation) =>
  fc.oneof(
    { weight: 4, arbitrary: addressRewriteOf(operation) },
    { weight: 4, arbitrary: headRewriteOf(operation) },
    { weight: operation.method === "POST" ? 4 : 1, arbitrary: bodyRewrite }
  )

const circumstances = {
  crowded: chance(0.02),
  etag: chance(0.4),
  twice: chance(0.03),
  watched: chance(0.12)
}

/** A step at one of the places where an operation is. */
export const stepOf = ({ basis, caller, operations, wrong }: Cue): fc.Arbitrary<Step> =>
  fc.constantFrom(...operations).chain((operation) =>
    fc.record({
      ...circumstances,
      caller,
      calls: callOf(operation, basis, 0.6 * wrong).map((call): Step["calls"] => [call]),
      face: chance(0.1).map((beside) => (beside ? "trpc" : "rest")),
      rewrites: sometimes(0.5 * wrong, rewriteOf(operation))
    })
  )

/** Calls of one method in one request of tRPC. */
export const batchOf = (method: string, cues: ReadonlyArray<Cue>, caller: fc.Arbitrary<string>): fc.Arbitrary<Step> => {
  const calls = cues.flatMap(({ basis, operations, wrong }) =>
    operations
      .filter((operation) => operation.method === method)
      .map((operation) => callOf(operation, basis, 0.4 * wrong))
  )
  return fc.record({
    ...circumstances,
    caller,
    calls: fc.array(fc.oneof(...calls), { minLength: 1, maxLength: 5 }).map((all) => all as unknown as Step["calls"]),
    face: fc.constant("batch" as const),
    rewrites: fc.constant([])
  })
}
