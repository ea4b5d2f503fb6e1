import { Data, Struct } from "effect"
import { type Cut, cuts } from "../../tools/database/CuttingProxy.ts"
import { type Point, points, wayOf } from "../server/Points.ts"
import type { PostgresEnd } from "../stage/Postgres.ts"

/** Statements that move money, by words that only they carry to the database. */
export const statements = {
  "a reservation": '"service_name"',
  "a settlement": '"not_found"',
  "the beginning of a reversal": " back",
  "the settlement of a reversal": '"Reversed"'
} as const
type Statement = keyof typeof statements

/** Something that goes wrong while clients buy. */
export type Mishap = Data.TaggedEnum<{
  /** A server is killed where it sells. */
  Kill: { readonly point: Point }
  /** The server that gets there first is killed in the middle of recovery. */
  KillRecovery: { readonly point: Point }
  /** A server stands still for so long, while the other one goes on and recovers what it left. */
  Pause: { readonly point: Point; readonly minutes: number }
  /** Both servers are killed at once, wherever they are. */
  KillBoth: {}
  KillPostgres: { readonly end: PostgresEnd }
  /** The connection breaks around the commit of something. */
  Cut: { readonly cut: Cut; readonly what: Statement }
  /** The suppliers stand still; what they are told meanwhile they hear later. */
  Stall: { readonly minutes: number }
}>
export const Mishap = Data.taggedEnum<Mishap>()

// What is about to be sent has been found fresh already. A pause of a quarter of an hour just there is longer than what
// is promised: by then a supplier that knows nothing of it is believed.
const beforeSending: ReadonlyArray<Point> = [
  "before dispatch",
  "during dispatch",
  "before reverse",
  "during reverse",
  "before begin issue",
  "during begin issue",
  "after begin issue",
  "before issue",
  "during issue"
]
const short_minutes = 4
const long_minutes = 25

const isRecovery = (point: Point): boolean => wayOf(point) === "recovery"

const pauseAt = (point: Point): Mishap =>
  Mishap.Pause({ point, minutes: beforeSending.includes(point) ? short_minutes : long_minutes })

const killAt = (point: Point): Mishap => (isRecovery(point) ? Mishap.KillRecovery({ point }) : Mishap.Kill({ point }))

const ends: ReadonlyArray<PostgresEnd> = [
  "its first process is killed",
  "a process of it is killed",
  "it is stopped at once"
]

/** Every mishap, once; those that have no point, twice. */
export const deck: ReadonlyArray<Mishap> = [
  ...points.map(killAt),
  ...points.filter((point) => !isRecovery(point)).map(pauseAt),
  ...[1, 2].flatMap(
    (): ReadonlyArray<Mishap> => [Mishap.KillBoth(), ...ends.map((end) => Mishap.KillPostgres({ end }))]
  ),
  ...cuts.flatMap((cut) => Struct.keys(statements).map((what): Mishap => Mishap.Cut({ cut, what }))),
  Mishap.Stall({ minutes: 1 }),
  Mishap.Stall({ minutes: short_minutes })
]

/** What goes wrong, wherever it does. */
export const kindOf: (mishap: Mishap) => string = Mishap.$match({
  Kill: () => "a server is killed",
  KillRecovery: () => "a server that recovers is killed",
  Pause: ({ minutes }) => `a server stands still for ${minutes} min`,
  KillBoth: () => "both servers are killed",
  KillPostgres: ({ end }) => `Postgres: ${end}`,
  Cut: ({ cut, what }) => `the connection is cut ${cut} of ${what}`,
  Stall: ({ minutes }) => `the suppliers stand still for ${minutes} min`
})

/** Where it goes wrong; null when that is left to chance. */
export const pointOf = (mishap: Mishap): Point | null => ("point" in mishap ? mishap.point : null)

/** A mishap in words, for the story. */
export const wordsOf = (mishap: Mishap): string => [kindOf(mishap), pointOf(mishap) ?? []].flat().join(" ")

/** Every kind of mishap. */
export const kinds: ReadonlyArray<string> = [...new Set(deck.map(kindOf))]
