import { Effect, flow, Redacted } from "effect"
import { Mac } from "effect/crypto"
import { HttpClient, HttpClientRequest } from "effect/http"
import { signed } from "./Signature.ts"

/** The address of a gateway, and the secret that it shares with Saldo. */
export interface GatewayOptions {
  /** The prefix of all paths of the protocol. A trailing slash makes no difference. */
  readonly baseUrl: string
  readonly secret: Redacted.Redacted
}

const encoder = new TextEncoder()

/** Makes HTTP clients that send signed requests to the gateway. */
export const gatewayClient = Effect.fnUntraced(function* ({ baseUrl, secret }: GatewayOptions) {
  const mac = yield* Mac.Mac
  const key = yield* Effect.orDie(Mac.key(Mac.hmacSha256, encoder.encode(Redacted.value(secret))))
  return (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    client.pipe(
      HttpClient.mapRequest(flow(HttpClientRequest.prependUrl(baseUrl), HttpClientRequest.acceptJson)),
      HttpClient.mapRequestEffect((request) => Effect.provideService(signed(key, request), Mac.Mac, mac))
    )
})
