import { Data, Effect, Result, Schema } from "effect"
import type { Headers, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { isProvablyUnsent } from "./SendFailure.ts"

/** What became of a request to somebody else's server. */
export type Exchange = Data.TaggedEnum<{
  /** The answer came back whole; undefined is a body that is no JSON. */
  Answered: { readonly status: number; readonly headers: Headers.Headers; readonly body: unknown }
  /** Provably nothing left this process. */
  NotSent: { readonly error: HttpClientError.HttpClientError }
  /** It may have been received, and acted upon; what came back is nothing, or not a whole answer. */
  Lost: { readonly error: HttpClientError.HttpClientError }
}>
export const Exchange = Data.taggedEnum<Exchange>()

/** Sends a request once, and reads the answer. A client that repeats requests or follows redirects will not do. */
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
