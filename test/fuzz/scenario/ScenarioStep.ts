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

/** Which of the things that earlier answers told a call is about. */
export interface StepSubject {
  readonly kind: FactKind
  /** What is known of it, where that matters. */
  readonly where: Readonly<Record<string, JsonLiteral>>
  /** How many newer ones are passed over. */
  readonly back: number
  /** Whether the call brings the key that the thing was made with. */
  readonly withKey: boolean
}

/** A call of an operation. */
export interface StepCall {
  readonly operation: Operation
  readonly values: ReadonlyArray<InputValue>
  readonly basis: StepSubject | null
  readonly changes: ReadonlyArray<ValueChange>
}

/** A request that is to be made, once it is known what the ones before it were answered. */
export interface ScenarioStep {
  /** The name of who makes it. */
  readonly caller: string
  /** Several make a batch of tRPC. */
  readonly calls: readonly [StepCall, ...Array<StepCall>]
  readonly face: "rest" | "trpc" | "batch"
  readonly rewrites: ReadonlyArray<RequestRewrite>
  /** Whether it comes from an address that has called too often. */
  readonly crowded: boolean
  /** Whether it says that it knows what it was answered before. */
  readonly etag: boolean
  /** Whether it is sent a second time before it is answered. */
  readonly twice: boolean
  /** Whether somebody looks that nothing changes which may not. */
  readonly watched: boolean
}

/** A call without input, and nothing else about it. */
export const simpleStep = (operation: Operation, caller: string): ScenarioStep => ({
  caller,
  calls: [{ operation, values: [], basis: null, changes: [] }],
  face: "rest",
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

/** A call with its values: those of the thing that it is about before its own, and then whatever is to be wrong. */
const fillCall = ({ basis, changes, operation, values }: StepCall, memory: KnownFacts): OperationCall => {
  const filled: OperationCall = { operation, values }
  const fact = basis === null ? undefined : factOf(basis, memory)
  const based = fact === undefined ? filled : withFact(filled, fact, basis?.withKey ?? false)
  return changes.reduce((now, change) => change(now), based)
}

const withKnownEtag = (request: HttpRequest, { etags }: KnownFacts): HttpRequest => {
  const etag = etags[request.path]
  return etag === undefined ? request : withHeader(request, "If-None-Match", etag)
}

/** The request that a step makes of what is known. */
export const prepareRequest = (
  { calls: [call, ...more], etag, face, rewrites }: ScenarioStep,
  memory: KnownFacts,
  headers: ReadonlyArray<Header>
): PreparedRequest => {
  const first = fillCall(call, memory)
  const others = more.map((another) => fillCall(another, memory))
  const made =
    face === "rest" ? restRequest(first, headers) : trpcRequest([first, ...others], headers, face === "batch")
  const plain = etag ? withKnownEtag(made, memory) : made
  return { request: rewrites.reduce((now, rewrite) => rewrite(now), plain), filled: [first, ...others] }
}
