import { DateTime, Duration, Effect, Schedule } from "effect"
import { providerTimeout } from "../domain/Recovery.ts"
import { nextTry, SmsAnswer } from "../domain/Sms.ts"
import { type ClaimedSms, Outbox, type SmsResult } from "../ports/Outbox.ts"
import { type SmsGateway, SmsGateways } from "../ports/SmsGateway.ts"
import { redactDefects } from "../telemetry/RedactDefects.ts"
import { InFlight } from "./InFlight.ts"
import { withFallback } from "./WithFallback.ts"

/** Longer than a gateway may take, so that whoever takes a message has it until it knows. */
export const smsLease = Duration.sum(providerTimeout, Duration.seconds(30))

/** All that is claimed together is sent at once: what had to wait its turn would outlive its lease. */
const sending_max = 4

/**
 * Sends a message that was taken from the outbox, and notes what became of it.
 *
 * @returns whether the gateway has it.
 */
export const sendSms = Effect.fn("SendSms.sendSms")(function* (sms: ClaimedSms) {
  const outbox = yield* Outbox
  const result = yield* attempt(sms)
  const { id } = sms.message
  // A gateway may quote the phone in its reason: that stays in the outbox.
  if (result._tag !== "Sent") yield* Effect.logWarning("a message was not sent", { id, result: result._tag })
  // It has gone, or not, whether or not that can be noted; a code that has gone must not be answered with a failure.
  yield* Effect.catchCause(outbox.record(sms, result, yield* DateTime.now), (cause) =>
    Effect.logError("what came of a message could not be noted", { id }, cause)
  )
  return result._tag === "Sent"
})

const attempt = Effect.fnUntraced(function* (sms: ClaimedSms) {
  const now = yield* DateTime.now
  if (DateTime.isLessThanOrEqualTo(sms.expiresAt, now)) return failed("it came too late to be of use")
  const gateway = yield* Effect.option(SmsGateways.use((gateways) => gateways.serving(sms.environment)))
  if (gateway._tag === "None") return later(sms, now, "no gateway is configured")
  if (!sms.accounted && !gateway.value.idempotent) return unknown("whoever sent it did not say what came of it")
  return resultOf(sms, gateway.value, yield* answerOf(sms, gateway.value), yield* DateTime.now)
})

const answerOf = ({ message }: ClaimedSms, gateway: SmsGateway) =>
  withFallback(
    redactDefects(gateway.send(message)),
    Effect.succeed(SmsAnswer.Unknown({ reason: "the gateway did not answer" })),
    (cause) => Effect.logError("a gateway broke over a message", { id: message.id }, cause)
  )

/** What a gateway's answer means for a message. One that may have gone goes again only where that changes nothing. */
const resultOf = (sms: ClaimedSms, { idempotent }: SmsGateway, answer: SmsAnswer, now: DateTime.Utc): SmsResult =>
  SmsAnswer.$match(answer, {
    Sent: ({ reference }): SmsResult => ({ _tag: "Sent", reference }),
    Rejected: ({ reason }) => failed(reason),
    NotSent: ({ reason }) => later(sms, now, reason),
    Unknown: ({ reason }) => (idempotent ? later(sms, now, reason) : unknown(reason))
  })

const failed = (reason: string): SmsResult => ({ _tag: "Failed", reason })
const unknown = (reason: string): SmsResult => ({ _tag: "Unknown", reason })
const later = ({ createdAt }: ClaimedSms, now: DateTime.Utc, reason: string): SmsResult => ({
  _tag: "Later",
  at: nextTry(createdAt, now),
  reason
})

// Each for itself: what comes of one must be noted whatever becomes of its neighbours, and of a process that stops.
const sendAnotherTime = (sms: ClaimedSms) => InFlight.use(({ run }) => run(sendSms(sms)))

/** Sends whatever is due. Any number of processes may do so at once. */
export const sendDue = Effect.fn("SendSms.sendDue", { level: "Debug" })(function* () {
  const outbox = yield* Outbox
  while (true) {
    const now = yield* DateTime.now
    const claimed = yield* outbox.claim({ now, lease: smsLease, limit: sending_max })
    yield* Effect.forEach(claimed, sendAnotherTime, { concurrency: "unbounded", discard: true })
    if (claimed.length < sending_max) return
  }
})

/** Sends what is due every second, for as long as the process lives; a failed round is only logged. */
export const keepSending = sendDue().pipe(
  Effect.catchCause((cause) => Effect.logError("messages were not sent", cause)),
  Effect.repeat(Schedule.spaced("1 second"))
)
