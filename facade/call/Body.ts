import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import { BodyTooLarge, type Invalid, NotJson } from "../../core/domain/Errors.ts"
import { malformedBody, readJson } from "../wire/Json.ts"
import { headerOf, headerValues } from "./HeaderValues.ts"

const size_max = 64 * 1024
const maxBodySize = ByteSize.fromInputUnsafe(size_max)

const json = /^application\/json[ \t]*(?:;|$)/i
const charset = /;[ \t]*charset *= *"?(?<name>[^";\s]+)/i

const isJson = (request: HttpServerRequest.HttpServerRequest): boolean => {
  const [type = "", ...others] = headerValues(request, "content-type")
  if (others.length > 0) return false
  const encoding = headerOf(request, "content-encoding") ?? "identity"
  const characters = charset.exec(type)?.groups?.["name"] ?? "utf-8"
  return json.test(type) && encoding === "identity" && /^utf-?8$/i.test(characters)
}

const refusal = (cause: unknown): BodyTooLarge | Invalid =>
  cause instanceof NodeStream.MaxBytesError ? new BodyTooLarge() : malformedBody

// The request's own reader sends 100 Continue to clients who wait for that. It also shares what it reads with other
// readers, which takes it two fibers, and there are none.
const bytesOf = (request: HttpServerRequest.HttpServerRequest) =>
  headerOf(request, "expect") === undefined
    ? NodeStream.toArrayBuffer(() => NodeHttpServerRequest.toIncomingMessage(request), {
        maxBytes: maxBodySize,
        destroyOnOverflow: false,
        onError: refusal
      })
    : request.arrayBuffer.pipe(
        Effect.provideService(HttpIncomingMessage.MaxBodySize, maxBodySize),
        Effect.mapError(({ reason }) => refusal(reason.cause))
      )

/** Reads a JSON body of at most 64 KiB; no body at all is undefined. */
export const readBody = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const announced = Number(headerOf(request, "content-length") ?? 0)
  if (announced === 0 && headerOf(request, "transfer-encoding") === undefined) return undefined
  if (!isJson(request)) return yield* new NotJson()
  if (announced > size_max) return yield* new BodyTooLarge()
  const bytes = yield* bytesOf(request)
  if (bytes.byteLength === 0) return undefined
  return yield* Effect.fromResult(readJson(new Uint8Array(bytes)))
})
