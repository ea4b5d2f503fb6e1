import { Buffer, isUtf8 } from "node:buffer"
import { NodeHttpServerRequest } from "@effect/platform-node"
import type { HttpServerRequest } from "effect/http"
import { keyHeader } from "../wire/Input.ts"

const name = keyHeader.toLowerCase()

/**
 * The Idempotency-Key as it was sent: nothing, one text, or several, which no reader of a key accepts. Node would join
 * several into one that nobody sent.
 */
export const keyOf = (request: HttpServerRequest.HttpServerRequest): string | ReadonlyArray<string> | undefined => {
  const { rawHeaders } = NodeHttpServerRequest.toIncomingMessage(request)
  const values: Array<string> = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? "")
  }
  return values.length > 1 ? values : values[0] === undefined ? undefined : asText(values[0])
}

// Node reads headers as Latin-1; most clients write UTF-8.
const asText = (value: string): string => {
  const bytes = Buffer.from(value, "latin1")
  return isUtf8(bytes) ? bytes.toString("utf8") : value
}
