import { Data, Effect, Stream } from "effect"
import { HttpClientError, HttpClientResponse } from "effect/http"

/** More came back than anybody reads. */
class AnswerTooLong extends Data.TaggedError("AnswerTooLong")<{ readonly read_bytes: number }> {}

/** Far more than a whole page of a list; what is longer is no answer to anything that is asked here. */
const answer_max_bytes = 8 * 1024 * 1024

const textOf = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.suspend(() => {
    const chunks: Array<Uint8Array> = []
    let read_bytes = 0
    return Stream.runForEach(response.stream, (chunk) => {
      chunks.push(chunk)
      read_bytes += chunk.length
      return read_bytes > answer_max_bytes ? Effect.fail(new AnswerTooLong({ read_bytes })) : Effect.void
    }).pipe(Effect.map(() => Buffer.concat(chunks).toString("utf8")))
  })

const unreadable = (response: HttpClientResponse.HttpClientResponse) => (cause: unknown) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.DecodeError({ request: response.request, response, cause })
  })

/** An answer that has come back whole: whoever decodes one would read it however long it is. */
export const whole = (response: HttpClientResponse.HttpClientResponse) =>
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
