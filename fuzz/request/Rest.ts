import { keyHeader } from "../../facade/rest/KeyHeader.ts"
import { textOf } from "../document/Literal.ts"
import type { Operation } from "../document/Operations.ts"
import { type Filled, placeOf, type Value, valueOf } from "./Filled.ts"
import { bytesOf, type Header, type HttpRequest } from "./HttpRequest.ts"

const escaped = (text: string): string => encodeURIComponent(text.toWellFormed())

/** Where an operation is, with these values in the place of its parameters. */
const pathOf = (filled: Filled): string =>
  filled.operation.path.replace(/\{(\w+)\}/g, (_, name: string) => escaped(textOf(valueOf(filled, name) ?? '""')))

const standing = ({ operation, values }: Filled, place: ReturnType<typeof placeOf>): ReadonlyArray<Value> =>
  values.filter(([name]) => placeOf(operation, name) === place)

/** An object of JSON as text; a name that is there twice is written twice. */
export const objectOf = (values: ReadonlyArray<Value>): string =>
  `{${values.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`

const expectsBody = ({ inputs }: Operation): boolean => inputs.some(({ place }) => place === "body")

/** The request that an operation's path, query, headers and body make. */
export const restRequest = (filled: Filled, headers: ReadonlyArray<Header>): HttpRequest => {
  const { operation } = filled
  const ofBody = standing(filled, "body")
  const body = expectsBody(operation) || ofBody.length > 0 ? bytesOf(objectOf(ofBody)) : null
  return {
    method: operation.method,
    path: pathOf(filled),
    query: standing(filled, "query").map(([name, value]) => `${escaped(name)}=${escaped(textOf(value))}`),
    headers: [
      ["Host", "saldo.test"],
      ...headers,
      ...standing(filled, "header").map(([name, value]): Header => [name, bytesOf(textOf(value))]),
      ...(body === null ? [] : [["Content-Type", "application/json"] as const])
    ],
    body,
    chunked: false
  }
}

/** Whether the key is the operation's own, which tells of a sale or a reversal. */
export const takesKey = ({ inputs }: Operation): boolean => inputs.some(({ name }) => name === keyHeader)
