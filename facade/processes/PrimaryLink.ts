import { Context, Deferred, Effect, Layer } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { makeWorkerCounter } from "../../adapters/CallCounterPrimary.ts"
import type { CallCounter } from "../../core/ports/CallCounter.ts"
import { recordSignOfRecovery } from "../../core/workflows/Recover.ts"
import { Health } from "../ops/Health.ts"
import type { Question, ToPrimary, ToWorker } from "./Messages.ts"

/**
 * Sends a message to the primary process, and calls `written` when the message is written. If the primary process has
 * ended, the message is dropped, because the worker is ending too.
 */
const send = (message: ToPrimary, written: () => void = () => {}): void => {
  if (process.connected) process.send?.(message, undefined, undefined, written)
  else written()
}

/** A worker's link to its primary process. */
export class PrimaryLink extends Context.Service<
  PrimaryLink,
  {
    /** Counts calls in the primary process, for all workers together. */
    readonly counter: CallCounter["Service"]
    /** Waits until this worker gets the background work. */
    readonly leading: Effect.Effect<void>
    /** Whether another worker has replaced this one. */
    readonly isReplaced: () => boolean
  }
>()("saldo/facade/PrimaryLink") {
  static readonly layer = Layer.effect(
    PrimaryLink,
    Effect.gen(function* () {
      const { cellsDown, metrics, missing } = yield* Health
      const { counter, receive } = makeWorkerCounter((calls) => send({ _tag: "Count", calls }))
      const leads = yield* Deferred.make<void>()
      let isReplaced = false
      const answers: Readonly<Record<Question, Effect.Effect<ReadonlyArray<string>>>> = {
        alive: Effect.succeed([]),
        // A worker without the background work leaves out `recovery`, because it does not recover sales.
        missing: Effect.map(missing, (parts) =>
          parts.filter((part) => part !== "recovery" || Deferred.isDoneUnsafe(leads))
        ),
        // Only the worker with the background work reads the gauges from the database. One reader suffices.
        cellsDown: Effect.suspend(() => (Deferred.isDoneUnsafe(leads) ? cellsDown : Effect.succeed([]))),
        metrics: Effect.map(
          Effect.suspend(() => (Deferred.isDoneUnsafe(leads) ? metrics : PrometheusMetrics.format())),
          (text) => [text]
        )
      }
      const runFork = Effect.runForkWith(yield* Effect.context<never>())
      const handle = (message: ToWorker): void => {
        if (message._tag === "Counted") receive(message.counts)
        // Readiness limits the time without recovery. That time begins now.
        if (message._tag === "Lead") runFork(Effect.andThen(recordSignOfRecovery, Deferred.succeed(leads, undefined)))
        if (message._tag === "Ask")
          runFork(Effect.map(answers[message.question], (answer) => send({ _tag: "Answer", id: message.id, answer })))
        if (message._tag === "Leave") {
          isReplaced = true
          process.kill(process.pid, "SIGTERM")
        }
      }
      process.on("message", handle)
      yield* Effect.addFinalizer(() =>
        Effect.flatMap(PrometheusMetrics.format(), (text) =>
          Effect.callback<void>((resume) => send({ _tag: "LastMetrics", text }, () => resume(Effect.void)))
        )
      )
      return PrimaryLink.of({ counter, leading: Deferred.await(leads), isReplaced: () => isReplaced })
    })
  )
}
