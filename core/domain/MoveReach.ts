import { Result } from "effect"
import { CellsUnreachable } from "./CellErrors.ts"

/** A place of a move: where the rows were when it began, or where they go. */
export type MoveSide = "source" | "target"

export const otherSide = (side: MoveSide): MoveSide => (side === "source" ? "target" : "source")

/** Whether the owner's connections reach the server of a place. Null: they do. */
export interface Reach {
  readonly node: string
  readonly fault: CellsUnreachable["why"] | null
}

/** For each place of a move, whether the owner's connections reach its server. */
export type MoveReach = Readonly<Record<MoveSide, Reach>>

const unreachable = ({ node }: Reach, why: CellsUnreachable["why"]) => Result.fail(new CellsUnreachable({ node, why }))

/** Fails unless both servers can be reached, which a move needs in order to begin. */
export const requireBoth = ({ source, target }: MoveReach): Result.Result<void, CellsUnreachable> => {
  const missing = [source, target].find(({ fault }) => fault !== null)
  return missing?.fault == null ? Result.void : unreachable(missing, missing.fault)
}

/**
 * A place that does not answer, and that a move does not need in order to end. Its rows stay there,
 * frozen.
 */
export interface LostPlace {
  readonly side: MoveSide
  readonly node: string
}

/** How an operator ends a move that has begun. */
export interface MoveEnd {
  /** The place that the directory names. Only its rows count. */
  readonly place: MoveSide
  /** Whether the rows shall stay at the source. */
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
