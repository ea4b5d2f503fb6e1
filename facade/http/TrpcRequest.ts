import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { malformedBody, readJson } from "../api/Json.ts"

type Request = HttpServerRequest.HttpServerRequest

const encoder = new TextEncoder()

/** Reads the `input` parameter of a tRPC query. tRPC's own reader would lose digits of amounts. */
export const queryInput = (text: string | ReadonlyArray<string> | undefined) => {
  if (text === undefined) return Effect.undefined
  return typeof text === "string" ? Effect.fromResult(readJson(encoder.encode(text))) : Effect.fail(malformedBody)
}

/** A request for tRPC's own handler, without the body, which the procedures read themselves. */
export const webRequest = (
  request: Request,
  method: "GET" | "POST",
  url: URL,
  signal: AbortSignal
): globalThis.Request => {
  const { accept, "trpc-accept": trpcAccept } = request.headers
  return new globalThis.Request(url, {
    method,
    headers: {
      // tRPC does not receive the body. Its content type is checked when the body is read.
      "content-type": "application/json",
      ...(accept !== undefined && { accept }),
      ...(trpcAccept !== undefined && { "trpc-accept": trpcAccept })
    },
    signal
  })
}
