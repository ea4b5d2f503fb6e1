import { Clock, Effect, Option } from "effect"
import { Mac } from "effect/crypto"
import { Hex } from "effect/encoding"
import { HttpClientRequest } from "effect/http"

/** When the request was signed, in Unix seconds. */
export const timestampHeader = "Saldo-Timestamp"

/** `v1=` and the HMAC-SHA256 of what `signedBytes` makes, in hex. */
export const signatureHeader = "Saldo-Signature"

const encoder = new TextEncoder()

/** What of a request is signed. */
interface Signed {
  readonly timestamp: string
  readonly method: string
  /** The path, and the query if there is one, as they stand in the request line. */
  readonly target: string
  readonly body: Uint8Array
}

/** A line each for the version, the timestamp, the method and the target; then the body as it is. */
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

/** Signs a request as it will be sent: whoever knows the secret can tell that it is ours, whole and fresh. */
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
