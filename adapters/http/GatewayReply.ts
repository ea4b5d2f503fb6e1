import { Data, Effect, type Schema } from "effect"
import { HttpClientError } from "effect/http"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { type Delivery, DispatchAnswer } from "../../core/domain/Sale.ts"
import { isProvablyUnsent } from "./Exchange.ts"
import type { Conflict, NotFound, NotProcessed } from "./GatewayProtocol.ts"

/** The result of a gateway call. A result that is not definite is Unknown. */
export type GatewayReply<A> = Data.TaggedEnum<{
  Answered: { readonly answer: A }
  /**
   * The gateway provably did nothing: either the request never left this process, or the gateway answered `not_processed`.
   */
  NotDone: { readonly reason: string }
  /** The gateway answered that it does not know the operation. */
  NotFound: {}
  Unknown: { readonly reason: string }
}>
interface GatewayReplyDefinition extends Data.TaggedEnum.WithGenerics<1> {
  readonly taggedEnum: GatewayReply<this["A"]>
}
export const GatewayReply = Data.taggedEnum<GatewayReplyDefinition>()

/** A call to a gateway, with the rule for interpreting its response. */
interface Question<A, B> {
  readonly operation: string
  /** Saldo's id of the operation. Null for calls that concern no operation. */
  readonly id: string | null
  /** Interprets the response. Null if the response contradicts the request. */
  readonly read: (answer: A) => B | null
}

type Refused = NotProcessed | NotFound | Conflict
type Failure = HttpClientError.HttpClientError | Schema.SchemaError | Refused

// After a server error, it is unknown whether the gateway executed the request.
const serverError = 500

/**
 * Calls a gateway and classifies the result. A response that is unreadable, or that concerns another operation, becomes
 * Unknown and is logged as an error, because the operator must correct the gateway.
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
          ? gatewayFault("the answer contradicts the request")
          : Effect.succeed(GatewayReply.Answered({ answer: meaning }))
      },
      onFailure: (failure) => ("outcome" in failure ? refused(id, failure) : failed(failure))
    }),
    Effect.annotateLogs(id === null ? { operation } : { operation, xid: id })
  )

const gatewayFault = (
  reason: string,
  details: Readonly<Record<string, unknown>> = {}
): Effect.Effect<GatewayReply<never>> =>
  Effect.as(
    Effect.logError("a gateway response violates the protocol", { reason, ...details }),
    GatewayReply.Unknown({ reason })
  )

const refused = (id: string | null, refusal: Refused): Effect.Effect<GatewayReply<never>> => {
  if (refusal.xid !== undefined && refusal.xid !== id) return gatewayFault("the refusal is about another operation")
  switch (refusal.outcome) {
    case "not_found":
      return Effect.succeed(GatewayReply.NotFound())
    case "conflict":
      return gatewayFault("the gateway knows another operation with this xid")
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
    return gatewayFault("the answer cannot be read", { issue: failure.message })
  }
  const { reason, response } = failure
  if (response !== undefined && response.status < serverError) {
    return gatewayFault("the answer cannot be read", { status: response.status })
  }
  const reply = isProvablyUnsent(failure)
    ? GatewayReply.NotDone({ reason: "the gateway could not be reached" })
    : GatewayReply.Unknown({ reason: "the gateway did not answer" })
  const seen = response === undefined ? { cause: reason.cause } : { status: response.status }
  return Effect.as(Effect.logWarning("a gateway failed", seen), reply)
}

/** The state of an order: the answers that a dispatch and a status query have in common. */
export type OrderState<Proof = Delivery> = Extract<StatusAnswer<Proof>, DispatchAnswer<Proof>>

/** Interprets a gateway's reply to a dispatch. Contract: 3.1. */
export const toDispatchAnswer = <Proof>(reply: GatewayReply<OrderState<Proof>>): DispatchAnswer<Proof> =>
  GatewayReply.$match(reply, {
    Answered: ({ answer }): DispatchAnswer<Proof> => answer,
    NotDone: () => DispatchAnswer.NotSent(),
    NotFound: () => DispatchAnswer.Unknown(),
    Unknown: () => DispatchAnswer.Unknown()
  })

/**
 * Interprets a gateway's reply to a status query. A query that the gateway did not process says nothing about the
 * order.
 */
export const toStatusAnswer = <Proof>(reply: GatewayReply<OrderState<Proof>>): StatusAnswer<Proof> =>
  GatewayReply.$match(reply, {
    Answered: ({ answer }): StatusAnswer<Proof> => answer,
    NotDone: () => StatusAnswer.NotAsked(),
    NotFound: () => StatusAnswer.NotFound(),
    Unknown: () => StatusAnswer.Unknown()
  })
