import {
  Array as Arr,
  Cause,
  Clock,
  Context,
  Duration,
  Effect,
  Fiber,
  Metric,
  Option,
  References,
  Tracer
} from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { seriesOf } from "../../../core/telemetry/Metrics.ts"
import { CellLate, isLockTimeout, isTransient, transientRetry } from "../connection/SqlFailure.ts"
import { groups_max, groupTurns, members_max } from "./GroupTurns.ts"

/** A waiting call with its caller's services. They include the caller's span if tracing is on. */
interface Traced {
  readonly context: Context.Context<never>
}

type TracedCalls = ReadonlyArray<Traced>

const spansOf = (calls: TracedCalls): ReadonlyArray<Tracer.AnySpan> =>
  calls.flatMap((call) => Context.getOrUndefined(call.context, Tracer.ParentSpan) ?? [])

const linkTo = (span: Tracer.AnySpan): Tracer.SpanLink => ({ span, attributes: {} })

/**
 * Adds a span for a group's statement. It is linked with the span of each call in both directions, so a sale leads to
 * its statement and a statement to its sales. Does nothing if tracing is off.
 */
const withGroupSpan =
  (name: string, calls: TracedCalls) =>
  <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(References.TracerEnabled, (isTraced) => {
      if (!isTraced) return statement
      const members = spansOf(calls)
      const options = { links: members.map(linkTo), attributes: { "saldo.group.members": calls.length } }
      return Effect.useSpan(`group ${name}`, options, (span) => {
        for (const member of members) if (member._tag === "Span") member.addLinks([linkTo(span)])
        return Effect.withParentSpan(statement, span)
      })
    })

const sizes = seriesOf(["group"], (attributes) =>
  Metric.histogram("saldo_group_members", {
    description: "Number of calls that one statement sent to the database",
    boundaries: [1, 2, 4, 8, 16, 32, 64, members_max],
    attributes
  })
)

/** Time over which the mean size of the groups is measured. */
const meanOver_ms = 500

/**
 * Makes a function that returns the mean size of the groups with this name, over the latest half second or longer. The
 * mean is 0 if there was no group. Groups become large only if calls arrive faster than the database handles them.
 */
export const watchGroupSize = Effect.fnUntraced(function* (name: string) {
  const size = Metric.value(sizes({ group: name }))
  const { count: groups, sum: members } = yield* size
  let before = { count: groups, sum: members, at: yield* Clock.currentTimeMillis }
  let mean = 0
  const reading = Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    if (at - before.at < meanOver_ms) return mean
    const { count, sum } = yield* size
    mean = count === before.count ? 0 : (sum - before.sum) / (count - before.count)
    before = { count, sum, at }
    return mean
  })
  return reading
})

/** A call that waits for its answer. */
interface WaitingCall<Member, Answer> extends Traced {
  readonly member: Member
  readonly answer: (answer: Effect.Effect<Answer>) => void
}

type WaitingCalls<Member, Answer> = Arr.NonEmptyReadonlyArray<WaitingCall<Member, Answer>>

/** Orders a statement's rows by their member number `n`. Undefined for a member without a row. */
export const inOrderOf = <Row extends { readonly n: number }>(
  members: ReadonlyArray<unknown>,
  rows: ReadonlyArray<Row>
): ReadonlyArray<Row | undefined> => {
  const ordered = Array.from<Row | undefined>({ length: members.length })
  for (const row of rows) ordered[row.n] = row
  return ordered
}

/**
 * Makes a call for one member from a statement for many members. Calls that arrive while the database is busy form one
 * statement, and so one transaction. A single call does not wait.
 *
 * If its connection dies, a group is retried although it may have committed. A statement that moves money must therefore
 * recognize its own earlier commit; a statement that counts events may count them twice. If a group fails for another
 * reason, each member is retried alone, so that a faulty member does not make the other members fail. A member that still
 * fails is a defect of that call. After a lock timeout no member is retried, because each would wait as long.
 *
 * The queue is an array. Effect's RequestResolver is not used, because it keeps past requests in memory until a full
 * garbage collection.
 *
 * @param sql the client of the statement. A group never runs in a caller's transaction, because it contains calls of other
 * callers.
 * @param name the group's name in metrics and traces.
 * @param run returns the answers in the order of the members.
 * @param turns the scheduler. Statements that lock the same rows share one.
 */
export const grouped = <Member, Answer>(
  sql: Pick<SqlClient, "transactionService">,
  name: string,
  run: (members: Arr.NonEmptyReadonlyArray<Member>) => Effect.Effect<ReadonlyArray<Answer>, SqlError>,
  turns = groupTurns()
): ((member: Member) => Effect.Effect<Answer>) => {
  const size = sizes({ group: name })
  const waiting: Array<WaitingCall<Member, Answer>> = []
  const late = new WeakSet<WaitingCalls<Member, Answer>>()
  let isWoken = false

  const answerAll = (calls: WaitingCalls<Member, Answer>, answer: Effect.Effect<never>) =>
    Effect.sync(() => {
      for (const call of calls) call.answer(answer)
    })

  const send = (calls: WaitingCalls<Member, Answer>): Effect.Effect<void> =>
    Effect.andThen(
      Metric.update(size, calls.length),
      // No caller waits for the result of a late group.
      Effect.retry(run(Arr.map(calls, ({ member }) => member)), {
        schedule: transientRetry,
        while: () => turn.lateness() === null
      })
    ).pipe(
      withGroupSpan(name, calls),
      Effect.matchCauseEffect({
        onSuccess: (answers) =>
          answers.length === calls.length
            ? Effect.sync(() => {
                for (const [call, answer] of Arr.zip(calls, answers)) call.answer(Effect.succeed(answer))
              })
            : answerAll(calls, Effect.die(new Error(`${name} answered ${answers.length} of ${calls.length}`))),
        onFailure: (cause) => {
          const isOfMember = cause.reasons.some(
            (reason) =>
              Cause.isDieReason(reason) ||
              (Cause.isFailReason(reason) && !isTransient(reason.error) && !isLockTimeout(reason.error))
          )
          // The callers of a group that took too long have already got an error. A retry could reserve sales that no caller
          // sends to the provider, so the members of such a group are not retried.
          return isOfMember && calls.length > 1 && !late.has(calls)
            ? Effect.forEach(calls, (call) => send([call]), { concurrency: groups_max, discard: true })
            : answerAll(calls, Effect.orDie(Effect.failCause(cause)))
        }
      })
    )

  /**
   * Fails the calls of a group, and all waiting calls, if the statement takes longer than the limit. The statement
   * continues.
   */
  const inTime = (calls: WaitingCalls<Member, Answer>, statement: Effect.Effect<void>): Effect.Effect<void> => {
    const { limit } = turns
    if (limit === null) return statement
    const { cell, timeout } = limit
    const failure = new CellLate({
      message: `the cell ${cell} takes longer than ${Duration.format(timeout)} to answer`
    })
    const fail = Effect.suspend(() => {
      late.add(calls)
      turn.late(failure)
      return Effect.andThen(
        answerAll(calls, Effect.die(failure)),
        Effect.logError("a cell takes too long; its calls are refused until it answers", { cell, group: name })
      )
    })
    return Effect.gen(function* () {
      const timer = yield* Effect.forkChild(Effect.delay(fail, timeout), { startImmediately: true })
      yield* statement
      yield* Fiber.interrupt(timer)
      turn.over(failure)
    })
  }

  // Removes the caller's transaction from the Effect context. First checks whether the context has a transaction, because a
  // removal copies the whole context.
  const outside = (context: Context.Context<never>): Context.Context<never> =>
    Option.isNone(Context.getOption(context, sql.transactionService))
      ? context
      : Context.omit(sql.transactionService)(context)

  // A group runs with the clock, logger and trace of its first call.
  const turn = turns.join({
    count: () => waiting.length,
    send: (members) => {
      const calls = waiting.splice(0, members)
      if (!Arr.isReadonlyArrayNonEmpty(calls)) return
      const finished = Effect.sync(() => turn.finished(members))
      Effect.runForkWith(outside(calls[0].context))(Effect.ensuring(inTime(calls, send(calls)), finished))
    },
    refuse: (failure) => {
      for (const call of waiting.splice(0)) call.answer(Effect.die(failure))
    }
  })

  // Yields once before sending, so that all fibers that are ready now can join the group.
  const wake = ({ context }: Fiber.Fiber<unknown, unknown>): void => {
    if (isWoken || !turn.isFree()) return
    isWoken = true
    const called = Effect.sync(() => {
      isWoken = false
      turn.called()
    })
    Effect.runForkWith(context)(Effect.andThen(Effect.yieldNow, called))
  }

  return (member) =>
    Effect.withFiber((fiber) =>
      Effect.callback<Answer>((answer) => {
        const late = turn.lateness()
        if (late !== null) return answer(Effect.die(late))
        const call = { member, context: fiber.context, answer }
        waiting.push(call)
        wake(fiber)
        return Effect.sync(() => {
          const place = waiting.indexOf(call)
          if (place >= 0) waiting.splice(place, 1)
        })
      })
    )
}
