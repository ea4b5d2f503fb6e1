import { Clock, Effect, Exit } from "effect"
import { ReversalDenied, ReversalPending, ServiceUnavailable } from "../domain/Errors.ts"
import { fingerprintOf, reversalXidOf } from "../domain/Idempotency.ts"
import type { IdempotencyKey, TransactionId } from "../domain/Ids.ts"
import {
  ReversalAnswer,
  type ReversalIntent,
  ReversalOutcome,
  reversalVerdictOf,
  type UnresolvedReversal
} from "../domain/Reversal.ts"
import type { Session } from "../domain/Session.ts"
import { Begun, Reversals } from "../ports/Reversals.ts"
import { isBeforeSendDeadline } from "./ExternalCalls.ts"
import { InFlight, type Reply } from "./InFlight.ts"
import { type Replayable, replay } from "./Replay.ts"
import { settleReversal } from "./Settlement.ts"
import { requestReversal } from "./Supplier.ts"

const endpoint = "POST /v1/transacciones/{id}/anular"

/**
 * Reverses a sale. Records the reversal and sends it to the provider. Then returns the money, leaves the sale in
 * SUCCESS, or leaves the reversal to recovery. Money is returned only after the provider has confirmed. The reversal
 * continues when the caller disconnects. Contract: 1 and 4.5.
 */
export const reverse = Effect.fn("Reverse.reverse")(function* (
  { company }: Session,
  transactionId: TransactionId,
  key: IdempotencyKey
) {
  const inFlight = yield* InFlight
  const fingerprint = yield* fingerprintOf(endpoint, { id: transactionId })
  const xid = yield* reversalXidOf(company.id, key)
  return yield* inFlight.runWithReply((reply: Reply<Replayable<ReversalOutcome>, ServiceUnavailable>) =>
    beginAndSend({ companyId: company.id, transactionId, key, fingerprint, xid }, reply)
  )
})

const beginAndSend = Effect.fnUntraced(function* (
  intent: ReversalIntent,
  reply: Reply<Replayable<ReversalOutcome>, ServiceUnavailable>
) {
  const { companyId, transactionId } = intent
  const reversals = yield* Reversals
  const since_ns = yield* Clock.monotonicTimeNanos
  const begun = yield* reversals.begin(intent)
  return yield* Begun.$match(begun, {
    Replay: ({ outcome }) => replay(outcome, { companyId, transactionId, about: "reversal" }),
    Begun: ({ unresolved }) =>
      Effect.flatMap(isBeforeSendDeadline(since_ns, unresolved.reversal.createdAt), (fresh) =>
        settleAnswer(unresolved, fresh ? requestReversal(unresolved) : leaveToRecovery(unresolved), reply)
      )
  })
})

/**
 * Does not send the reversal, because the process was paused too long and recovery may already have settled it. An
 * unsettled reversal stays pending, and its key replays "pending".
 */
const leaveToRecovery = ({ reversal: { xid } }: UnresolvedReversal) =>
  Effect.as(
    Effect.logWarning("a reversal was not sent because the process was paused; recovery will settle it", { xid }),
    ReversalAnswer.Unknown()
  )

const settleAnswer = Effect.fnUntraced(function* <R>(
  unresolved: UnresolvedReversal,
  answering: Effect.Effect<ReversalAnswer, never, R>,
  reply: Reply<Replayable<ReversalOutcome>, ServiceUnavailable>
) {
  const verdict = reversalVerdictOf(yield* answering)
  const delayed = verdict._tag === "Free" ? Exit.fail(new ServiceUnavailable()) : Exit.succeed(pending(unresolved))
  const { outcome } = yield* settleReversal(unresolved, verdict, reply(delayed))
  if (outcome === null) return yield* new ServiceUnavailable()
  return { outcome, replayed: false }
})

const pending = ({ transaction: { id: transactionId, xid } }: UnresolvedReversal): Replayable<ReversalOutcome> => ({
  outcome: ReversalOutcome.cases.Pending.make({ transactionId, xid }),
  replayed: false
})

/** Returns the reversed sale, or the error for the caller. Contract: 4.5. */
export const reversed = ReversalOutcome.match({
  Reversed: ({ transaction }) => Effect.succeed(transaction),
  Denied: ({ transactionId, xid }) => Effect.fail(new ReversalDenied({ transactionId, xid })),
  Pending: ({ transactionId, xid }) => Effect.fail(new ReversalPending({ transactionId, xid }))
})
