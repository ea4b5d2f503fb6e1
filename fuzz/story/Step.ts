import { keyHeader } from "../../facade/rest/KeyHeader.ts"
import type { Literal } from "../document/Literal.ts"
import type { Operation } from "../document/Operations.ts"
import type { Rewrite } from "../mutation/Addresses.ts"
import type { ValueChange } from "../mutation/Values.ts"
import { type Filled, type Value, without, withValue } from "../request/Filled.ts"
import { type Header, type HttpRequest, withHeader } from "../request/HttpRequest.ts"
import type { Prepared } from "../request/Prepared.ts"
import { restRequest } from "../request/Rest.ts"
import { trpcRequest } from "../request/Trpc.ts"
import type { Fact, Kind, Memory } from "../world/Memory.ts"

/** Which of the things that earlier answers told a call is about. */
export interface Basis {
  readonly kind: Kind
  /** What is known of it, where that matters. */
  readonly where: Readonly<Record<string, Literal>>
  /** How many newer ones are passed over. */
  readonly back: number
  /** Whether the call brings the key that the thing was made with. */
  readonly withKey: boolean
}

/** A call of an operation. */
export interface Call {
  readonly operation: Operation
  readonly values: ReadonlyArray<Value>
  readonly basis: Basis | null
  readonly changes: ReadonlyArray<ValueChange>
}

/** A request that is to be made, once it is known what the ones before it were answered. */
export interface Step {
  /** The name of who makes it. */
  readonly caller: string
  /** Several make a batch of tRPC. */
  readonly calls: readonly [Call, ...Array<Call>]
  readonly face: "rest" | "trpc" | "batch"
  readonly rewrites: ReadonlyArray<Rewrite>
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
export const simply = (operation: Operation, caller: string): Step => ({
  caller,
  calls: [{ operation, values: [], basis: null, changes: [] }],
  face: "rest",
  rewrites: [],
  crowded: false,
  etag: false,
  twice: false,
  watched: false
})

const factOf = ({ back, kind, where }: Basis, { facts }: Memory): Fact | undefined => {
  const fitting = facts[kind].filter(({ values }) =>
    Object.entries(where).every(([name, value]) => values[name] === value)
  )
  return fitting.at(-1 - (back % Math.max(1, fitting.length)))
}

const about = (filled: Filled, { values }: Fact, withKey: boolean): Filled =>
  filled.operation.inputs.reduce((now, { name }) => {
    const value = name === keyHeader && !withKey ? undefined : values[name]
    if (value === undefined) return now
    return value === null ? without(now, name) : withValue(now, name, value)
  }, filled)

/** A call with its values: those of the thing that it is about before its own, and then whatever is to be wrong. */
const filledIn = ({ basis, changes, operation, values }: Call, memory: Memory): Filled => {
  const filled: Filled = { operation, values }
  const fact = basis === null ? undefined : factOf(basis, memory)
  const based = fact === undefined ? filled : about(filled, fact, basis?.withKey ?? false)
  return changes.reduce((now, change) => change(now), based)
}

const known = (request: HttpRequest, { etags }: Memory): HttpRequest => {
  const etag = etags[request.path]
  return etag === undefined ? request : withHeader(request, "If-None-Match", etag)
}

/** The request that a step makes of what is known. */
export const prepare = (
  { calls: [call, ...more], etag, face, rewrites }: Step,
  memory: Memory,
  headers: ReadonlyArray<Header>
): Prepared => {
  const first = filledIn(call, memory)
  const others = more.map((another) => filledIn(another, memory))
  const made =
    face === "rest" ? restRequest(first, headers) : trpcRequest([first, ...others], headers, face === "batch")
  const plain = etag ? known(made, memory) : made
  return { request: rewrites.reduce((now, rewrite) => rewrite(now), plain), filled: [first, ...others] }
}
