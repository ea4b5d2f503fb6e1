import { keyHeader } from "../../../facade/api/Input.ts"
import { type Header, type HttpRequest, withHeader } from "../request/HttpRequest.ts"
import type { JsonLiteral } from "../request/Literal.ts"
import {
  type InputValue,
  type OperationCall,
  type PreparedRequest,
  restRequest,
  trpcRequest,
  withInput,
  withoutInput
} from "../request/OperationCall.ts"
import type { Operation } from "../request/Operations.ts"
import type { Fact, FactKind, KnownFacts } from "../service/KnownFacts.ts"
import type { RequestRewrite } from "./RequestMutations.ts"
import type { ValueChange } from "./ValueMutations.ts"

/** Selects a fact that an earlier response established, for example the latest sale, as the subject of a call. */
export interface StepSubject {
  readonly kind: FactKind
  /** Values that the fact must have. */
  readonly where: Readonly<Record<string, JsonLiteral>>
  /** Number of newer matching facts to skip. */
  readonly back: number
  /** Whether the call reuses the idempotency key of the request that established the fact. */
  readonly withKey: boolean
}

/** A planned call of an operation, before its inputs are filled in from facts. */
export interface StepCall {
  readonly operation: Operation
  readonly values: ReadonlyArray<InputValue>
  readonly subject: StepSubject | null
  readonly changes: ReadonlyArray<ValueChange>
}

/** A planned request. Its inputs are filled in when earlier responses are known. */
export interface ScenarioStep {
  /** Name of the caller. */
  readonly caller: string
  /** Several calls form a tRPC batch. */
  readonly calls: readonly [StepCall, ...Array<StepCall>]
  readonly protocol: "rest" | "trpc" | "batch"
  readonly rewrites: ReadonlyArray<RequestRewrite>
  /** Whether the request comes from the address whose rate limit is exhausted. */
  readonly crowded: boolean
  /** Whether the request sends the last ETag of its path. */
  readonly etag: boolean
  /** Whether two copies of the request are sent at the same time. */
  readonly twice: boolean
  /** Whether the stored data is compared before and after the request. */
  readonly watched: boolean
}

/** A step with one REST call, without inputs and without mutations. */
export const simpleStep = (operation: Operation, caller: string): ScenarioStep => ({
  caller,
  calls: [{ operation, values: [], subject: null, changes: [] }],
  protocol: "rest",
  rewrites: [],
  crowded: false,
  etag: false,
  twice: false,
  watched: false
})

const factOf = ({ back, kind, where }: StepSubject, { facts }: KnownFacts): Fact | undefined => {
  const fitting = facts[kind].filter(({ values }) =>
    Object.entries(where).every(([name, value]) => values[name] === value)
  )
  return fitting.at(-1 - (back % Math.max(1, fitting.length)))
}

const withFact = (filled: OperationCall, { values }: Fact, withKey: boolean): OperationCall =>
  filled.operation.inputs.reduce((now, { name }) => {
    const value = name === keyHeader && !withKey ? undefined : values[name]
    if (value === undefined) return now
    return value === null ? withoutInput(now, name) : withInput(now, name, value)
  }, filled)

/**
 * Fills in the inputs of a call: first the call's own values, then the values of an earlier response that the call refers to
 * (its fact), then the invalid changes.
 */
const fillCall = ({ subject, changes, operation, values }: StepCall, memory: KnownFacts): OperationCall => {
  const filled: OperationCall = { operation, values }
  const fact = subject === null ? undefined : factOf(subject, memory)
  const based = fact === undefined ? filled : withFact(filled, fact, subject?.withKey ?? false)
  return changes.reduce((now, change) => change(now), based)
}

const withKnownEtag = (request: HttpRequest, { etags }: KnownFacts): HttpRequest => {
  const etag = etags[request.path]
  return etag === undefined ? request : withHeader(request, "If-None-Match", etag)
}

/** Builds the request of a step from the known facts. */
export const prepareRequest = (
  { calls: [call, ...more], etag, protocol, rewrites }: ScenarioStep,
  memory: KnownFacts,
  headers: ReadonlyArray<Header>
): PreparedRequest => {
  const first = fillCall(call, memory)
  const others = more.map((another) => fillCall(another, memory))
  const made =
    protocol === "rest" ? restRequest(first, headers) : trpcRequest([first, ...others], headers, protocol === "batch")
  const plain = etag ? withKnownEtag(made, memory) : made
  return { request: rewrites.reduce((now, rewrite) => rewrite(now), plain), filled: [first, ...others] }
}
