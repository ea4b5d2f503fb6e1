import { Data, Effect, Result, Schema, Stream } from "effect"
import {
  type Headers,
  HttpClient,
  type HttpClientError,
  type HttpClientRequest,
  type HttpClientResponse
} from "effect/http"
import { isProvablyUnsent } from "./SendFailure.ts"

/** What became of a request to somebody else's server. */
export type Exchange = Data.TaggedEnum<{
  /** The answer came back whole; undefined is a body that is no JSON. */
  Answered: { readonly status: number; readonly headers: Headers.Headers; readonly body: unknown }
  /** Provably nothing left this process. */
  NotSent: { readonly error: HttpClientError.HttpClientError }
  /** It may have been received, and acted upon; what came back is nothing, or not a whole answer. */
  Lost: { readonly error: HttpClientError.HttpClientError | AnswerTooLong }
}>
export const Exchange = Data.taggedEnum<Exchange>()

/** More came back than anybody reads. */
class AnswerTooLong extends Data.TaggedError("AnswerTooLong")<{ readonly read_bytes: number }> {}

/** Far more than a whole page of a list; what is longer is no answer to anything that is asked here. */
const answer_max_bytes = 8 * 1024 * 1024

/** Sends a request once, and reads the whole answer. A client that repeats requests or follows redirects will not do. */
export const exchange = (
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<Exchange> =>
  client.execute(request).pipe(
    Effect.flatMap((response) =>
      Effect.map(textOf(response), (text) =>
        Exchange.Answered({ status: response.status, headers: response.headers, body: jsonOf(text) })
      )
    ),
    Effect.catch((error) =>
      Effect.succeed(
        error._tag === "HttpClientError" && isProvablyUnsent(error)
          ? Exchange.NotSent({ error })
          : Exchange.Lost({ error })
      )
    ),
    // The ids of this service's own traces are nobody else's business.
    Effect.provideService(HttpClient.TracerPropagationEnabled, false)
  )

/** Reads the whole of an answer. */
export const textOf = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.suspend(() => {
    const chunks: Array<Uint8Array> = []
    let read_bytes = 0
    return Stream.runForEach(response.stream, (chunk) => {
      chunks.push(chunk)
      read_bytes += chunk.length
      return read_bytes > answer_max_bytes ? Effect.fail(new AnswerTooLong({ read_bytes })) : Effect.void
    }).pipe(Effect.map(() => Buffer.concat(chunks).toString("utf8")))
  })

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

const jsonOf = (text: string): unknown => Result.getOrUndefined(decodeJson(text))
