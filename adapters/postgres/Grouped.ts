import { Array as Arr, Effect, Exit, Latch, Metric, Request, RequestResolver } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { seriesOf } from "../../core/domain/Series.ts"
import { followingMembers } from "./GroupSpan.ts"
import { briefly, isTransient } from "./SqlFailure.ts"

/** So many groups may be under way at once; what arrives meanwhile makes the next one. */
const groups_max = 4

/** The largest group that goes as one statement. */
const members_max = 128

const sizes = seriesOf(["group"], (attributes) =>
  Metric.histogram("saldo_group_members", {
    description: "Calls that went to the database as one statement",
    boundaries: [1, 2, 4, 8, 16, 32, 64, members_max],
    attributes
  })
)

/**
 * Turns a statement that takes many into a call that takes one. Calls that arrive while the database is busy, from any
 * request, go together as one statement and so as one transaction; a lone call does not wait.
 *
 * A group whose connection dies is sent again: the statement has to recognize its own earlier commit. A group that
 * fails otherwise is sent again one member at a time, so that a member that cannot succeed does not fail its
 * neighbours. What still fails is a defect of that member.
 *
 * @param name what it is called where it is measured.
 * @param run answers the members in their order.
 */
export const grouped = <Member, Answer>(
  name: string,
  run: (members: Arr.NonEmptyReadonlyArray<Member>) => Effect.Effect<ReadonlyArray<Answer>, SqlError>
): ((member: Member) => Effect.Effect<Answer>) => {
  class Call extends Request.Class<{ readonly member: Member }, Answer> {}

  const size = sizes({ group: name })
  const gate = Latch.makeUnsafe(true)
  let underWay = 0
  const enter = Effect.sync(() => {
    underWay++
    if (underWay >= groups_max) gate.closeUnsafe()
  })
  const leave = Effect.sync(() => {
    underWay--
    gate.openUnsafe()
  })

  const send = (calls: Arr.NonEmptyReadonlyArray<Request.Entry<Call>>): Effect.Effect<void> =>
    Effect.andThen(
      Metric.update(size, calls.length),
      Effect.retry(run(Arr.map(calls, ({ request }) => request.member)), briefly)
    ).pipe(
      followingMembers(name, calls),
      Effect.matchEffect({
        onSuccess: (answers) =>
          Effect.sync(() => {
            for (const [index, call] of calls.entries()) call.completeUnsafe(Exit.succeed(answers[index] as Answer))
          }),
        onFailure: (error) =>
          calls.length === 1 || isTransient(error)
            ? Effect.sync(() => {
                for (const call of calls) call.completeUnsafe(Exit.die(error))
              })
            : Effect.forEach(calls, (call) => send([call]), { concurrency: groups_max, discard: true })
      })
    )

  const resolver = RequestResolver.make<Call>((calls) =>
    Effect.acquireUseRelease(
      enter,
      () => Effect.forEach(Arr.chunksOf(calls, members_max), send, { concurrency: groups_max, discard: true }),
      () => leave
    )
  ).pipe(RequestResolver.setDelayEffect(Effect.andThen(Effect.yieldNow, gate.await)))

  return (member) => Effect.request(new Call({ member }), resolver)
}
