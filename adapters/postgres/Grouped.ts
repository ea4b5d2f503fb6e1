import { Array as Arr, Cause, Context, Effect, type Fiber, Metric, Option } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { seriesOf } from "../../core/telemetry/Series.ts"
import { type Traced, withGroupSpan } from "./GroupSpan.ts"
import { groups_max, groupTurns, members_max } from "./GroupTurns.ts"
import { isTransient, transientRetry } from "./SqlFailure.ts"

const sizes = seriesOf(["group"], (attributes) =>
  Metric.histogram("saldo_group_members", {
    description: "Calls that went to the database as one statement",
    boundaries: [1, 2, 4, 8, 16, 32, 64, members_max],
    attributes
  })
)

/** One call that waits for its answer. */
interface Call<Member, Answer> extends Traced {
  readonly member: Member
  readonly answer: (answer: Effect.Effect<Answer>) => void
}

type Calls<Member, Answer> = Arr.NonEmptyReadonlyArray<Call<Member, Answer>>

/** The rows of a statement in the order of its members, by their numbers `n`; undefined for a member without one. */
export const inOrderOf = <Row extends { readonly n: number }>(
  members: ReadonlyArray<unknown>,
  rows: ReadonlyArray<Row>
): ReadonlyArray<Row | undefined> => {
  const ordered = Array.from<Row | undefined>({ length: members.length })
  for (const row of rows) ordered[row.n] = row
  return ordered
}

/**
 * Turns a statement that takes many into a call that takes one. Calls that arrive while the database is busy, from any
 * request, go together as one statement and so as one transaction; a lone call does not wait.
 *
 * A group whose connection dies is sent again, though it may have committed: a statement that moves money has to
 * recognize its own earlier commit; one that counts what happened may count it twice. A group that fails otherwise is
 * sent again one member at a time, so that a member that cannot succeed does not fail its neighbours. What still fails
 * is a defect of that member.
 *
 * Calls wait in a list. A RequestResolver would keep them in sets that it uses again and again, and what was once in
 * those stays in memory, request and all, until the whole heap is collected.
 *
 * @param sql whose statement it is. A group is in no transaction of whoever calls:
 * the others in it are strangers there.
 * @param name what it is called where it is measured.
 * @param run answers the members in their order.
 * @param turns with whom it takes turns; with nobody, unless it is told.
 */
export const grouped = <Member, Answer>(
  sql: Pick<SqlClient, "transactionService">,
  name: string,
  run: (members: Arr.NonEmptyReadonlyArray<Member>) => Effect.Effect<ReadonlyArray<Answer>, SqlError>,
  turns = groupTurns()
): ((member: Member) => Effect.Effect<Answer>) => {
  const size = sizes({ group: name })
  const waiting: Array<Call<Member, Answer>> = []
  let isWoken = false

  const answerAll = (calls: Calls<Member, Answer>, answer: Effect.Effect<never>) =>
    Effect.sync(() => {
      for (const call of calls) call.answer(answer)
    })

  const send = (calls: Calls<Member, Answer>): Effect.Effect<void> =>
    Effect.andThen(
      Metric.update(size, calls.length),
      Effect.retry(run(Arr.map(calls, ({ member }) => member)), transientRetry)
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
            (reason) => Cause.isDieReason(reason) || (Cause.isFailReason(reason) && !isTransient(reason.error))
          )
          return isOfMember && calls.length > 1
            ? Effect.forEach(calls, (call) => send([call]), { concurrency: groups_max, discard: true })
            : answerAll(calls, Effect.orDie(Effect.failCause(cause)))
        }
      })
    )

  // Hardly anybody calls within a transaction, and to leave it out makes a copy of all services.
  const outside = (context: Context.Context<never>): Context.Context<never> =>
    Option.isNone(Context.getOption(context, sql.transactionService))
      ? context
      : Context.omit(sql.transactionService)(context)

  // A group is sent on behalf of its first call, whose clock, log and trace it takes.
  const turn = turns.join({
    count: () => waiting.length,
    send: (members) => {
      const calls = waiting.splice(0, members)
      if (!Arr.isReadonlyArrayNonEmpty(calls)) return
      const finished = Effect.sync(() => turn.finished(members))
      Effect.runForkWith(outside(calls[0].context))(Effect.ensuring(send(calls), finished))
    }
  })

  // Calls of one moment go together: the group is sent when all that runs has had its turn.
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
