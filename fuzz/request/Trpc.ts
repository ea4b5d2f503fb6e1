import { operationIdOf } from "../../facade/rest/DocumentedRouter.ts"
import { endpoints } from "../../facade/rest/Endpoint.ts"
import { keyHeader } from "../../facade/rest/KeyHeader.ts"
import { keyField } from "../../facade/wire/Input.ts"
import type { Filled } from "./Filled.ts"
import { bytesOf, type Header, type HttpRequest } from "./HttpRequest.ts"
import { objectOf } from "./Rest.ts"

const procedures = new Map(endpoints.map((endpoint) => [operationIdOf(endpoint), endpoint.name]))

/** The procedure that an operation of the document is made of. */
export const procedureOf = ({ operation: { name } }: Filled): string => {
  const procedure = procedures.get(name)
  if (procedure === undefined) throw new Error(`no procedure makes ${name}`)
  return procedure
}

const inputOf = ({ values }: Filled): string =>
  objectOf(values.map(([name, value]) => [name === keyHeader ? keyField : name, value]))

/** The calls as tRPC's clients make them, all in one request. They must be of one method. */
export const trpcRequest = (
  calls: readonly [Filled, ...Array<Filled>],
  headers: ReadonlyArray<Header>,
  batch: boolean
): HttpRequest => {
  const [first] = calls
  const input = batch ? objectOf(calls.map((call, index) => [String(index), inputOf(call)])) : inputOf(first)
  const named = (batch ? calls : [first]).map(procedureOf).join(",")
  const asked = first.operation.method === "GET"
  return {
    method: first.operation.method,
    path: `/trpc/${named}`,
    query: [...(batch ? ["batch=1"] : []), ...(asked ? [`input=${encodeURIComponent(input.toWellFormed())}`] : [])],
    headers: [["Host", "saldo.test"], ...headers, ...(asked ? [] : [["Content-Type", "application/json"] as const])],
    body: asked ? null : bytesOf(input),
    chunked: false
  }
}
