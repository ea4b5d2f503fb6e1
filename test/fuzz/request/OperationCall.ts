import { keyField, keyHeader } from "../../../facade/api/Input.ts"
import { endpoints, operationIdOf } from "../../../facade/api/Procedures.ts"
import { bytesOf, type Header, type HttpRequest } from "./HttpRequest.ts"
import { type JsonLiteral, plainText } from "./Literal.ts"
import type { Operation, OperationInput } from "./Operations.ts"

export type InputValue = readonly [name: string, literal: JsonLiteral]

/**
 * An operation with its input values, before it becomes a request. The name of an input may occur twice or be unknown.
 */
export interface OperationCall {
  readonly operation: Operation
  readonly values: ReadonlyArray<InputValue>
}

const hasBody = ({ inputs }: Operation): boolean => inputs.some(({ place }) => place === "body")

/**
 * The part of the request that carries an input. An unknown input is put where the other inputs of the operation are.
 */
const inputPlaceOf = (operation: Operation, name: string): OperationInput["place"] =>
  operation.inputs.find((input) => input.name === name)?.place ?? (hasBody(operation) ? "body" : "query")

export const inputValueOf = ({ values }: OperationCall, name: string): JsonLiteral | undefined =>
  values.find(([known]) => known === name)?.[1]

export const withoutInput = (filled: OperationCall, name: string): OperationCall => ({
  ...filled,
  values: filled.values.filter(([known]) => known !== name)
})

/** Replaces every value of the input with this name. */
export const withInput = (filled: OperationCall, name: string, value: JsonLiteral): OperationCall => ({
  ...filled,
  values: [...withoutInput(filled, name).values, [name, value]]
})

/** A request, and the operation calls that it contains. */
export interface PreparedRequest {
  readonly request: HttpRequest
  readonly filled: readonly [OperationCall, ...Array<OperationCall>]
}

const escaped = (text: string): string => encodeURIComponent(text.toWellFormed())

/** Path of an operation with its parameters filled in. */
const pathOf = (filled: OperationCall): string =>
  filled.operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    escaped(plainText(inputValueOf(filled, name) ?? '""'))
  )

const valuesAt = (
  { operation, values }: OperationCall,
  place: ReturnType<typeof inputPlaceOf>
): ReadonlyArray<InputValue> => values.filter(([name]) => inputPlaceOf(operation, name) === place)

/** A JSON object as text. A name that occurs twice is written twice. */
const jsonObject = (values: ReadonlyArray<InputValue>): string =>
  `{${values.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`

/** Builds the REST request of a call: path, query, headers and body. */
export const restRequest = (filled: OperationCall, headers: ReadonlyArray<Header>): HttpRequest => {
  const { operation } = filled
  const ofBody = valuesAt(filled, "body")
  const body = hasBody(operation) || ofBody.length > 0 ? bytesOf(jsonObject(ofBody)) : null
  return {
    method: operation.method,
    path: pathOf(filled),
    query: valuesAt(filled, "query").map(([name, value]) => `${escaped(name)}=${escaped(plainText(value))}`),
    headers: [
      ["Host", "saldo.test"],
      ...headers,
      ...valuesAt(filled, "header").map(([name, value]): Header => [name, bytesOf(plainText(value))]),
      ...(body === null ? [] : [["Content-Type", "application/json"] as const])
    ],
    body,
    chunked: false
  }
}

/** Whether the operation reads an idempotency key, as sales and reversals do. */
export const takesKey = ({ inputs }: Operation): boolean => inputs.some(({ name }) => name === keyHeader)

const procedures = new Map(endpoints.map((endpoint) => [operationIdOf(endpoint), endpoint.name]))

/** Name of the tRPC procedure behind a documented operation. */
export const procedureOf = ({ operation: { name } }: OperationCall): string => {
  const procedure = procedures.get(name)
  if (procedure === undefined) throw new Error(`no tRPC procedure for ${name}`)
  return procedure
}

const inputOf = ({ values }: OperationCall): string =>
  jsonObject(values.map(([name, value]) => [name === keyHeader ? keyField : name, value]))

/** Whether an operation only reads. tRPC sends its calls with GET, and all other calls with POST. */
export const isQuery = ({ method }: Operation): boolean => method === "GET"

/** Builds one request with all calls, as tRPC clients do. Either all calls only read, or none does. */
export const trpcRequest = (
  calls: readonly [OperationCall, ...Array<OperationCall>],
  headers: ReadonlyArray<Header>,
  batch: boolean
): HttpRequest => {
  const [first] = calls
  const input = batch ? jsonObject(calls.map((call, index) => [String(index), inputOf(call)])) : inputOf(first)
  const named = (batch ? calls : [first]).map(procedureOf).join(",")
  const asked = isQuery(first.operation)
  return {
    method: asked ? "GET" : "POST",
    path: `/trpc/${named}`,
    query: [...(batch ? ["batch=1"] : []), ...(asked ? [`input=${encodeURIComponent(input.toWellFormed())}`] : [])],
    headers: [["Host", "saldo.test"], ...headers, ...(asked ? [] : [["Content-Type", "application/json"] as const])],
    body: asked ? null : bytesOf(input),
    chunked: false
  }
}
