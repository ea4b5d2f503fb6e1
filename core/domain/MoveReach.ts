import { Result } from "effect"
import { CellsUnreachable } from "./CellErrors.ts"

/** One of the two places of a move. `source`: where the rows were when the move began. `target`: where they go. */
export type MoveSide = "source" | "target"

export const otherSide = (side: MoveSide): MoveSide => (side === "source" ? "target" : "source")

/** The server of a place, and why the connections of the database owner do not reach it. Null: they reach it. */
export interface Reach {
  readonly node: string
  readonly fault: CellsUnreachable["why"] | null
}

/** The reach of both places of a move. */
export type MoveReach = Readonly<Record<MoveSide, Reach>>

const unreachable = ({ node }: Reach, why: CellsUnreachable["why"]) => Result.fail(new CellsUnreachable({ node, why }))

/** Fails unless both servers can be reached. Only then can a move begin. */
export const requireBoth = ({ source, target }: MoveReach): Result.Result<void, CellsUnreachable> => {
  const missing = [source, target].find(({ fault }) => fault !== null)
  return missing?.fault == null ? Result.void : unreachable(missing, missing.fault)
}

/**
 * A place that does not answer, although the move can end without it. The rows in this place stay frozen
 * (read-only).
 */
export interface LostPlace {
  readonly side: MoveSide
  readonly node: string
}

/** How an operator ends a move that has begun. */
export interface MoveEnd {
  /** The place that the directory names. Only the rows in this place are valid. */
  readonly place: MoveSide
  /** Whether the operator cancels the move, so that the rows stay at the source. */
  readonly isGivenUp: boolean
  /** Whether the operator says that the server of the source is lost. */
  readonly isSourceLost: boolean
}

/**
 * The place that is lost, if the move can end without it. Null: both servers answer.
 *
 * The place that the directory names must answer. A server that refuses the connection, or that the
 * environment does not name, is not a lost server, because the operator can still reach it.
 */
export const lostPlace = (reach: MoveReach, end: MoveEnd): Result.Result<LostPlace | null, CellsUnreachable> => {
  const { isGivenUp, isSourceLost, place } = end
  const own = reach[place]
  if (own.fault !== null) return unreachable(own, own.fault === "node_down" ? "place_down" : own.fault)
  if (isSourceLost && reach.source.fault === null) return unreachable(reach.source, "source_answers")
  const side = otherSide(place)
  const other = reach[side]
  if (other.fault === null) return Result.succeed(null)
  if (other.fault !== "node_down") return unreachable(other, other.fault)
  const mayEnd = side === "target" ? isGivenUp : isSourceLost
  return mayEnd ? Result.succeed({ side, node: other.node }) : unreachable(other, `${side}_down`)
}
