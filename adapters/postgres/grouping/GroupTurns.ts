import { type Duration, Effect } from "effect"
import { CellName, CellTimeout } from "../connection/Cell.ts"
import type { CellLate } from "../connection/SqlFailure.ts"

/**
 * Maximum number of concurrent groups. A group is a set of calls that one statement executes. Later calls wait and form the
 * next groups.
 */
export const groups_max = 2

/** Maximum size of a group. */
export const members_max = 128

/** Number of waiting calls that starts a second group, regardless of the size of the running group. */
const members_enough = 16

/** The queue of waiting calls of one kind. */
interface Waiting {
  readonly count: () => number
  /** Sends the first `members` calls as one group. The group calls `finished` at its end. */
  readonly send: (members: number) => void
  /** Answers all waiting calls with the failure. */
  readonly refuse: (failure: CellLate) => void
}

/** The scheduler's interface for one queue. */
interface Turn {
  /** Whether a group could start now if enough calls waited. */
  readonly isFree: () => boolean
  /** To be called after a call has joined the queue. Starts the groups that may run now. */
  readonly called: () => void
  /** Starts groups after a group of this size has finished. */
  readonly finished: (members: number) => void
  /**
   * Refuses the waiting calls of all queues with the failure. Also refuses new calls until `over` is called with this
   * failure.
   */
  readonly late: (failure: CellLate) => void
  readonly over: (failure: CellLate) => void
  /** The failure of calls while a group is late. Null if no group is late. */
  readonly lateness: () => CellLate | null
}

/** The cell of the queues, and how long callers wait for a group. */
interface CellLimit {
  readonly cell: string
  readonly timeout: Duration.Duration
}

/**
 * Schedules the groups of several queues, each with calls of one kind.
 *
 * If no group is running, a group starts immediately. So a single call does not wait, and no timer is needed. A second
 * group starts when as many calls wait as the running group has, or 16. Smaller second groups are not worth it, because
 * each group costs the database and the server 0.3 ms regardless of its size.
 *
 * If a queue could not start a group because too few of its calls waited, it starts one when any group finishes.
 *
 * A group that takes longer than the limit is late: a lock or a fault of the server holds it up. Its calls, the waiting calls
 * and new calls then fail, until the group ends.
 *
 * @param limit null if callers wait as long as a group takes.
 */
export const groupTurns = (limit: CellLimit | null = null) => {
  const queues: Array<Waiting & { wasPassedOver: boolean }> = []
  const late = new Set<CellLate>()
  let groups = 0
  let members = 0

  const start = (queue: Waiting, isDue: boolean): void => {
    while (groups < groups_max) {
      const size = Math.min(queue.count(), members_max)
      const isWorthOne = groups === 0 || isDue || size >= Math.min(members_enough, members)
      if (size === 0 || !isWorthOne) return
      groups++
      members += size
      queue.send(size)
    }
  }

  // Round robin: begins with the queue after the finished queue, so that no queue waits for ever.
  const startNext = (place: number): void => {
    for (const queue of [...queues.slice(place + 1), ...queues.slice(0, place + 1)]) {
      start(queue, queue.wasPassedOver)
      queue.wasPassedOver = queue.count() > 0
    }
  }

  return {
    limit,
    join: (waiting: Waiting): Turn => {
      const queue = { ...waiting, wasPassedOver: false }
      const place = queues.push(queue) - 1
      return {
        isFree: () => groups < groups_max,
        called: () => start(queue, false),
        finished: (size) => {
          groups--
          members -= size
          startNext(place)
        },
        late: (failure) => {
          late.add(failure)
          for (const { refuse } of queues) refuse(failure)
        },
        over: (failure) => void late.delete(failure),
        lateness: () => {
          const [failure = null] = late
          return failure
        }
      }
    }
  }
}
export type GroupTurns = ReturnType<typeof groupTurns>

/** The scheduler for statements of the cell that `CellName` names, with the limit of `CellTimeout`. */
export const cellTurns = Effect.gen(function* () {
  const timeout = yield* CellTimeout
  return groupTurns(timeout === null ? null : { cell: yield* CellName, timeout })
})
