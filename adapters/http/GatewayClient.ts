import { Clock, Effect, flow, Option, Redacted } from "effect"
import { Mac } from "effect/crypto"
import { Hex } from "effect/encoding"
import { HttpClient, HttpClientRequest } from "effect/http"

/** Header with the time of the signature, in Unix seconds. */
export const timestampHeader = "Saldo-Timestamp"

/** Header with the signature: `v1=` followed by the HMAC-SHA256 of `signedBytes`, in hex. */
export const signatureHeader = "Saldo-Signature"

const encoder = new TextEncoder()

/** The signed parts of a request. */
interface SignedParts {
  readonly timestamp: string
  readonly method: string
  /** The path and query string, exactly as in the request line. */
  readonly target: string
  readonly body: Uint8Array
}

/**
 * The bytes that the signature covers: version, timestamp, method and target, each on its own line, and then the raw
 * body.
 */
const signedBytes = ({ body, method, target, timestamp }: SignedParts): Uint8Array => {
  const head = encoder.encode(`v1\n${timestamp}\n${method}\n${target}\n`)
  const bytes = new Uint8Array(head.length + body.length)
  bytes.set(head)
  bytes.set(body, head.length)
  return bytes
}

const emptyBody = new Uint8Array()

const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest): Uint8Array =>
  body._tag === "Uint8Array" ? body.body : emptyBody

const targetOf = (request: HttpClientRequest.HttpClientRequest): string =>
  Option.match(HttpClientRequest.toUrl(request), {
    onNone: () => request.url,
    onSome: ({ pathname, search }) => pathname + search
  })

/**
 * Signs a request just before it is sent. A receiver with the secret can verify that the request comes from Saldo, is
 * unchanged and is recent.
 */
const signRequest = Effect.fnUntraced(function* (key: Mac.Key, request: HttpClientRequest.HttpClientRequest) {
  const mac = yield* Mac.Mac
  const timestamp = String(Math.floor((yield* Clock.currentTimeMillis) / 1000))
  const { method } = request
  const bytes = signedBytes({ timestamp, method, target: targetOf(request), body: bodyOf(request) })
  const tag = yield* Effect.orDie(mac.sign(key, bytes))
  return HttpClientRequest.setHeaders(request, {
    [timestampHeader]: timestamp,
    [signatureHeader]: `v1=${Hex.encode(tag)}`
  })
})

/** The address of a gateway, and the secret that it shares with Saldo. */
export interface GatewayOptions {
  /** The prefix of all paths of the protocol. A trailing slash makes no difference. */
  readonly baseUrl: string
  readonly secret: Redacted.Redacted
}

/** Makes HTTP clients that send signed requests to the gateway. */
export const gatewayClient = Effect.fnUntraced(function* ({ baseUrl, secret }: GatewayOptions) {
  const mac = yield* Mac.Mac
  const key = yield* Effect.orDie(Mac.key(Mac.hmacSha256, encoder.encode(Redacted.value(secret))))
  return (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    client.pipe(
      HttpClient.mapRequest(flow(HttpClientRequest.prependUrl(baseUrl), HttpClientRequest.acceptJson)),
      HttpClient.mapRequestEffect((request) => Effect.provideService(signRequest(key, request), Mac.Mac, mac))
    )
})
