import { Data, Effect, Stream } from "effect"
import { HttpClientError, HttpClientResponse } from "effect/http"

/** The response exceeds the maximum size. */
class ResponseTooLong extends Data.TaggedError("AnswerTooLong")<{ readonly read_bytes: number }> {}

/** Maximum size of a response. A full page of any list is far smaller. */
const answer_max_bytes = 8 * 1024 * 1024

const textOf = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.suspend(() => {
    const chunks: Array<Uint8Array> = []
    let read_bytes = 0
    return Stream.runForEach(response.stream, (chunk) => {
      chunks.push(chunk)
      read_bytes += chunk.length
      return read_bytes > answer_max_bytes ? Effect.fail(new ResponseTooLong({ read_bytes })) : Effect.void
    }).pipe(Effect.map(() => Buffer.concat(chunks).toString("utf8")))
  })

const unreadable = (response: HttpClientResponse.HttpClientResponse) => (cause: unknown) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.DecodeError({ request: response.request, response, cause })
  })

/**
 * Reads a response completely, up to the maximum size. Without a limit, decoding would read a response of any length.
 */
export const readWhole = (response: HttpClientResponse.HttpClientResponse) =>
  textOf(response).pipe(
    Effect.catchTag("AnswerTooLong", (tooLong) => Effect.fail(unreadable(response)(tooLong))),
    Effect.catchIf(
      ({ reason }) => reason._tag === "EmptyBodyError",
      () => Effect.succeed("")
    ),
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
