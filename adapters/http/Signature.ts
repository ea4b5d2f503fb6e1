import { Clock, Effect, Option } from "effect"
import { Mac } from "effect/crypto"
import { Hex } from "effect/encoding"
import { HttpClientRequest } from "effect/http"

/** Time of the signature, in Unix seconds. */
export const timestampHeader = "Saldo-Timestamp"

/** `v1=` followed by the HMAC-SHA256 of `signedBytes`, in hex. */
export const signatureHeader = "Saldo-Signature"

const encoder = new TextEncoder()

/** The signed parts of a request. */
interface Signed {
  readonly timestamp: string
  readonly method: string
  /** The path and query string, exactly as in the request line. */
  readonly target: string
  readonly body: Uint8Array
}

/** The version, timestamp, method and target, one on each line, followed by the raw body. */
const signedBytes = ({ body, method, target, timestamp }: Signed): Uint8Array => {
  const head = encoder.encode(`v1\n${timestamp}\n${method}\n${target}\n`)
  const bytes = new Uint8Array(head.length + body.length)
  bytes.set(head)
  bytes.set(body, head.length)
  return bytes
}

const nothing = new Uint8Array()

const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest): Uint8Array =>
  body._tag === "Uint8Array" ? body.body : nothing

const targetOf = (request: HttpClientRequest.HttpClientRequest): string =>
  Option.match(HttpClientRequest.toUrl(request), {
    onNone: () => request.url,
    onSome: ({ pathname, search }) => pathname + search
  })

/**
 * Signs a request in its final form. A receiver with the secret can verify that it comes from Saldo, is unchanged and
 * is recent.
 */
export const signed = Effect.fnUntraced(function* (key: Mac.Key, request: HttpClientRequest.HttpClientRequest) {
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
