import { Buffer, isUtf8 } from "node:buffer"
import type { HttpServerRequest } from "effect/http"
import { headerValues } from "../http/HeaderValues.ts"
import { keyHeader } from "../wire/Input.ts"

const name = keyHeader.toLowerCase()

/** The Idempotency-Key as it was sent: nothing, one text, or several, which no reader of a key accepts. */
export const keyOf = (request: HttpServerRequest.HttpServerRequest): string | ReadonlyArray<string> | undefined => {
  const values = headerValues(request, name)
  return values.length > 1 ? values : values[0] === undefined ? undefined : asText(values[0])
}

// Node reads headers as Latin-1; most clients write UTF-8.
const asText = (value: string): string => {
  const bytes = Buffer.from(value, "latin1")
  return isUtf8(bytes) ? bytes.toString("utf8") : value
}
