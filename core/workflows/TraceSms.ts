import { DateTime, Effect, Schedule } from "effect"
import { DeliveryAnswer, nextDeliveryQuestion } from "../domain/Sms.ts"
import { Outbox, type TracedSms } from "../ports/Outbox.ts"
import { SmsGateways } from "../ports/SmsGateway.ts"
import { redactDefects } from "../telemetry/RedactDefects.ts"
import { withFallback } from "./ExternalCalls.ts"
import { handleDue } from "./SendSms.ts"

const open = Effect.succeed<DeliveryAnswer>(DeliveryAnswer.Open())

const answerOf = (sms: TracedSms) =>
  withFallback(
    SmsGateways.use((gateways) => gateways.serving(sms.environment)).pipe(
      Effect.flatMap((gateway) => redactDefects(gateway.delivery(sms))),
      // Without a gateway the delivery stays open, because a gateway may be configured before the next question.
      Effect.catchTag("InsuranceUnavailable", () => open)
    ),
    open,
    (cause) => Effect.logError("the SMS gateway's adapter failed on a question about a delivery", { id: sms.id }, cause)
  )

/** Asks the gateway whether a message was delivered, and records the answer. */
const askAboutDelivery = Effect.fn("TraceSms.askAboutDelivery")(function* (sms: TracedSms) {
  const { recordDelivery } = yield* Outbox
  const answer = yield* answerOf(sms)
  if (answer._tag === "Failed")
    yield* Effect.logWarning("an SMS that the gateway had accepted was not delivered", { id: sms.id })
  const now = yield* DateTime.now
  yield* recordDelivery(sms, answer._tag === "Open" ? { ...answer, askAt: nextDeliveryQuestion(sms, now) } : answer)
})

/** Asks about all accepted messages for which a question is due. Several processes may run this at the same time. */
export const traceDue = Effect.fn("TraceSms.traceDue", { level: "Debug" })(function* () {
  const { claimTraced } = yield* Outbox
  yield* handleDue(claimTraced, askAboutDelivery)
})

/** Runs `traceDue` every second, for the life of the process. A failed round is only logged. */
export const keepTracing = traceDue().pipe(
  Effect.catchCause((cause) => Effect.logError("a round of questions about SMS deliveries failed", cause)),
  Effect.repeat(Schedule.spaced("1 second"))
)
