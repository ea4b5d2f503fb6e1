import { Buffer, isUtf8 } from "node:buffer"
import type { HttpServerRequest } from "effect/http"
import { Invalid, type NotFound } from "../../core/domain/Errors.ts"
import { headerValues } from "../call/HeaderValues.ts"
import { keyField } from "../wire/Input.ts"

/** The header that REST takes an operation's key from. */
export const keyHeader = "Idempotency-Key"

const name = keyHeader.toLowerCase()
const plain = /^[ -~]*$/

/** The Idempotency-Key as it was sent: nothing, one text, or several, which no reader of a key accepts. */
export const keyOf = (request: HttpServerRequest.HttpServerRequest): string | ReadonlyArray<string> | undefined => {
  const values = headerValues(request, name)
  return values.length > 1 ? values : values[0] === undefined ? undefined : asText(values[0])
}

// Node reads headers as Latin-1; most clients write UTF-8. To nearly all keys that is the same.
const asText = (value: string): string => {
  if (plain.test(value)) return value
  const bytes = Buffer.from(value, "latin1")
  return isUtf8(bytes) ? bytes.toString("utf8") : value
}

/** A fault of an input, which names the key as the client sent it: by its header. */
export const byHeader = (fault: Invalid | NotFound): Invalid | NotFound => {
  const reason = fault._tag === "Invalid" ? fault.details[keyField] : undefined
  return reason === undefined ? fault : new Invalid({ details: { [keyHeader]: reason } })
}
