import { PgClient } from "@effect/sql-pg"
import { DateTime, Duration, Effect, Option, Schedule } from "effect"
import type { Time } from "./Time.ts"

/** As often as recovery asks: what is orphaned is due after a minute, and then everything every five. Contract: 3.1. */
const first = Duration.seconds(61)
const later = Duration.minutes(5)

/** A gateway that says for a quarter of an hour that it knows nothing is believed at the second time. */
const cycles_max = 9

/** Minutes that go by while others do something are not waited for longer than this. */
const patience = "120 millis"

/** By so much time goes on between two looks. */
const fast = Duration.millis(500)

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
const cycle = Effect.fnUntraced(function* (time: Time, jump: Duration.Duration, patience: Duration.Input) {
  yield* time.jump(jump)
  // Recovery rests a second between its cycles, and whoever asks waits long for an answer: time goes fast meanwhile.
  const look = time.on(countDue).pipe(
    // The database may be down meanwhile.
    Effect.retry(Schedule.spaced("50 millis")),
    Effect.orDie,
    Effect.tap((due) => (due === 0 ? Effect.void : time.jump(fast)))
  )
  const rest = Effect.timeoutOption(
    Effect.repeat(look, { until: (due) => due === 0, schedule: Schedule.spaced("20 millis") }),
    patience
  )
  return Option.isSome(yield* rest)
})

/** So many minutes go by, while whoever is alive recovers. */
export const passMinutes = Effect.fnUntraced(function* (time: Time, minutes: number) {
  yield* cycle(time, first, patience)
  for (let left = minutes - 1; left > 0; left -= 5) yield* cycle(time, Duration.minutes(Math.min(5, left)), patience)
})

/**
 * Lets recovery come to rest: time goes on until nothing is unresolved but what nobody will ever decide.
 *
 * @returns whether it does.
 */
export const comeToRest = Effect.fnUntraced(function* (time: Time, undecided: ReadonlySet<string>) {
  for (let cycles = 0; cycles < cycles_max; cycles++) {
    if (!(yield* cycle(time, cycles === 0 ? first : later, "30 seconds"))) return false
    if ((yield* Effect.orDie(openXids)).every((xid) => undecided.has(xid))) return true
  }
  return false
})
