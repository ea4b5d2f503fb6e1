import type { JsonSchema } from "../wire/Document.ts"

/** What a person reads, of a success and of a failure alike. */
export const messageSchema = { type: "string", description: "Para personas; puede cambiar." }

/** The one shape of an answer in JSON. Contract: 2.1. */
const envelope = (success: boolean, body: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: "object",
  required: ["success", ...Object.keys(body), "request_id"],
  properties: { success: { const: success }, ...body, request_id: { type: "string", format: "uuid" } }
})

export const successSchema = (data: JsonSchema) => envelope(true, { data, message: messageSchema })

export const failureSchema = (error: JsonSchema) => envelope(false, { error })
