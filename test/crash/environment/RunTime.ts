import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Clock, DateTime, Duration, Effect, Option, Schedule, Semaphore } from "effect"
import { makeSharedClock, timeFile } from "../processes/SharedClock.ts"

/** As often as recovery asks: what is orphaned is due after a minute, and then everything every five. Contract: 3.1. */
const firstJump = Duration.seconds(61)
const laterJump = Duration.minutes(5)

/** A gateway that says for a quarter of an hour that it knows nothing is believed at the second time. */
const cycles_max = 9

/** Minutes that go by while others do something are not waited for longer than this. */
const passing_max = "120 millis"

/** By so much time goes on between two looks. */
const smallJump = Duration.millis(500)

/** What is still unresolved: the xids, of sales and reversals. */
const openXids = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ xid: string }>`
    select xid from cell.transaction where status in ('PROCESSING', 'PENDING')
    union all
    select xid from cell.reversal where status in ('PROCESSING', 'PENDING')`
  return rows.map(({ xid }) => xid)
})

const countDue = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const now = DateTime.formatIso(yield* DateTime.now)
  const [row] = yield* sql<{ due: number }>`
    select (
      (select count(*) from cell.transaction where status in ('PROCESSING', 'PENDING') and ask_at <= ${now}::timestamptz)
      + (select count(*) from cell.reversal where status in ('PROCESSING', 'PENDING') and ask_at <= ${now}::timestamptz)
    )::int as due`
  return row?.due ?? 0
})

/**
 * Lets time go on, and waits until recovery has asked about all that is due then; false when it does not get so far.
 */
const recoveryCycle = Effect.fnUntraced(function* (time: RunTime, jump: Duration.Duration, patience: Duration.Input) {
  yield* time.jump(jump)
  // Recovery rests a second between its cycles, and whoever asks waits long for an answer: time goes fast meanwhile.
  const look = time.on(countDue).pipe(
    // The database may be down meanwhile.
    Effect.retry(Schedule.spaced("50 millis")),
    Effect.orDie,
    Effect.tap((due) => (due === 0 ? Effect.void : time.jump(smallJump)))
  )
  const rest = Effect.timeoutOption(
    Effect.repeat(look, { until: (due) => due === 0, schedule: Schedule.spaced("20 millis") }),
    patience
  )
  return Option.isSome(yield* rest)
})

/** So many minutes go by, while whoever is alive recovers. */
export const passMinutes = Effect.fnUntraced(function* (time: RunTime, minutes: number) {
  yield* recoveryCycle(time, firstJump, passing_max)
  for (let left = minutes - 1; left > 0; left -= 5)
    yield* recoveryCycle(time, Duration.minutes(Math.min(5, left)), passing_max)
})

/**
 * Lets recovery come to rest: time goes on until nothing is unresolved but what nobody will ever decide.
 *
 * @returns whether it does.
 */
export const settleByRecovery = Effect.fnUntraced(function* (time: RunTime, undecided: ReadonlySet<string>) {
  for (let cycles = 0; cycles < cycles_max; cycles++) {
    if (!(yield* recoveryCycle(time, cycles === 0 ? firstJump : laterJump, "30 seconds"))) return false
    if ((yield* Effect.orDie(openXids)).every((xid) => undecided.has(xid))) return true
  }
  return false
})

/** More than is ever done at once. */
const still_max = 100

/** The time of all processes of a run. */
export interface RunTime {
  readonly file: string
  /** Waits for whatever time may not jump over. */
  readonly jump: (duration: Duration.Input) => Effect.Effect<void>
  /** Time does not jump while this is done. */
  readonly still: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Does something as the other processes would. */
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
