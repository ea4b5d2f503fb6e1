import { Data, Effect, type Schema } from "effect"
import { HttpClientError } from "effect/http"
import { isProvablyUnsent } from "./SendFailure.ts"
import type { Conflict, NotFound, NotProcessed } from "./Wire.ts"

/** What came of asking a gateway. Anything that is not firm is Unknown. */
export type GatewayReply<A> = Data.TaggedEnum<{
  Answered: { readonly answer: A }
  /** Provably nothing was done: nothing left this process, or the gateway says so in as many words. */
  NotDone: { readonly reason: string }
  /** The gateway says that it has no such operation. */
  NotFound: {}
  Unknown: { readonly reason: string }
}>
interface GatewayReplyDefinition extends Data.TaggedEnum.WithGenerics<1> {
  readonly taggedEnum: GatewayReply<this["A"]>
}
export const GatewayReply = Data.taggedEnum<GatewayReplyDefinition>()

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
 * Makes a call to a gateway, and tells what came of it. What cannot be read, or speaks of something else, is as good as
 * no answer, and an error in the log: the operator has to correct the gateway.
 */
export const askGateway = <A, B, R>(
  call: Effect.Effect<A, Failure, R>,
  { id, operation, read }: Question<A, B>
): Effect.Effect<GatewayReply<B>, never, R> =>
  call.pipe(
    Effect.matchEffect({
      onSuccess: (answer): Effect.Effect<GatewayReply<B>> => {
        const meaning = read(answer)
        return meaning === null
          ? wrong("the answer contradicts the question")
          : Effect.succeed(GatewayReply.Answered({ answer: meaning }))
      },
      onFailure: (failure) => ("outcome" in failure ? refused(id, failure) : failed(failure))
    }),
    Effect.annotateLogs(id === null ? { operation } : { operation, xid: id })
  )

const wrong = (reason: string, details: Readonly<Record<string, unknown>> = {}): Effect.Effect<GatewayReply<never>> =>
  Effect.as(
    Effect.logError("a gateway answered what it must not", { reason, ...details }),
    GatewayReply.Unknown({ reason })
  )

const refused = (id: string | null, refusal: Refused): Effect.Effect<GatewayReply<never>> => {
  if (refusal.xid !== undefined && refusal.xid !== id) return wrong("the refusal is about something else")
  switch (refusal.outcome) {
    case "not_found":
      return Effect.succeed(GatewayReply.NotFound())
    case "conflict":
      return wrong("the gateway knows something else by this name")
    case "not_processed": {
      const { reason = "it was not processed" } = refusal
      return Effect.as(
        Effect.logWarning("a gateway did not process a request", { reason }),
        GatewayReply.NotDone({ reason })
      )
    }
  }
}

const failed = (failure: HttpClientError.HttpClientError | Schema.SchemaError): Effect.Effect<GatewayReply<never>> => {
  if (!HttpClientError.isHttpClientError(failure)) {
    return wrong("the answer cannot be read", { issue: failure.message })
  }
  const { reason, response } = failure
  if (response !== undefined && response.status < serverError) {
    return wrong("the answer cannot be read", { status: response.status })
  }
  const reply = isProvablyUnsent(failure)
    ? GatewayReply.NotDone({ reason: "the gateway was not reached" })
    : GatewayReply.Unknown({ reason: "the gateway did not answer" })
  const seen = response === undefined ? { cause: reason.cause } : { status: response.status }
  return Effect.as(Effect.logWarning("a gateway failed", seen), reply)
}
