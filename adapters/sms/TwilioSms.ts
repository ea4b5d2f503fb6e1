import { Effect, flow, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { e164 } from "../../core/domain/Person.ts"
import { DeliveryAnswer, SmsAnswer, type SmsMessage } from "../../core/domain/Sms.ts"
import type { AcceptedSms, SmsGateway } from "../../core/ports/SmsGateway.ts"
import { Exchange, exchange } from "../http/Exchange.ts"
import { printableText } from "../http/GatewayProtocol.ts"

export interface TwilioOptions {
  /** The address of the API: `https://api.twilio.com`, or the address of a Twilio region. */
  readonly baseUrl: string
  readonly accountSid: string
  readonly authToken: Redacted.Redacted
  /** The sender of the SMS: a number, a name, or a messaging service that selects the number. */
  readonly sender: { readonly From: string } | { readonly MessagingServiceSid: string }
}

const found = 200
const created = 201
const tooManyRequests = 429

/**
 * The HTTP statuses for wrong credentials or missing permission, which the operator must correct. With these statuses,
 * Twilio did not process the request.
 */
const turnsAway: ReadonlySet<number> = new Set([401, 403])

// A message with an unexpected error code is still a message, so the type of the code is checked only when the code is
// used.
const Message = Schema.Struct({
  sid: printableText(100),
  status: Schema.String,
  error_code: Schema.optionalKey(Schema.Unknown)
})
const asMessage = Schema.decodeUnknownOption(Message)

const Problem = Schema.Struct({ code: Schema.Int })
const asProblem = Schema.decodeUnknownOption(Problem)

/** The statuses of a failed message. */
const failedStates: ReadonlySet<string> = new Set(["failed", "undelivered", "canceled"])

/** The statuses of a message that reached the phone. */
const deliveredStates: ReadonlySet<string> = new Set(["delivered", "read"])

/** Why a message failed: Twilio's error code or, without one, the status. Null if the message has not failed. */
const failureOf = ({ error_code, status }: typeof Message.Type): string | null =>
  failedStates.has(status) ? `twilio_${Number.isSafeInteger(error_code) ? error_code : status}` : null

// Uses only the codes of Twilio's errors, because the error messages contain the phone number.
const answered = (status: number, body: unknown): SmsAnswer => {
  if (status === tooManyRequests) return SmsAnswer.NotSent({ reason: "twilio_429" })
  if (status === created) {
    return Option.match(asMessage(body), {
      onNone: () => SmsAnswer.Unknown({ reason: "twilio_unreadable" }),
      onSome: (message) => {
        const reason = failureOf(message)
        return reason === null
          ? SmsAnswer.Sent({ reference: message.sid, traceable: true })
          : SmsAnswer.Rejected({ reason })
      }
    })
  }
  const problem = status >= 400 && status < 500 ? asProblem(body) : Option.none()
  return Option.match(problem, {
    onNone: () => SmsAnswer.Unknown({ reason: `twilio_${status}` }),
    onSome: ({ code }) => {
      const reason = `twilio_${code}`
      return turnsAway.has(status) ? SmsAnswer.NotSent({ reason }) : SmsAnswer.Rejected({ reason })
    }
  })
}

/** The delivery of a message. It is `Open` after every response that is not about this message. */
const deliveryIn = ({ reference }: AcceptedSms, status: number, body: unknown): DeliveryAnswer => {
  const message = status === found ? Option.getOrNull(asMessage(body)) : null
  if (message?.sid !== reference) return DeliveryAnswer.Open()
  const reason = failureOf(message)
  if (reason !== null) return DeliveryAnswer.Failed({ reason })
  return deliveredStates.has(message.status) ? DeliveryAnswer.Delivered() : DeliveryAnswer.Open()
}

/** Logs responses that the operator must act on. */
const logAnswer = ({ id }: Pick<SmsMessage, "id">): ((exchanged: Exchange) => Effect.Effect<void>) => {
  const unanswered = ({ error }: { readonly error: { readonly cause?: unknown } }) =>
    Effect.logWarning("Twilio did not answer", { id, cause: error.cause })
  return Exchange.$match({
    Answered: ({ status }) =>
      turnsAway.has(status) ? Effect.logError("Twilio rejected our credentials", { id, status }) : Effect.void,
    NotSent: unanswered,
    Lost: unanswered
  })
}

const ofAccount = ({ accountSid, authToken, baseUrl }: TwilioOptions) =>
  flow(
    HttpClientRequest.prependUrl(`/2010-04-01/Accounts/${accountSid}`),
    HttpClientRequest.prependUrl(baseUrl),
    HttpClientRequest.basicAuth(accountSid, Redacted.value(authToken)),
    HttpClientRequest.acceptJson
  )

const sending = (options: TwilioOptions, { text, to }: SmsMessage) =>
  HttpClientRequest.post("/Messages.json").pipe(
    ofAccount(options),
    HttpClientRequest.bodyUrlParams({ To: e164(to), Body: text, ...options.sender })
  )

const tracing = (options: TwilioOptions, { reference }: AcceptedSms) =>
  ofAccount(options)(HttpClientRequest.get(`/Messages/${encodeURIComponent(reference)}.json`))

/**
 * An SMS gateway through Twilio's Messages API. Twilio does not accept Saldo's SMS id, so an SMS that is sent twice
 * arrives twice. Responses 401, 403 and 429 mean that Twilio did not process the request. All other refusals are final.
 */
export const make = Effect.fnUntraced(function* (options: TwilioOptions) {
  const client = yield* HttpClient.HttpClient
  return {
    idempotent: false,
    send: (message) =>
      exchange(client, sending(options, message)).pipe(
        Effect.tap(logAnswer(message)),
        Effect.map(
          Exchange.$match({
            Answered: ({ body, status }) => answered(status, body),
            NotSent: () => SmsAnswer.NotSent({ reason: "twilio_not_reached" }),
            Lost: () => SmsAnswer.Unknown({ reason: "twilio_lost" })
          })
        )
      ),
    delivery: (sms) =>
      exchange(client, tracing(options, sms)).pipe(
        Effect.tap(logAnswer(sms)),
        Effect.map((answer) =>
          answer._tag === "Answered" ? deliveryIn(sms, answer.status, answer.body) : DeliveryAnswer.Open()
        )
      )
  } satisfies SmsGateway
})
