import { Record as Rec } from "effect"
import { OpenApi } from "effect/http-api"
import { signatureHeader, timestampHeader } from "./Signature.ts"

/** The meaning of each status, the same for all endpoints. */
const meanings: Readonly<Record<string, string>> = {
  400: "The request cannot be read.",
  401: "The signature is wrong, or its timestamp is too old or too new.",
  403: "The gateway does not serve this caller.",
  404: "The gateway never accepted an operation with this xid.",
  409: "The gateway accepted an operation with this xid but other contents.",
  413: "The request is too long.",
  422: "The gateway can read the request but does not support it.",
  429: "Too many requests. The request may be repeated.",
  "5XX": "The result is unknown. Saldo does not read the body."
}

const securitySchemes = {
  Timestamp: {
    type: "apiKey",
    in: "header",
    name: timestampHeader,
    description:
      "Time of the signature, in Unix seconds. Reject the request with 401 if it differs from the current time by more than 300 seconds."
  },
  Signature: {
    type: "apiKey",
    in: "header",
    name: signatureHeader,
    description:
      "`v1=` followed by an HMAC-SHA256 with the shared secret, in lower-case hex. The signed bytes are: `v1`, the timestamp, the method and the target (path and query) as received, each followed by a line feed; then the body."
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
