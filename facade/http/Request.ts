import { Buffer, isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { ByteSize, Context, Effect, Option, Result } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { NetAddress } from "effect/net"
import { BodyTooLarge, type Invalid, NotJson } from "../../core/domain/Errors.ts"
import { type Call, emptyReply, HttpOptions, type HttpOptionsShape, RequestLog } from "../api/Call.ts"
import { keyHeader } from "../api/Input.ts"
import { malformedBody, readJson } from "../api/Json.ts"

type Request = HttpServerRequest.HttpServerRequest

const messageOf = (request: Request) => NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage

/**
 * All values of a header, in the order in which the client sent them. Node's `headers` is not used, because it keeps
 * only the first value of some headers and joins the values of others.
 *
 * @param name in lower case.
 */
const valuesIn = ({ rawHeaders }: IncomingMessage, name: string): ReadonlyArray<string> => {
  const values: Array<string> = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? ""
    // Comparing the lengths first saves most conversions, about 1 µs of each call.
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? "")
  }
  return values
}

/** The value of a header. Several values are joined. */
export const headerIn = (message: IncomingMessage, name: string): string | undefined => {
  const values = valuesIn(message, name)
  return values.length === 0 ? undefined : values.join(", ")
}

/** The value of a header. Several values are joined. */
export const headerOf = (request: Request, name: string): string | undefined => headerIn(messageOf(request), name)

// Node reads headers as Latin-1, but most clients write UTF-8.
const decoded = (value: string): string => {
  const bytes = Buffer.from(value, "latin1")
  return isUtf8(bytes) ? bytes.toString("utf8") : value
}

/**
 * The Idempotency-Key of a request. If a request has several keys, the result is a list, which every reader of a key
 * rejects.
 */
export const keyOf = (request: Request): string | ReadonlyArray<string> | undefined => {
  const [key, ...others] = valuesIn(messageOf(request), keyHeader.toLowerCase())
  return key === undefined ? undefined : others.length > 0 ? [key, ...others] : decoded(key)
}

// The canonical spelling of an IP address, or null. One IPv6 address has many spellings. An IPv4 client also has an
// IPv6 spelling if the socket listens on IPv6.
const canonical = (text: string): string | null =>
  Result.getOrNull(Result.map(NetAddress.ipFromString(text), (ip) => NetAddress.formatIp(NetAddress.toCanonical(ip))))

/** The address of the socket, and the X-Forwarded-For header. */
interface Origin {
  readonly remoteAddress: Option.Option<string>
  readonly forwardedFor: string | undefined
}

/**
 * The client's address in canonical spelling. Behind a trusted proxy, it is the last entry of X-Forwarded-For, because
 * the proxy wrote that entry. A client can forge the earlier entries.
 */
export const addressOf = (
  { forwardedFor, remoteAddress }: Origin,
  { trustProxy }: Pick<HttpOptionsShape, "trustProxy">
): string => {
  const last = trustProxy ? forwardedFor?.split(",").at(-1)?.trim() : undefined
  const forwarded = last === undefined ? null : canonical(last)
  if (forwarded !== null) return forwarded
  const seen = Option.getOrElse(remoteAddress, () => "unknown")
  // A socket already reports IPv4 addresses in canonical spelling. An address with a zone, for example fe80::1%eth0,
  // cannot be parsed and stays unchanged.
  return seen.includes(":") ? (canonical(seen) ?? seen) : seen
}

const hostPattern = /^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:.]+\](?::\d{1,5})?$/i

/**
 * The URL at which the client reached the service. It is the configured URL or, if none is configured, the URL in the
 * request.
 */
const baseUrlOf = (request: Request, { publicUrl, trustProxy }: HttpOptionsShape): string => {
  if (publicUrl !== null) return publicUrl
  const host = request.headers["host"] ?? ""
  const secure = trustProxy
    ? request.headers["x-forwarded-proto"] === "https"
    : request.originalUrl.startsWith("https:")
  return `${secure ? "https" : "http"}://${hostPattern.test(host) ? host : "localhost"}`
}

// If a header has several values, it is unclear which value is meant, so the header counts as malformed.
const soleIn = (values: ReadonlyArray<string>): string | undefined => (values.length > 1 ? "" : values[0])

type CallServices = Context.Context<HttpServerRequest.HttpServerRequest | RequestLog>

/** Builds the `Call` for the current request. */
export const callOf = (services: CallServices): Call => {
  const request = Context.get(services, HttpServerRequest.HttpServerRequest)
  const log = Context.get(services, RequestLog)
  const options = Context.get(services, HttpOptions)
  const message = messageOf(request)
  return {
    log,
    requestId: log.about.request_id,
    address: addressOf(
      { remoteAddress: request.remoteAddress, forwardedFor: headerIn(message, "x-forwarded-for") },
      options
    ),
    credentials: {
      authorization: soleIn(valuesIn(message, "authorization")),
      apiKey: headerIn(message, "x-api-key"),
      apiSecret: headerIn(message, "x-api-secret")
    },
    baseUrl: () => baseUrlOf(request, options),
    reply: emptyReply()
  }
}

export const currentCall = Effect.contextWith((services: CallServices) => Effect.succeed(callOf(services)))

/** Parses the URL of a request. The host is a placeholder and is never used. */
export const targetOf = ({ url }: { readonly url: string }): URL => new URL(url, "http://localhost")

// Percent escapes must be valid UTF-8, as bodies must. A percent sign that begins no escape is an ordinary character.
const hasUtf8Escapes = (text: string): boolean => {
  try {
    decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, "%25"))
    return true
  } catch {
    return false
  }
}

/**
 * The parameters of a query. If a parameter is repeated, or is not UTF-8, its value becomes a list. No field accepts a
 * list, so the validation error names the parameter.
 */
export const queryOf = ({ search }: URL): Readonly<Record<string, string | ReadonlyArray<string>>> => {
  const pairs = search
    .slice(1)
    .split("&")
    .flatMap((pair) => Array.from(new URLSearchParams(`?${pair}`), ([name, value]) => ({ name, value, pair })))
  return Object.fromEntries(
    Array.from(
      Map.groupBy(pairs, ({ name }) => name),
      ([name, given]) => {
        const [sole] = given
        const isText = sole !== undefined && given.length === 1 && hasUtf8Escapes(sole.pair)
        return [name, isText ? sole.value : given.map(({ value }) => value)]
      }
    )
  )
}

/** Largest size of a body in bytes, except for endpoints that state a larger one. */
const usualBody_max = 64 * 1024

const jsonType = /^application\/json[ \t]*(?:;|$)/i
const charset = /;[ \t]*charset *= *"?(?<name>[^";\s]+)/i

const isJson = (message: IncomingMessage): boolean => {
  const [type = "", ...others] = valuesIn(message, "content-type")
  if (others.length > 0) return false
  const encoding = headerIn(message, "content-encoding") ?? "identity"
  const characters = charset.exec(type)?.groups?.["name"] ?? "utf-8"
  return jsonType.test(type) && encoding === "identity" && /^utf-?8$/i.test(characters)
}

const bodyError = (cause: unknown): BodyTooLarge | Invalid =>
  cause instanceof NodeStream.MaxBytesError ? new BodyTooLarge() : malformedBody

// Reads the body directly from Node, except if the client sent `Expect: 100-continue`, which only Effect's own reader
// answers. Effect's reader can share the body among several readers, which is not needed here. Sharing starts two more
// fibers per request and takes 2 % of the time of a sale.
const bytesOf = (request: Request, message: IncomingMessage, body_max: number) => {
  const maxBytes = ByteSize.fromInputUnsafe(body_max)
  return headerIn(message, "expect") === undefined
    ? NodeStream.toArrayBuffer(() => message, { maxBytes, destroyOnOverflow: false, onError: bodyError })
    : request.arrayBuffer.pipe(
        Effect.provideService(HttpIncomingMessage.MaxBodySize, maxBytes),
        Effect.mapError(({ reason }) => bodyError(reason.cause))
      )
}

/** Reads a JSON body of limited size. Returns undefined if the request has no body. */
export const readBody = Effect.fnUntraced(function* (request: Request, body_max: number = usualBody_max) {
  const message = messageOf(request)
  const announced = Number(headerIn(message, "content-length") ?? 0)
  if (announced === 0 && headerIn(message, "transfer-encoding") === undefined) return undefined
  if (!isJson(message)) return yield* new NotJson()
  if (announced > body_max) return yield* new BodyTooLarge()
  const bytes = yield* bytesOf(request, message, body_max)
  if (bytes.byteLength === 0) return undefined
  return yield* Effect.fromResult(readJson(new Uint8Array(bytes)))
})
