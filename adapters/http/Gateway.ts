import { Effect, flow, Redacted } from "effect"
import { Mac } from "effect/crypto"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { textOf } from "./Exchange.ts"
import { signed } from "./Signature.ts"

/** Where a gateway that the operator wrote is, and the secret that it shares with us. */
export interface GatewayOptions {
  /** The paths of its protocol come after this one; a slash at the end makes no difference. */
  readonly baseUrl: string
  readonly secret: Redacted.Redacted
}

const encoder = new TextEncoder()

const unreadable = (response: HttpClientResponse.HttpClientResponse) => (cause: unknown) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.DecodeError({ request: response.request, response, cause })
  })

// Read here, because whoever decodes an answer reads it however long it is.
const whole = (response: HttpClientResponse.HttpClientResponse) =>
  textOf(response).pipe(
    Effect.catchTag("AnswerTooLong", (tooLong) => Effect.fail(unreadable(response)(tooLong))),
    Effect.flatMap((text) =>
      Effect.try({
        try: () => {
          const { headers, request, status } = response
          return HttpClientResponse.fromWeb(request, new Response(text === "" ? null : text, { headers, status }))
        },
        catch: unreadable(response)
      })
    )
  )

/** Turns clients into ones whose requests all go to the gateway, and are signed. */
export const towards = Effect.fnUntraced(function* ({ baseUrl, secret }: GatewayOptions) {
  const mac = yield* Mac.Mac
  const key = yield* Effect.orDie(Mac.key(Mac.hmacSha256, encoder.encode(Redacted.value(secret))))
  return (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    client.pipe(
      HttpClient.mapRequest(flow(HttpClientRequest.prependUrl(baseUrl), HttpClientRequest.acceptJson)),
      HttpClient.mapRequestEffect((request) => Effect.provideService(signed(key, request), Mac.Mac, mac)),
      HttpClient.transformResponse(Effect.flatMap(whole))
    )
})
