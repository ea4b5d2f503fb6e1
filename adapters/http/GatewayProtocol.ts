import { Record as Rec, Schema, SchemaGetter } from "effect"
import { HttpApiSchema, OpenApi } from "effect/http-api"
import { xidPrefixPattern } from "../../core/domain/Idempotency.ts"
import { Amount } from "../../core/domain/Money.ts"
import { isClean, TextBetween, withoutHidden } from "../../core/domain/Text.ts"
import { signatureHeader, timestampHeader } from "./GatewayClient.ts"

/** The meaning of each HTTP status. It is the same for all endpoints. */
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

const documentedOperation = ({ responses, security: _, ...rest }: Operation) => ({
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
const withoutClosedObjects = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && "additionalProperties" in value
    ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== "additionalProperties"))
    : value

/** Annotations for the OpenAPI document of a gateway protocol. */
export const protocolAnnotations = (title: string, description: string) =>
  OpenApi.annotations({
    title,
    version: "1.0.0",
    description,
    servers: [{ url: "https://gateway.example.com" }],
    transform: (generated) => ({
      ...generated,
      paths: Rec.map(generated["paths"], (methods: Readonly<Record<string, Operation>>) =>
        Rec.map(methods, documentedOperation)
      ),
      components: { ...JSON.parse(JSON.stringify(generated["components"]), withoutClosedObjects), securitySchemes },
      security: [{ Timestamp: [], Signature: [] }]
    })
  })

/** A field that the external service may omit or set to null. */
export const optionalOrNull = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const storable = (length_max: number) => Schema.isPattern(new RegExp(`^[^\\p{Cc}\\p{Cs}]{1,${length_max}}$`, "u"))

/** Reads a text without its hidden characters. */
export const readVisible = <S extends Schema.Codec<string>>(sent: S, length_max: number) =>
  sent.pipe(
    Schema.decodeTo(TextBetween(1, length_max), {
      decode: SchemaGetter.transform(withoutHidden),
      encode: SchemaGetter.passthrough()
    })
  )

/**
 * Text that people read: 1 to `length_max` characters, no control characters, no lone surrogates. Hidden
 * characters are removed, because money should not stay held because of them.
 */
export const printableText = (length_max: number, description?: string) => {
  const sent = Schema.String.check(storable(length_max))
  // The OpenAPI document describes the text as it is sent. So the description is set before the hidden characters are
  // removed.
  return readVisible(description === undefined ? sent : sent.annotate({ description }), length_max)
}

/**
 * A reference that the external service has chosen. Saldo repeats it in later requests, so hidden characters cannot be
 * removed. An answer with hidden characters in a reference counts as unreadable.
 */
export const referenceText = (length_max: number) =>
  // The OpenAPI document takes the description from the last check.
  Schema.String.check(Schema.makeFilter(isClean), storable(length_max))

/** Requires that all items of a list have different names. Otherwise a caller could not choose between two items. */
export const distinct =
  <A>(nameOf: (item: A) => string) =>
  (items: ReadonlyArray<A>): boolean =>
    new Set(items.map(nameOf)).size === items.length

/** A machine-readable reason, for example `stale_timestamp`. It is never a sentence. */
export const reasonCode = Schema.String.check(Schema.isPattern(/^[a-z0-9_]{1,64}$/u))

/** The id of a sale, reversal or policy in calls to a gateway. Contract: 2.5. */
export const Xid = Schema.String.check(
  Schema.isPattern(new RegExp(`^${xidPrefixPattern}-[0-9a-f]{24}$`, "u"))
).annotate({
  identifier: "Xid",
  description: "Saldo's id of the operation. A request that repeats an xid is about the same operation.",
  examples: ["RD-5f2b8c0d9e4a7163b8f0a1c2"]
})

/** An instant in UTC. */
export const Instant = Schema.String.annotate({
  identifier: "Instant",
  description: "ISO 8601, in UTC.",
  format: "date-time",
  examples: ["2026-03-02T14:30:00.000Z"]
})

/** An amount of money in gateway protocols. */
export const AmountCentavos = Amount.annotate({
  identifier: "AmountCentavos",
  description: "Integer centavos: 10000 means 100 pesos."
})

export const Currency = Schema.Literal("DOP")

const outcome = <const Outcome extends string>(name: Outcome) => Schema.Literal(name)

/** The gateway did nothing for this request and will do nothing for it later. */
export const NotProcessed = Schema.Struct({
  outcome: outcome("not_processed"),
  xid: Schema.optionalKey(Xid),
  reason: Schema.optionalKey(
    reasonCode.annotate({ description: "The reason, for the operator's log, for example `stale_timestamp`." })
  )
}).annotate({
  identifier: "NotProcessed",
  description:
    "The gateway did nothing for this request or for an earlier request with this xid, and will do nothing for them later. Saldo may repeat the request."
})
export type NotProcessed = typeof NotProcessed.Type

/** The gateway has never accepted an operation with this xid. */
export const NotFound = Schema.Struct({ outcome: outcome("not_found"), xid: Xid }).annotate({
  identifier: "NotFound",
  description: "The gateway never accepted an operation with this xid."
})
export type NotFound = typeof NotFound.Type

/** The gateway knows a different operation with this xid. */
export const Conflict = Schema.Struct({ outcome: outcome("conflict"), xid: Xid }).annotate({
  identifier: "Conflict",
  description:
    "The gateway has already accepted an operation with this xid but different contents. It did nothing for this request."
})
export type Conflict = typeof Conflict.Type

/**
 * The responses that state that the gateway did nothing. No other response with a status below 500 has this meaning.
 */
export const notProcessed = [400, 401, 403, 413, 422, 429].map((status) =>
  NotProcessed.pipe(HttpApiSchema.status(status))
)
export const notFound = NotFound.pipe(HttpApiSchema.status(404))
export const conflict = Conflict.pipe(HttpApiSchema.status(409))
