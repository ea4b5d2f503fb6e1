import { Record as Rec } from "effect"
import { OpenApi } from "effect/http-api"
import { signatureHeader, timestampHeader } from "./Signature.ts"

/** The meaning of each status, the same for all endpoints. */
const meanings: Readonly<Record<string, string>> = {
  400: "The request cannot be read.",
  401: "The signature is wrong, or its timestamp is too old or too new.",
  403: "The gateway does not serve this caller.",
  404: "The gateway has accepted nothing of that xid.",
  409: "The gateway has accepted something else by that xid.",
  413: "The request is longer than the gateway reads.",
  422: "The gateway can read the request, and has nothing to do with such things.",
  429: "Too many requests. It may come again.",
  "5XX": "Nothing is known. A body, if there is one, is not read."
}

const securitySchemes = {
  Timestamp: {
    type: "apiKey",
    in: "header",
    name: timestampHeader,
    description: "When the request was signed, in Unix seconds. Refuse it with 401 when that is over 300 seconds away."
  },
  Signature: {
    type: "apiKey",
    in: "header",
    name: signatureHeader,
    description:
      "`v1=` and, in lower-case hex, the HMAC-SHA256 under the shared secret of: `v1`, the timestamp, the method and the target (path and query) as they came, each followed by a line feed; and then the bytes of the body."
  }
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly description: string }>>
  readonly security?: unknown
}

const operation = ({ responses, security: _, ...rest }: Operation) => ({
  ...rest,
  responses: Object.fromEntries(
    Object.entries({ ...responses, "5XX": { description: "" } }).map(([status, response]) => [
      status,
      { ...response, description: meanings[status] ?? response.description }
    ])
  )
})

// The generator forbids additional properties. The protocol allows them: each side ignores fields that it does not
// know, so both can add fields.
const open = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && "additionalProperties" in value
    ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== "additionalProperties"))
    : value

/** Annotations for the OpenAPI document of a gateway protocol. */
export const documented = (title: string, description: string) =>
  OpenApi.annotations({
    title,
    version: "1.0.0",
    description,
    servers: [{ url: "https://gateway.example.com" }],
    transform: (generated) => ({
      ...generated,
      paths: Rec.map(generated["paths"], (methods: Readonly<Record<string, Operation>>) => Rec.map(methods, operation)),
      components: { ...JSON.parse(JSON.stringify(generated["components"]), open), securitySchemes },
      security: [{ Timestamp: [], Signature: [] }]
    })
  })
