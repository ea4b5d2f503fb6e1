/** So many groups that share their turns may be under way at once; what arrives meanwhile makes the next ones. */
export const groups_max = 2

/** The largest group that goes as one statement. */
export const members_max = 128

/** So many calls are worth a second group, however large the one is that is under way. */
const members_enough = 16

/** The calls of one kind that wait. */
interface Waiting {
  readonly count: () => number
  /** Sends the first so many of them as a group, which tells its turn when it has finished. */
  readonly send: (members: number) => void
}

/** When the groups of one kind go. */
interface Turn {
  /** Could a group start now, if enough waited? */
  readonly isFree: () => boolean
  /** Starts what may start, for a call has come. */
  readonly called: () => void
  /** Starts what may start, for a group of so many has its answers. */
  readonly finished: (members: number) => void
}

/**
 * Says when a group goes, to whoever joins with calls of one kind. With none under way it goes at once, so a lone call
 * does not wait and there is no timer. A second one goes beside it once as many wait as are under way, or sixteen: a
 * group costs the database and the server a third of a millisecond however few it has, so small ones side by side take
 * from each other what they seem to win.
 *
 * Whoever was passed over for others goes when the next group has finished, however few it has.
 */
export const groupTurns = () => {
  const queues: Array<Waiting & { wasPassedOver: boolean }> = []
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

  // The kinds after the one that has finished come before it, so that each of them has its turn.
  const startNext = (place: number): void => {
    for (const queue of [...queues.slice(place + 1), ...queues.slice(0, place + 1)]) {
      start(queue, queue.wasPassedOver)
      queue.wasPassedOver = queue.count() > 0
    }
  }

  return {
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
        }
      }
    }
  }
}
export type GroupTurns = ReturnType<typeof groupTurns>
