import { Effect, flow, Redacted } from "effect"
import { Mac } from "effect/crypto"
import { HttpClient, HttpClientRequest } from "effect/http"
import { signed } from "./Signature.ts"

/** Where a gateway that the operator wrote is, and the secret that it shares with us. */
export interface GatewayOptions {
  /** The paths of its protocol come after this one; a slash at the end makes no difference. */
  readonly baseUrl: string
  readonly secret: Redacted.Redacted
}

const encoder = new TextEncoder()

/** Makes clients of a gateway: their requests all go there, and are signed. */
export const gatewayClient = Effect.fnUntraced(function* ({ baseUrl, secret }: GatewayOptions) {
  const mac = yield* Mac.Mac
  const key = yield* Effect.orDie(Mac.key(Mac.hmacSha256, encoder.encode(Redacted.value(secret))))
  return (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    client.pipe(
      HttpClient.mapRequest(flow(HttpClientRequest.prependUrl(baseUrl), HttpClientRequest.acceptJson)),
      HttpClient.mapRequestEffect((request) => Effect.provideService(signed(key, request), Mac.Mac, mac))
    )
})
