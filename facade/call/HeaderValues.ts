import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type { HttpServerRequest } from "effect/http"

/**
 * The values of a header, one for each time that it was sent. Node would keep the first, or join them into one that
 * nobody sent.
 *
 * @param name in small letters.
 */
export const headerValues = (request: HttpServerRequest.HttpServerRequest, name: string): ReadonlyArray<string> => {
  const { rawHeaders } = NodeHttpServerRequest.toIncomingMessage(request)
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
}
