import { DateTime, Duration, Effect, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import type { InsuranceId } from "../domain/Ids.ts"
import type { Insurance } from "../domain/Insurance.ts"
import { codeLife, codeMaterial, codeMessage, drawCode } from "../domain/OneTimeCode.ts"
import { providerTimeout } from "../domain/Recovery.ts"
import { nextDeliveryQuestion, nextTry, SmsAnswer } from "../domain/Sms.ts"
import type { CodeToSend } from "../ports/Insurances.ts"
import { type ClaimedSms, Outbox, type SmsClaim, type SmsResult } from "../ports/Outbox.ts"
import { type SmsGateway, SmsGateways } from "../ports/SmsGateway.ts"
import { Vault } from "../ports/Vault.ts"
import { redactDefects } from "../telemetry/RedactDefects.ts"
import { withFallback } from "./ExternalCalls.ts"
import { InFlight } from "./InFlight.ts"

/** Lease of a claimed message. Longer than the gateway timeout, so that the call ends before the lease. */
const smsLease = Duration.sum(providerTimeout, Duration.seconds(30))

/**
 * Maximum number of messages in one claim. All calls of a claim run in parallel, because a queued call would end after its
 * lease.
 */
const claimed_max = 4

/** Claims due messages and handles them, until no message is due. */
export const handleDue = Effect.fnUntraced(function* <Sms, E1, R1, E2, R2>(
  claim: (claim: SmsClaim) => Effect.Effect<ReadonlyArray<Sms>, E1, R1>,
  handle: (sms: Sms) => Effect.Effect<unknown, E2, R2>
) {
  while (true) {
    const now = yield* DateTime.now
    const claimed = yield* claim({ now, lease: smsLease, limit: claimed_max })
    yield* Effect.forEach(claimed, handle, { concurrency: "unbounded", discard: true })
    if (claimed.length < claimed_max) return
  }
})

/**
 * Sends a claimed message and records the result.
 *
 * @returns whether the gateway accepted the message.
 */
const sendSms = Effect.fn("SendSms.sendSms")(function* (sms: ClaimedSms) {
  const outbox = yield* Outbox
  const result = yield* attempt(sms)
  const { id } = sms.message
  // The reason is not logged, because a gateway may quote the phone in it.
  if (result._tag !== "Sent") yield* Effect.logWarning("an SMS was not sent", { id, result: result._tag })
  // A failure to record does not change the result, because the caller must not get an error for a code that was sent.
  yield* Effect.catchCause(outbox.record(sms, result, yield* DateTime.now), (cause) =>
    Effect.logError("the result of an SMS could not be recorded", { id }, cause)
  )
  return result._tag === "Sent"
})

const attempt = Effect.fnUntraced(function* (sms: ClaimedSms) {
  const now = yield* DateTime.now
  if (DateTime.isLessThanOrEqualTo(sms.expiresAt, now)) return failed("the message expired before it was sent")
  const gateway = yield* Effect.option(SmsGateways.use((gateways) => gateways.serving(sms.environment)))
  if (gateway._tag === "None") return later(sms, now, "no gateway is configured")
  if (!sms.accounted && !gateway.value.idempotent) return unknown("an earlier sender recorded no result")
  return resultOf(sms, gateway.value, yield* answerOf(sms, gateway.value), yield* DateTime.now)
})

const answerOf = ({ message }: ClaimedSms, gateway: SmsGateway) =>
  withFallback(
    redactDefects(gateway.send(message)),
    Effect.succeed(SmsAnswer.Unknown({ reason: "the gateway did not answer" })),
    (cause) => Effect.logError("the SMS gateway's adapter failed", { id: message.id }, cause)
  )

/**
 * The result that follows from a gateway's answer. A message with unknown delivery is sent again only if the gateway is
 * idempotent.
 */
const resultOf = (sms: ClaimedSms, { idempotent }: SmsGateway, answer: SmsAnswer, now: DateTime.Utc): SmsResult =>
  SmsAnswer.$match(answer, {
    Sent: ({ reference, traceable }): SmsResult => ({
      _tag: "Sent",
      reference,
      askAt: (traceable && nextDeliveryQuestion(sms, now)) || undefined
    }),
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

// Each message runs as separate work in flight. Its result must be recorded even if another message fails or the
// process is stopping.
const sendClaimed = (sms: ClaimedSms) => InFlight.use(({ run }) => run(sendSms(sms)))

/** Sends all due messages. Several processes may run it at the same time. */
export const sendDue = Effect.fn("SendSms.sendDue", { level: "Debug" })(function* () {
  const { claim } = yield* Outbox
  yield* handleDue(claim, sendClaimed)
})

/** Sends due messages every second, for the life of the process. A failed round is only logged. */
export const keepSending = sendDue().pipe(
  Effect.catchCause((cause) => Effect.logError("a round of sending SMS failed", cause)),
  Effect.repeat(Schedule.spaced("1 second"))
)

/** The part of an insurance that is needed to send a code to the vehicle's owner. */
type Owner = Pick<Insurance, "companyId" | "environment" | "insured">

/** Draws a code and writes its message. Only a keyed hash of the code is stored. Contract: 8. */
export const newCode = Effect.fn("SendSms.newCode")(function* (id: InsuranceId, { environment, insured }: Owner) {
  const vault = yield* Vault
  const random = yield* SecureRandom.SecureRandom
  const at = yield* DateTime.now
  const code = yield* drawCode(environment)
  const expiresAt = DateTime.addDuration(at, codeLife)
  const message = { id: yield* random.uuidV7(), to: insured.phone, text: codeMessage(code) }
  return {
    code: { hash: yield* vault.mac(codeMaterial(id, code)), expiresAt },
    sms: { message, expiresAt, leasedUntil: DateTime.addDuration(at, smsLease), at }
  } satisfies CodeToSend
})

/**
 * Sends a code that was just staged. The sending continues when the caller disconnects.
 *
 * @returns whether the gateway accepted the message.
 */
export const sendCode = Effect.fn("SendSms.sendCode")(function* (
  id: InsuranceId,
  { companyId, environment }: Owner,
  { sms: { at, expiresAt, message } }: CodeToSend
) {
  const inFlight = yield* InFlight
  const claimed = {
    companyId,
    environment,
    message,
    expiresAt,
    insuranceId: id,
    createdAt: at,
    tries: 1,
    accounted: true
  }
  return yield* inFlight.run(sendSms(claimed))
})
