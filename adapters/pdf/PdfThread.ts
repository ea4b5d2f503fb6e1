import { Worker } from "node:worker_threads"
import { Cache, Context, Deferred, Duration, Effect, Exit, Layer, Queue } from "effect"
import { DocumentsBusy } from "../../core/domain/Errors.ts"
import { PolicyRenderer, ReceiptRenderer, TableRenderer } from "../../core/ports/Renderers.ts"
import { DocumentJob, encodeJob } from "./DocumentJob.ts"

/** Maximum number of waiting documents. This maximum is above the number of calls that a token may make in a minute. */
const waiting_max = 128

/** Maximum number of rendered documents in memory. A document has about 20 KB. */
const cached_max = 200

/** How long a rendered document stays in memory. It may contain personal data. */
const cached_for = Duration.minutes(5)

/** Time limit for one document, including the start of the thread. After this time, the thread is replaced. */
const rendering_max = Duration.seconds(30)

const memory_max_MB = 256

/**
 * A thread that renders one document at a time. The thread starts with the first document. After a crash it starts again
 * with the next document.
 */
const makeThread = (file: URL) => {
  let current: Worker | null = null

  const start = (): Worker => {
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: memory_max_MB } })
    const forget = () => {
      if (current === worker) current = null
    }
    // Without a listener, an error between two documents would end the process.
    return worker.on("error", forget).on("exit", forget)
  }

  const stop = Effect.promise(async () => {
    const worker = current
    current = null
    await worker?.terminate()
  })

  const render = (job: string) =>
    Effect.callback<Uint8Array>((resume) => {
      const worker = current ?? start()
      current = worker
      const end = (result: Effect.Effect<Uint8Array>) => {
        worker.off("message", onMessage).off("error", onError).off("exit", onExit)
        resume(result)
      }
      const onMessage = (bytes: Uint8Array) => end(Effect.succeed(bytes))
      const onError = (error: unknown) => end(Effect.die(error))
      const onExit = (code: number) => end(Effect.die(new Error(`the thread that renders ended with code ${code}`)))
      worker.on("message", onMessage).on("error", onError).on("exit", onExit)
      worker.postMessage(job)
      return stop
    })

  return { render, stop }
}

interface Waiting {
  readonly job: string
  readonly answer: Deferred.Deferred<Uint8Array>
  /** Whether no caller waits for the document any more. */
  abandoned: boolean
}

/**
 * Renders documents on another thread, so that rendering does not delay sales. Documents wait in one queue. Concurrent
 * calls for the same document share one rendering.
 *
 * @param file the program of the thread.
 */
export const layerOn = (file: URL) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const thread = makeThread(file)
      yield* Effect.addFinalizer(() => thread.stop)
      const waiting = yield* Queue.dropping<Waiting>(waiting_max)

      const renderNext = Effect.flatMap(Queue.take(waiting), ({ abandoned, answer, job }) => {
        if (abandoned) return Effect.void
        const rendered = Effect.timeoutOrElse(thread.render(job), {
          duration: rendering_max,
          orElse: () => Effect.die(new Error(`a document took longer than ${Duration.format(rendering_max)}`))
        })
        return Effect.flatMap(Effect.exit(rendered), (exit) => Deferred.done(answer, exit))
      })
      yield* Effect.forkScoped(Effect.forever(renderNext))

      const rendered = Effect.fnUntraced(function* (job: string) {
        const next: Waiting = { job, answer: yield* Deferred.make<Uint8Array>(), abandoned: false }
        if (!(yield* Queue.offer(waiting, next))) return yield* new DocumentsBusy()
        const abandon = Effect.sync(() => {
          next.abandoned = true
        })
        return yield* Effect.onInterrupt(Deferred.await(next.answer), () => abandon)
      })

      const documents = yield* Cache.makeWith(rendered, {
        capacity: cached_max,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? cached_for : Duration.zero)
      })
      // The cache keeps the fiber that renders. With the context of the first caller, this fiber would keep that caller's
      // request in memory. So the fiber runs with this context instead.
      const context = yield* Effect.context<never>()
      const documentOf = (job: DocumentJob) =>
        Effect.suspend(() => {
          const document = Cache.get(documents, encodeJob(job))
          return Effect.updateContext(document, (_: Context.Context<never>) => context)
        })

      return Context.make(ReceiptRenderer, {
        pdf: (receipt) => documentOf(DocumentJob.make({ _tag: "Receipt", receipt }))
      }).pipe(
        Context.add(PolicyRenderer, {
          pdf: (facts, document) => documentOf(DocumentJob.make({ _tag: "Policy", facts, document }))
        }),
        Context.add(TableRenderer, {
          pdf: (table) => documentOf(DocumentJob.make({ _tag: "Table", table }))
        })
      )
    })
  )

export const layer = layerOn(new URL("PdfWorker.ts", import.meta.url))
