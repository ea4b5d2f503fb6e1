import { readFileSync } from "node:fs"
import { heldTo } from "../api/HeldTo.ts"
import type { Asked, Reply } from "./Misbehaviour.ts"

/** The protocols that have a document of that name in docs/providers. */
export type ProtocolName = "http" | "insurer" | "sms"

interface Operation {
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, { readonly content?: unknown }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** The document of a protocol as it stands in docs/providers. */
export const protocolDocument = (name: ProtocolName): Document =>
  JSON.parse(readFileSync(new URL(`../../docs/providers/${name}.openapi.json`, import.meta.url), "utf8"))

const json = ["content", "application/json", "schema"]

/** Says how exchanges are outside a protocol's document. */
export const protocol = (name: ProtocolName) => {
  const document = protocolDocument(name)
  const faultsBy = heldTo(document)

  const operationOf = ({ method, path }: Asked) => {
    const verb = method.toLowerCase()
    const template = Object.keys(document.paths).find((known) =>
      new RegExp(`^${known.replace(/\{\w+\}/g, "[^/]+")}$`).test(path)
    )
    const operation = template === undefined ? undefined : document.paths[template]?.[verb]
    return template === undefined || operation === undefined ? null : { operation, place: ["paths", template, verb] }
  }

  return {
    /** What is wrong with a request. */
    ofRequest: (asked: Asked): ReadonlyArray<string> => {
      const found = operationOf(asked)
      if (found === null) return [`${asked.method} ${asked.path} is not declared`]
      if (found.operation.requestBody === undefined) return asked.text === "" ? [] : ["there is a body"]
      return faultsBy([...found.place, "requestBody", ...json], asked.body)
    },
    /** What is wrong with an answer. */
    ofReply: (asked: Asked, { body, status }: Reply): ReadonlyArray<string> => {
      const found = operationOf(asked)
      const declared = found?.operation.responses[status]
      if (found === null || declared === undefined) return [`${status} is not declared`]
      return faultsBy([...found.place, "responses", String(status), ...json], body)
    }
  }
}
