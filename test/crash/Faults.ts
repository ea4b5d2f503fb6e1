import { Data, Struct } from "effect"
import { CellName } from "../../core/domain/Cell.ts"
import { type Cut, cuts } from "../support/CuttingProxy.ts"
import { SeededRandom } from "../support/SeededRandom.ts"
import { cellNames } from "../support/SeveralCells.ts"
import type { PostgresEnd, PostgresServer } from "./environment/Postgres.ts"
import { type CrashPoint, crashPoints, workflowOf } from "./processes/CrashPoints.ts"
import { type MovePoint, movePoints } from "./processes/MovePoints.ts"

/**
 * Statements that move money, each with a text that only this statement sends to the database. The reference of a
 * deposit ends with `deposit`. In the statement of the deposit a zero byte follows, because the length of the next
 * parameter begins with it. In the audit log a quote follows, because the log has the reference as JSON. The commit of a
 * confirmation comes after the statement that writes its audit event.
 */
const moneyStatements = {
  "a reservation": '"service_name"',
  "a settlement": '"not_found"',
  "the start of a reversal": " back",
  "the settlement of a reversal": '"Reversed"',
  "a deposit": " deposit\u0000",
  "a proposal": " correction\u0000",
  "a confirmation": "turno-2\u0000",
  "the commit of a confirmation": { after: "funding_confirmed" }
} as const
type MoneyStatement = keyof typeof moneyStatements

/** Statements of a closing, each with a text that only this statement sends to the database. */
const closingStatements = { "the end of a day": "end_day(", "a closing": "add_closing(" } as const
type ClosingStatement = keyof typeof closingStatements

/** The text of each statement. A connection can be cut before or after the commit of these statements. */
export const statementMarkers = { ...moneyStatements, ...closingStatements }

/** A fault that is injected while clients buy. */
export type Fault = Data.TaggedEnum<{
  /** Kills a server at a crash point of a sale, a reversal, an insurance sale or a delivery of events. */
  Kill: { readonly point: CrashPoint }
  /** Kills the server that first reaches this point of recovery. */
  KillRecovery: { readonly point: CrashPoint }
  /** A local midnight passes. Kills the server that first reaches this point of a closing. */
  KillClosing: { readonly point: CrashPoint }
  /** A local midnight passes. Stops the server that first reaches this point of a closing. The other server closes the day. */
  PauseClosing: { readonly point: CrashPoint; readonly minutes: number }
  /** Stops a server for some minutes. The other server recovers its open sales and delivers the events that it had claimed. */
  Pause: { readonly point: CrashPoint; readonly minutes: number }
  /** Kills both servers at the same time, at any point of their work. */
  KillBoth: {}
  KillPostgres: { readonly end: PostgresEnd; readonly of: PostgresServer }
  /** Cuts the connection to Postgres around the commit of a statement. */
  Cut: { readonly cut: Cut; readonly what: MoneyStatement | ClosingStatement }
  /** Stops the suppliers for some minutes. When they continue, they read the requests that arrived in the meantime. */
  Stall: { readonly minutes: number }
  /** Closes a cell, and opens it when the companies of the other cells have sold. */
  CloseCell: { readonly cell: CellName }
  /** Kills the command that moves a company or a cell between the Postgres servers. A repeated command finishes the move. */
  KillMove: { readonly at: MovePoint }
}>
export const Fault = Data.taggedEnum<Fault>()

// At these points the server has already checked that the request may still be sent. The service gives no
// guarantee for a pause of 15 minutes here, because recovery then treats the answer "not found" as firm.
const beforeSending: ReadonlyArray<CrashPoint> = [
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

/** The kill and the stop of a server at a crash point. A server is not stopped while it recovers transactions. */
const faultsAt = (point: CrashPoint): ReadonlyArray<Fault> => {
  switch (workflowOf(point)) {
    case "recovery":
      return [Fault.KillRecovery({ point })]
    case "closing":
      return [Fault.KillClosing({ point }), Fault.PauseClosing({ point, minutes: long_minutes })]
    default:
      return [
        Fault.Kill({ point }),
        Fault.Pause({ point, minutes: beforeSending.includes(point) ? short_minutes : long_minutes })
      ]
  }
}

const postgresEnds: ReadonlyArray<PostgresEnd> = [
  "the postmaster is killed",
  "a backend is killed",
  "immediate shutdown"
]

const postgresServers = ["main", "second"] as const

/** All faults. Kills of both servers are listed twice, because chance decides at which moment they happen. */
export const allFaults: ReadonlyArray<Fault> = [
  ...crashPoints.flatMap(faultsAt),
  ...postgresServers.flatMap(
    (of): ReadonlyArray<Fault> => [Fault.KillBoth(), ...postgresEnds.map((end) => Fault.KillPostgres({ end, of }))]
  ),
  ...cuts.flatMap((cut) => Struct.keys(statementMarkers).map((what): Fault => Fault.Cut({ cut, what }))),
  Fault.Stall({ minutes: 1 }),
  Fault.Stall({ minutes: short_minutes }),
  ...cellNames.map((name) => Fault.CloseCell({ cell: CellName.make(name) })),
  ...[...movePoints("company"), ...movePoints("cell")].map((at) => Fault.KillMove({ at }))
]

/** Kind of a fault, without its crash point. */
export const faultKindOf: (fault: Fault) => string = Fault.$match({
  Kill: () => "a server is killed",
  KillRecovery: () => "a recovering server is killed",
  KillClosing: () => "a closing server is killed",
  PauseClosing: () => "a closing server is stopped",
  Pause: ({ minutes }) => `a server is stopped for ${minutes} min`,
  KillBoth: () => "both servers are killed",
  KillPostgres: ({ end, of }) => `Postgres ${of}: ${end}`,
  Cut: ({ cut, what }) => `the connection is cut ${cut} of ${what}`,
  Stall: ({ minutes }) => `the suppliers are stopped for ${minutes} min`,
  CloseCell: () => "a cell is closed",
  KillMove: ({ at: { what } }) => `the move of a ${what} is killed`
})

/** Crash point of a fault; null when a random choice decides the moment. */
export const crashPointOf = (fault: Fault): CrashPoint | null => ("point" in fault ? fault.point : null)

/** A short text about a fault, for the log of the round and the display of progress. */
export const describeFault = (fault: Fault): string => {
  const point = fault._tag === "KillMove" ? `${fault.at.moment} ${fault.at.step}` : crashPointOf(fault)
  return [faultKindOf(fault), point ?? []].flat().join(" ")
}

/** All kinds of faults. */
export const faultKinds: ReadonlyArray<string> = [...new Set(allFaults.map(faultKindOf))]

/** Faults that are injected at the same time. */
export type FaultGroup = ReadonlyArray<Fault>

const group_max = 3

/** Whether a local midnight passes while the faults of the group are injected. */
export const hasClosing = (group: FaultGroup): boolean =>
  group.some(({ _tag }) => _tag === "KillClosing" || _tag === "PauseClosing")

/** Number of rounds in a series. In four rounds in a row, 2, 2, 2 and 1 groups have no closing: 35 groups in a series. */
const series_rounds = 20
const groups_perRound = [2, 2, 2, 1]

const faultsOfType = <Tag extends Fault["_tag"]>(tag: Tag) =>
  allFaults.filter((fault): fault is Extract<Fault, { _tag: Tag }> => fault._tag === tag)

/**
 * Pairs of faults: one server is killed at one point while the other server is stopped at another point. If the two
 * lists differ in length, the last group has one fault.
 */
const pairsOf = (killed: ReadonlyArray<string>, paused: ReadonlyArray<string>): ReadonlyArray<Array<Fault>> =>
  Array.from({ length: Math.max(killed.length, paused.length) }, (_, index) => [
    ...faultsOfType("Kill").filter((kill) => kill.point === killed[index]),
    ...faultsOfType("Pause").filter((pause) => pause.point === paused[index])
  ])

/** Divides the points at which a server can be stopped into two halves. Both halves contain pauses of every length. */
const halvesOf = (chance: SeededRandom, type: "Pause" | "PauseClosing") => {
  const pauses = chance.shuffled(faultsOfType(type)).sort((one, other) => one.minutes - other.minutes)
  const half = (rest: number) => pauses.filter((_, index) => index % 2 === rest).map(({ point }) => point)
  return [half(0), half(1)] as const
}

/**
 * Pairs of a killed move of a company and a killed move of a cell. Each series has only one pair, because
 * moves take longer than other faults.
 */
const pairsOfMoves = (chance: SeededRandom) => {
  const kills = chance.shuffled(faultsOfType("KillMove"))
  const [companies, cells] = [
    kills.filter(({ at }) => at.what === "company"),
    kills.filter(({ at }) => at.what === "cell")
  ]
  return companies.map((kill, index) => [kill, cells[index % cells.length] ?? kill])
}

/** Faults that need both servers or advance the time, and therefore cannot be combined with most other faults. */
const exclusiveGroups = (): ReadonlyArray<Array<Fault>> => {
  const [shorter, longer] = faultsOfType("Stall")
  const [first, second] = faultsOfType("KillBoth")
  return [[first, shorter], [second], [longer]].map((group) => group.filter((fault) => fault !== undefined))
}

/** The class of a fault in a group. Moves are in the class of closed cells, because a closed cell refuses a move to it. */
const classOf = (tag: Fault["_tag"]) => (tag === "KillMove" ? "CloseCell" : tag)

/**
 * Adds a fault to the first group that has room and no fault of the same type. The fault must be compatible with every
 * other fault.
 */
const addToGroup = (groups: ReadonlyArray<Array<Fault>>, extra: Fault): void => {
  groups
    .find((group) => group.length < group_max && group.every(({ _tag }) => classOf(_tag) !== classOf(extra._tag)))
    ?.push(extra)
}

/** Groups that together contain every crash point once and every kind of fault. */
const allGroups = (
  chance: SeededRandom,
  killed: ReadonlyArray<string>,
  paused: ReadonlyArray<string>,
  moves: ReadonlyArray<Fault>
): ReadonlyArray<FaultGroup> => {
  const recoveries = faultsOfType("KillRecovery").map((fault): Array<Fault> => [fault])
  const pairs = pairsOf(chance.shuffled(killed), chance.shuffled(paused))
  const groups = chance.shuffled([...pairs, ...recoveries, ...exclusiveGroups()])
  const moneyCuts = faultsOfType("Cut").filter(({ what }) => !isOfClosing(what))
  const extras = [...faultsOfType("KillPostgres"), ...moneyCuts, ...faultsOfType("CloseCell"), ...moves]
  for (const extra of chance.shuffled(extras)) addToGroup(chance.shuffled(groups), extra)
  return groups
}

const isOfClosing = (what: string): what is ClosingStatement => what in closingStatements

/** Groups that together contain every crash point of closings once. Connections are cut in some of the groups. */
const closingGroups = (
  chance: SeededRandom,
  killed: ReadonlyArray<string>,
  paused: ReadonlyArray<string>
): ReadonlyArray<FaultGroup> => {
  const groups = [
    ...faultsOfType("KillClosing").filter(({ point }) => killed.includes(point)),
    ...faultsOfType("PauseClosing").filter(({ point }) => paused.includes(point))
  ].map((fault): Array<Fault> => [fault])
  for (const cut of faultsOfType("Cut").filter(({ what }) => isOfClosing(what)))
    addToGroup(chance.shuffled(groups), cut)
  return chance.shuffled(groups)
}

/** The groups of each round of a series. A group with a closing comes first in its round, when no operation is open. */
const seriesOf = (groups: ReadonlyArray<FaultGroup>, closings: ReadonlyArray<FaultGroup>) => {
  const [left, leftClosings] = [[...groups], [...closings]]
  return Array.from({ length: series_rounds }, (_, round): ReadonlyArray<FaultGroup> => {
    const first = round % 2 === 0 ? leftClosings.splice(0, 1) : []
    return [...first, ...left.splice(0, groups_perRound[round % groups_perRound.length])]
  })
}

/**
 * Plans the faults of every round from the seed.
 *
 * Twenty rounds contain a fault at every point of a server and of every kind. At a point where a server is killed in the first
 * twenty rounds, a server is stopped in the next twenty. Every twenty rounds contain one killed move
 * of a company and one of a cell, each time at other steps. 240 rounds contain all steps.
 */
export const planFaults = (seed: number, rounds: number): ReadonlyArray<ReadonlyArray<FaultGroup>> => {
  const chance = new SeededRandom(seed, "deck")
  let halves = halvesOf(chance, "Pause")
  let closingHalves = halvesOf(chance, "PauseClosing")
  const moves = pairsOfMoves(chance)
  const planned: Array<ReadonlyArray<FaultGroup>> = []
  for (let series = 0; planned.length < rounds; series++) {
    const killed = moves[series % moves.length] ?? []
    planned.push(...seriesOf(allGroups(chance, ...halves, killed), closingGroups(chance, ...closingHalves)))
    halves = [halves[1], halves[0]]
    closingHalves = [closingHalves[1], closingHalves[0]]
  }
  return planned.slice(0, rounds)
}
