import fc from "fast-check"
import { keyHeader } from "../../../facade/api/Input.ts"
import { type JsonLiteral, jsonLiteral, validLiteralOf } from "../request/Literal.ts"
import { type InputValue, isQuery } from "../request/OperationCall.ts"
import type { Operation, OperationInput } from "../request/Operations.ts"
import type { FactKind } from "../service/KnownFacts.ts"
import { addressRewriteOf, bodyRewrite, headRewriteOf } from "./RequestMutations.ts"
import type { ScenarioStep, StepCall, StepSubject } from "./ScenarioStep.ts"
import { valueChangeOf } from "./ValueMutations.ts"

// Without `noBias`, fast-check would prefer small values and repeat the same numbers.
const digits = (length: number): fc.Arbitrary<string> =>
  fc.noBias(fc.integer({ min: 0, max: 10 ** length - 1 })).map((number) => String(number).padStart(length, "0"))

/**
 * Phone numbers whose last digits make the simulator succeed, refuse or leave the sale pending. Contract: 7, Simulator
 * scenarios.
 */
const identifiers = fc
  .tuple(digits(7), fc.constantFrom("3", "5", "7", "9", "00", "01", "02", "12", "22", "93", "94"))
  .map(([first, ending]) => jsonLiteral(`8${first}${ending}`))

const plates = fc
  .tuple(fc.constantFrom(..."AGKLZak"), digits(4), fc.integer({ min: 0, max: 99 }))
  .map(([letter, number, ending]) => jsonLiteral(`${letter}${number}${String(ending).padStart(2, "0")}`))

const amounts = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 10_000, max: 40_000 }).map((centavos) => String(centavos / 100)) },
  { weight: 2, arbitrary: fc.constantFrom("100", '"100.50"', "1e2", "100.10", "1.5e2", '"250"') },
  {
    weight: 2,
    arbitrary: fc.constantFrom("19.99", "20", "50", "99.99", "5000", "5000.01", "10000", "20000.01", "0.01")
  }
)

/**
 * Values that pass validation and reach the business logic, by input name. Values generated only from a schema rarely
 * pass.
 */
const usefulValues: Readonly<Record<string, fc.Arbitrary<JsonLiteral>>> = {
  [keyHeader]: fc.noShrink(fc.noBias(fc.uuid({ version: 4 }))).map(jsonLiteral),
  amount: amounts,
  despues_de: fc.constantFrom("0", "1", "20"),
  // The day before the service under test started. One company has a closing of this day.
  dia: fc.constant(jsonLiteral("2026-03-10")),
  categoria: fc.constantFrom("Electricidad", "Seguros", "electricidad").map(jsonLiteral),
  identifier: identifiers,
  placa: plates,
  q: fc.constantFrom("recarga", "SEGURO", "ó", "%", "_").map(jsonLiteral),
  service_id: fc.integer({ min: 1, max: 9 }).map(String),
  // The service under test has no worker, so it sends nothing to these addresses.
  url: fc
    .constantFrom("https://tienda.example.com/saldo", "https://203.0.113.7:8443/", "https://eventos.example.net")
    .map(jsonLiteral)
}

/** Generates values for an input. Most of the values reach the business logic. */
const generateValue = ({ name, schema }: OperationInput): fc.Arbitrary<JsonLiteral> => {
  const leading = usefulValues[name]
  return leading === undefined
    ? validLiteralOf(schema)
    : fc.oneof({ weight: 9, arbitrary: leading }, { weight: 1, arbitrary: validLiteralOf(schema) })
}

/** The parameters from which a step is generated. */
export interface StepGenerator {
  /** Equivalent operations, such as a path and its aliases. */
  readonly operations: ReadonlyArray<Operation>
  readonly subject: fc.Arbitrary<StepSubject | null>
  readonly caller: fc.Arbitrary<string>
  /** Probability of invalid parts, from 0 to 1. */
  readonly wrong: number
}

interface SubjectOptions {
  readonly where?: Readonly<Record<string, JsonLiteral>>
  readonly withKey?: boolean
}

/** Selects a fact of a kind, mostly the latest one. */
export const subjectOf = (
  kind: FactKind,
  { where = {}, withKey = false }: SubjectOptions = {}
): fc.Arbitrary<StepSubject> =>
  fc.record({
    kind: fc.constant(kind),
    where: fc.constant(where),
    back: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 40 }) }),
    withKey: withKey ? fc.constant(true) : weightedBoolean(0.04)
  })

/** A boolean that is true with this probability, and shrinks to false. */
const weightedBoolean = (probability: number): fc.Arbitrary<boolean> =>
  fc.noBias(fc.nat({ max: 999 })).map((drawn) => drawn >= 1_000 * (1 - probability))

/** An array that has one or two values with this probability, and shrinks to an empty array. */
const sometimes = <A>(probability: number, arbitrary: fc.Arbitrary<A>): fc.Arbitrary<ReadonlyArray<A>> =>
  weightedBoolean(probability).chain((happens) =>
    fc.array(arbitrary, happens ? { minLength: 1, maxLength: 2 } : { maxLength: 0 })
  )

const generateInput = (input: OperationInput): fc.Arbitrary<ReadonlyArray<InputValue>> =>
  fc
    .tuple(
      input.required ? fc.constant(true) : weightedBoolean(input.place === "body" ? 0.7 : 0.3),
      generateValue(input)
    )
    .map(([isGiven, value]) => (isGiven ? [[input.name, value]] : []))

const callOf = (
  operation: Operation,
  subject: fc.Arbitrary<StepSubject | null>,
  wrong: number
): fc.Arbitrary<StepCall> =>
  fc.record({
    operation: fc.constant(operation),
    values: fc.tuple(...operation.inputs.map(generateInput)).map((values) => values.flat()),
    subject,
    changes: sometimes(wrong, valueChangeOf(operation))
  })

const rewriteOf = (operation: Operation) =>
  fc.oneof(
    { weight: 4, arbitrary: addressRewriteOf(operation) },
    { weight: 4, arbitrary: headRewriteOf(operation) },
    { weight: operation.method === "GET" ? 1 : 4, arbitrary: bodyRewrite }
  )

const stepOptions = {
  crowded: weightedBoolean(0.02),
  etag: weightedBoolean(0.4),
  twice: weightedBoolean(0.03),
  watched: weightedBoolean(0.12)
}

/** Generates a step at one of the equivalent operations. */
export const generateStep = ({ subject, caller, operations, wrong }: StepGenerator): fc.Arbitrary<ScenarioStep> =>
  fc.constantFrom(...operations).chain((operation) =>
    fc.record({
      ...stepOptions,
      caller,
      calls: callOf(operation, subject, 0.6 * wrong).map((call): ScenarioStep["calls"] => [call]),
      protocol: weightedBoolean(0.1).map((beside) => (beside ? "trpc" : "rest")),
      rewrites: sometimes(0.5 * wrong, rewriteOf(operation))
    })
  )

/** Generates a tRPC batch of queries or of mutations. tRPC does not mix them. */
export const generateBatch = (
  reads: boolean,
  generators: ReadonlyArray<StepGenerator>,
  caller: fc.Arbitrary<string>
): fc.Arbitrary<ScenarioStep> => {
  const calls = generators.flatMap(({ subject, operations, wrong }) =>
    operations
      .filter((operation) => isQuery(operation) === reads)
      .map((operation) => callOf(operation, subject, 0.4 * wrong))
  )
  return fc.record({
    ...stepOptions,
    caller,
    calls: fc
      .array(fc.oneof(...calls), { minLength: 1, maxLength: 5 })
      .map((all) => all as unknown as ScenarioStep["calls"]),
    protocol: fc.constant("batch" as const),
    rewrites: fc.constant([])
  })
}
