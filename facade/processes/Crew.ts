import cluster, { type Worker as ClusterWorker } from "node:cluster"
import { Deferred, Duration, Effect, Option, Schedule, Schema } from "effect"
import { makePrimaryCounts } from "../../adapters/CallCounterPrimary.ts"
import { addEndedMetrics, mergeMetrics } from "./MergedMetrics.ts"
import type { Question, ToPrimary, ToWorker } from "./Messages.ts"

/** A worker process has ended. The code is null if a signal ended it. */
export class WorkerEnded extends Schema.TaggedError<WorkerEnded>()("WorkerEnded", {
  pid: Schema.Finite,
  code: Schema.NullOr(Schema.Finite),
  signal: Schema.NullOr(Schema.String)
}) {}

/** Timeout for the answer of a worker. Longer than the timeouts of a readiness check and of a reading of the gauges. */
const answer_max = Duration.seconds(5)

/** A worker process. */
export interface Worker {
  readonly pid: number
  readonly send: (message: ToWorker) => void
  readonly stop: () => void
  /** Succeeds when the worker accepts calls. */
  readonly accepting: Deferred.Deferred<void, WorkerEnded>
  readonly ended: Deferred.Deferred<WorkerEnded>
  readonly questions: Map<number, (answer: ReadonlyArray<string>) => void>
  isAccepting: boolean
  /** Whether another worker takes the place of this worker, so that the end of this worker is expected. */
  isReplaced: boolean
  metrics: string
}

/**
 * Closes the client connection that a dead worker received but did not accept. Node hands one connection at a time to a
 * worker, with a number that the worker returns. Without that answer, Node would keep the connection open for ever.
 */
const closeUntakenConnection = ({ process: child }: ClusterWorker): void => {
  let given: { readonly number: unknown; readonly close: () => void } | undefined
  const { send } = child
  child.send = (...args: ReadonlyArray<unknown>): boolean => {
    const [message, handle] = args as [{ readonly seq?: number }, { readonly close?: () => void } | undefined]
    if (handle?.close !== undefined) given = { number: message.seq, close: handle.close.bind(handle) }
    return Reflect.apply(send, child, args)
  }
  child.on("internalMessage", ({ ack }: { readonly ack?: number }) => {
    if (ack === given?.number) given = undefined
  })
  child.once("close", () => given?.close())
}

/** The worker processes with their rate limit and their metrics. One of them, the leader, has the background work. */
export const makeCrew = () => {
  const workers = new Set<Worker>()
  const count = makePrimaryCounts()
  let leader: Worker | undefined
  let endedMetrics = ""
  let questions = 0
  const accepting = () => [...workers].filter(({ isAccepting }) => isAccepting)

  // The leader keeps the background work until the leader ends, so no two workers have it at a time. The newest worker
  // becomes the leader, because a replacement of all workers reaches it last.
  const appoint = () => {
    if (leader !== undefined) return
    leader = accepting().findLast(({ isReplaced }) => !isReplaced) ?? accepting().at(-1)
    leader?.send({ _tag: "Lead" })
  }
  const receive = (worker: Worker, message: ToPrimary) => {
    if (message._tag === "Count") worker.send({ _tag: "Counted", counts: count(message.calls) })
    if (message._tag === "LastMetrics") worker.metrics = message.text
    if (message._tag === "Answer") worker.questions.get(message.id)?.(message.answer)
  }
  const ended = (worker: Worker, code: number | null, signal: string | null) => {
    workers.delete(worker)
    endedMetrics = addEndedMetrics(endedMetrics, worker.metrics)
    if (leader === worker) leader = undefined
    appoint()
    const end = new WorkerEnded({ pid: worker.pid, code, signal })
    Deferred.doneUnsafe(worker.accepting, Effect.fail(end))
    Deferred.doneUnsafe(worker.ended, Effect.succeed(end))
  }

  const start = (environment: Readonly<Record<string, string>>): Worker => {
    const child = cluster.fork(environment)
    const worker: Worker = {
      pid: child.process.pid ?? 0,
      // A message to a worker that has just died is lost with it.
      send: (message) => void child.send(message, () => {}),
      stop: () => void child.process.kill("SIGTERM"),
      accepting: Deferred.makeUnsafe(),
      ended: Deferred.makeUnsafe(),
      questions: new Map(),
      isAccepting: false,
      isReplaced: false,
      metrics: ""
    }
    workers.add(worker)
    closeUntakenConnection(child)
    child.on("error", () => {})
    child.on("message", (message: ToPrimary) => receive(worker, message))
    child.once("listening", () => {
      worker.isAccepting = true
      appoint()
      Deferred.doneUnsafe(worker.accepting, Effect.void)
    })
    // The event `close` comes after the last message of the worker.
    child.process.once("close", (code, signal) => ended(worker, code, signal))
    return worker
  }

  /** Asks a worker. None if the worker ends or does not answer in time. */
  const ask = (worker: Worker, question: Question) =>
    Effect.callback<ReadonlyArray<string>>((resume) => {
      questions += 1
      const id = questions
      worker.questions.set(id, (answer) => resume(Effect.succeed(answer)))
      worker.send({ _tag: "Ask", id, question })
      return Effect.sync(() => worker.questions.delete(id))
    }).pipe(Effect.timeoutOption(answer_max), Effect.raceFirst(Effect.as(Deferred.await(worker.ended), Option.none())))

  return {
    workers,
    start,
    /** Waits until `count` workers accept calls. */
    whenAccepting: (count: number) =>
      Effect.repeat(Effect.sync(accepting), {
        while: ({ length }) => length < count,
        schedule: Schedule.spaced("50 millis")
      }),
    /** Asks all workers that accept calls. */
    askAll: (question: Question) =>
      Effect.suspend(() =>
        Effect.forEach(accepting(), (worker) => Effect.map(ask(worker, question), (answer) => ({ worker, answer })), {
          concurrency: "unbounded"
        })
      ),
    /** The last known metrics of all workers, including the workers that have ended. */
    knownMetrics: () => mergeMetrics([...[...workers].map(({ metrics }) => metrics), endedMetrics])
  }
}

export type Crew = ReturnType<typeof makeCrew>
