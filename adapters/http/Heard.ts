import { Data, Effect, type Schema } from "effect"
import { HttpClientError } from "effect/http"
import { isProvablyUnsent } from "./SendFailure.ts"
import type { Conflict, NotFound, NotProcessed } from "./Wire.ts"

/** What came of asking a gateway. Anything that is not firm is Unknown. */
export type Heard<A> = Data.TaggedEnum<{
  Answered: { readonly answer: A }
  /** Provably nothing was done: nothing left this process, or the gateway says so in as many words. */
  NotDone: { readonly reason: string }
  /** The gateway says that it has no such operation. */
  NotFound: {}
  Unknown: { readonly reason: string }
}>
interface HeardDefinition extends Data.TaggedEnum.WithGenerics<1> {
  readonly taggedEnum: Heard<this["A"]>
}
export const Heard = Data.taggedEnum<HeardDefinition>()

/** What is asked. */
interface Question<A, B> {
  readonly operation: string
  /** Our name for what it is about; null for questions that have none. */
  readonly id: string | null
  /** What an answer means; null if it contradicts what was asked. */
  readonly read: (answer: A) => B | null
}

type Refused = NotProcessed | NotFound | Conflict
type Failure = HttpClientError.HttpClientError | Schema.SchemaError | Refused

// A gateway that breaks, or a proxy before it, has not said what it did.
const serverError = 500

/**
 * Hears what a gateway answers. What cannot be read, or speaks of something else, is as good as no answer, and an error
 * for the operator: the gateway has to be corrected.
 */
export const hear = <A, B, R>(
  call: Effect.Effect<A, Failure, R>,
  { id, operation, read }: Question<A, B>
): Effect.Effect<Heard<B>, never, R> =>
  call.pipe(
    Effect.matchEffect({
      onSuccess: (answer): Effect.Effect<Heard<B>> => {
        const meaning = read(answer)
        return meaning === null
          ? wrong("the answer contradicts the question")
          : Effect.succeed(Heard.Answered({ answer: meaning }))
      },
      onFailure: (failure) => ("outcome" in failure ? refused(id, failure) : failed(failure))
    }),
    Effect.annotateLogs(id === null ? { operation } : { operation, xid: id })
  )

const wrong = (reason: string, details: Readonly<Record<string, unknown>> = {}): Effect.Effect<Heard<never>> =>
  Effect.as(Effect.logError("a gateway answered what it must not", { reason, ...details }), Heard.Unknown({ reason }))

const refused = (id: string | null, refusal: Refused): Effect.Effect<Heard<never>> => {
  if (refusal.xid !== undefined && refusal.xid !== id) return wrong("the refusal is about something else")
  switch (refusal.outcome) {
    case "not_found":
      return Effect.succeed(Heard.NotFound())
    case "conflict":
      return wrong("the gateway knows something else by this name")
    case "not_processed": {
      const { reason = "it was not processed" } = refusal
      return Effect.as(Effect.logWarning("a gateway did not process a request", { reason }), Heard.NotDone({ reason }))
    }
  }
}

const failed = (failure: HttpClientError.HttpClientError | Schema.SchemaError): Effect.Effect<Heard<never>> => {
  if (!HttpClientError.isHttpClientError(failure)) {
    return wrong("the answer cannot be read", { issue: failure.message })
  }
  const { reason, response } = failure
  if (response !== undefined && response.status < serverError) {
    return wrong("the answer cannot be read", { status: response.status })
  }
  const heard = isProvablyUnsent(failure)
    ? Heard.NotDone({ reason: "the gateway was not reached" })
    : Heard.Unknown({ reason: "the gateway did not answer" })
  const seen = response === undefined ? { cause: reason.cause } : { status: response.status }
  return Effect.as(Effect.logWarning("a gateway failed", seen), heard)
}
