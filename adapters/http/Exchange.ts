import { Data, Effect, Result, Schema } from "effect"
import type { Headers, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { isProvablyUnsent } from "./SendFailure.ts"

/** The result of an HTTP request to an external service. */
export type Exchange = Data.TaggedEnum<{
  /** The complete response arrived. The body is undefined if it is not JSON. */
  Answered: { readonly status: number; readonly headers: Headers.Headers; readonly body: unknown }
  /** The request provably never left this process. */
  NotSent: { readonly error: HttpClientError.HttpClientError }
  /** The service may have received and executed the request, but no complete response arrived. */
  Lost: { readonly error: HttpClientError.HttpClientError }
}>
export const Exchange = Data.taggedEnum<Exchange>()

/** Sends a request once and reads the response. The client must not retry requests or follow redirects. */
export const exchange = (
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<Exchange> =>
  client.execute(request).pipe(
    Effect.flatMap((response) =>
      Effect.map(response.text, (text) =>
        Exchange.Answered({ status: response.status, headers: response.headers, body: jsonOf(text) })
      )
    ),
    Effect.catch((error) =>
      Effect.succeed(isProvablyUnsent(error) ? Exchange.NotSent({ error }) : Exchange.Lost({ error }))
    )
  )

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

const jsonOf = (text: string): unknown => Result.getOrUndefined(decodeJson(text))
