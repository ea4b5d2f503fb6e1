import { join } from "node:path"
import { Clock, DateTime, Duration, Effect, Option, Schedule, Semaphore } from "effect"
import { closingDelay, isOver } from "../../../core/domain/Closing.ts"
import { dayOf, nextDay, startOfDay } from "../../../core/domain/LocalTime.ts"
import { Closings } from "../../../core/ports/Closings.ts"
import { makeSharedClock, timeFile } from "../processes/SharedClock.ts"
import { readCells } from "./CellReads.ts"

/**
 * Time jumps after which transactions are due for recovery. A transaction whose server died is due after one minute, and
 * then every five minutes.
 * Contract: 3.1.
 */
const firstJump = Duration.seconds(61)
const laterJump = Duration.minutes(5)

/**
 * Maximum number of recovery cycles until every transaction is settled. A transaction that its supplier does
 * not know takes longest, because "not found" is firm only at the second question after 15 minutes.
 */
const cycles_max = 9

/** Maximum wait for recovery after each jump of the time during a fault. */
const passing_max = "120 millis"

/** Length of a time jump between two checks for due transactions. */
const smallJump = Duration.millis(500)

/** The xids of all unresolved sales and reversals. */
const openXids = Effect.gen(function* () {
  const rows = yield* readCells<{ xid: string }>(`
    select xid from all_cells.transaction where status in ('PROCESSING', 'PENDING')
    union all
    select xid from all_cells.reversal where status in ('PROCESSING', 'PENDING')`)
  return rows.map(({ xid }) => xid)
})

const countDue = Effect.gen(function* () {
  const now = DateTime.formatIso(yield* DateTime.now)
  const counts = yield* readCells<{ due: number }>(
    `select (
      (select count(*) from all_cells.transaction where status in ('PROCESSING', 'PENDING') and ask_at <= $1::timestamptz)
      + (select count(*) from all_cells.reversal where status in ('PROCESSING', 'PENDING') and ask_at <= $1::timestamptz)
    )::int as due`,
    [now]
  )
  return counts.reduce((sum, { due }) => sum + due, 0)
})

/**
 * Advances the time and waits until recovery has asked about every transaction that is due.
 *
 * @returns false when the timeout passes first.
 */
const recoveryCycle = Effect.fnUntraced(function* (time: RunTime, jump: Duration.Duration, timeout: Duration.Input) {
  yield* time.jump(jump)
  // Recovery pauses for a second between cycles, and its calls have long timeouts. Small time jumps shorten both waits.
  const look = time.on(countDue).pipe(
    // Postgres may be down at this moment.
    Effect.retry(Schedule.spaced("50 millis")),
    Effect.orDie,
    Effect.tap((due) => (due === 0 ? Effect.void : time.jump(smallJump)))
  )
  const rest = Effect.timeoutOption(
    Effect.repeat(look, { until: (due) => due === 0, schedule: Schedule.spaced("20 millis") }),
    timeout
  )
  return Option.isSome(yield* rest)
})

/** Advances the time by some minutes while the running servers recover transactions. */
export const passMinutes = Effect.fnUntraced(function* (time: RunTime, minutes: number) {
  yield* recoveryCycle(time, firstJump, passing_max)
  for (let left = minutes - 1; left > 0; left -= 5)
    yield* recoveryCycle(time, Duration.minutes(Math.min(5, left)), passing_max)
})

/**
 * Advances the time until the only unresolved transactions are those that the suppliers never decide.
 *
 * @returns whether this state was reached.
 */
export const settleByRecovery = Effect.fnUntraced(function* (time: RunTime, undecided: ReadonlySet<string>) {
  for (let cycles = 0; cycles < cycles_max; cycles++) {
    if (!(yield* recoveryCycle(time, cycles === 0 ? firstJump : laterJump, "30 seconds"))) return false
    if ((yield* Effect.orDie(openXids)).every((xid) => undecided.has(xid))) return true
  }
  return false
})

/** Time within which a running server closes a day that is due. */
const closing_max = Duration.millis(600)

/** How long before midnight a round with a closing begins. */
const eve = Duration.minutes(1)

/** Advances the time to shortly before the next local midnight. Used only while no transaction is open. */
export const untilEve = Effect.fnUntraced(function* (time: RunTime) {
  const now = yield* time.on(DateTime.now)
  const wanted = DateTime.subtractDuration(startOfDay(nextDay(dayOf(now))), eve)
  const left = DateTime.distance(now, wanted)
  if (Duration.isPositive(left)) yield* time.jump(left)
})

/** Advances the time past the local midnight, and then minute by minute while the running servers close the day. */
export const passMidnight = Effect.fnUntraced(function* (time: RunTime, minutes: number) {
  yield* time.jump(Duration.sum(eve, closingDelay))
  const minute = Effect.andThen(Effect.sleep(closing_max), time.jump("1 minute"))
  yield* Effect.repeat(minute, { times: minutes - 1 })
})

/** The days of companies that the servers should have closed. */
export const unclosedDays = Effect.gen(function* () {
  const { unclosed } = yield* Closings
  const now = yield* DateTime.now
  const { days } = yield* unclosed
  return days.filter(({ day }) => isOver(day, now, closingDelay))
})

/** Advances the time until the servers have closed all days that are over. Stops after a number of minutes. */
export const closeEverything = Effect.fnUntraced(function* (time: RunTime, minutes: number) {
  for (let left = minutes; left > 0; left--) {
    if ((yield* time.on(unclosedDays)).length === 0) return true
    yield* Effect.sleep(closing_max)
    yield* time.jump("1 minute")
  }
  return false
})

/** Pause between two checks of the deliveries that wait. */
const deliveryCheck = "20 millis"

/** Number of checks after which a leased delivery counts as abandoned by a killed server. After them the time jumps on. */
const sendingChecks_max = 25

/** Number of checks after which the wait for deliveries ends. */
const deliveryChecks_max = 3_000

/** The waiting deliveries of some webhooks, and the time until the next of these deliveries is due and not leased. */
const waitingDeliveries = Effect.fnUntraced(function* (webhooks: ReadonlyArray<number>) {
  const now = DateTime.formatIso(yield* DateTime.now)
  const waiting = yield* readCells<{ due_ms: number }>(
    `select (extract(epoch from greatest(due_at, leased_until) - $1::timestamptz) * 1000)::float8 as due_ms
    from all_cells.delivery
    where state = 'pendiente' and webhook_id = any (string_to_array($2, ',')::bigint[])`,
    [now, webhooks.join()]
  )
  return {
    waiting: waiting.length,
    next_ms: waiting.length === 0 ? 0 : Math.min(...waiting.map(({ due_ms }) => due_ms))
  }
})

/**
 * Waits until the servers have delivered all events of some webhooks. Advances the time to the next retry, and past the
 * lease of a delivery whose server was killed.
 *
 * @returns whether everything was delivered.
 */
export const deliverEverything = Effect.fnUntraced(function* (time: RunTime, webhooks: ReadonlyArray<number>) {
  let idle = 0
  for (let checks = 0; checks < deliveryChecks_max; checks++) {
    const { next_ms, waiting } = yield* Effect.orDie(time.on(waitingDeliveries(webhooks)))
    if (waiting === 0) return true
    idle = next_ms > 0 ? idle + 1 : 0
    if (idle > sendingChecks_max) {
      yield* time.jump(Duration.millis(next_ms + 1))
      idle = 0
    }
    yield* Effect.sleep(deliveryCheck)
  }
  return false
})

/** Maximum number of concurrent effects during which the time must not jump. */
const still_max = 100

/** Time shared by all processes of a run. */
export interface RunTime {
  readonly file: string
  /** Advances the time. First waits for every effect that runs under `still`. */
  readonly jump: (duration: Duration.Input) => Effect.Effect<void>
  /** Prevents time jumps while the effect runs. */
  readonly still: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Runs an effect on the shared time. */
  readonly on: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const makeRunTime = Effect.fnUntraced(function* (directory: string) {
  const file = join(directory, "time")
  const write = yield* timeFile(file)
  const clock = makeSharedClock(file)
  const stillness = yield* Semaphore.make(still_max)
  let ahead_ms = 0
  return {
    file,
    jump: (duration) =>
      Effect.sync(() => {
        ahead_ms += Duration.toMillis(duration)
        write(ahead_ms)
      }).pipe(stillness.withPermits(still_max)),
    still: stillness.withPermits(1),
    on: Effect.provideService(Clock.Clock, clock)
  } satisfies RunTime
})
