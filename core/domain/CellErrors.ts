import { Schema } from "effect"
import { CellName, NodeName } from "./Cell.ts"
import { CompanyId } from "./Ids.ts"

/** There is no such cell. */
export class UnknownCell extends Schema.TaggedError<UnknownCell>()("UnknownCell", { name: CellName }) {}

/** The company was not created or moved, because the cell does not exist or is closed. */
export class CellNotOpen extends Schema.TaggedError<CellNotOpen>()("CellNotOpen", {
  /** Null if no cell is open. */
  name: Schema.NullOr(CellName)
}) {}

/** The company was not moved. A move of the company has begun, so the calls of the company are refused. */
export class CompanyMoving extends Schema.TaggedError<CompanyMoving>()("CompanyMoving", {
  companyId: CompanyId,
  /** The cells of the move that has begun. */
  source: CellName,
  target: CellName,
  /** `other`: the move that has begun has another target. `busy`: other transactions kept the company's rows locked. */
  why: Schema.Literals(["other", "busy"])
}) {}

/** The cell is moving to another node, so the calls of its companies are refused. */
export class CellMoving extends Schema.TaggedError<CellMoving>()("CellMoving", {
  name: CellName,
  /** The nodes of the move that has begun. */
  source: NodeName,
  target: NodeName,
  /** `other`: the command contradicts the move. `busy`: other transactions kept the cell's tables locked. */
  why: Schema.Literals(["other", "busy"])
}) {}

/** The cell was not moved, and nothing was changed. */
export class CellNotMoved extends Schema.TaggedError<CellNotMoved>()("CellNotMoved", {
  name: CellName,
  /**
   * `first`, `sandbox`: the first cell and the sandbox's cell stay on the node `main`. `companies`: a company is moving from or
   * to the cell. `taken`: the node already has a schema with the cell's name. `leftovers`: the cell has frozen rows that a move
   * of a company has left.
   */
  why: Schema.Literals(["first", "sandbox", "companies", "taken", "leftovers"])
}) {}

/** The owner of the database cannot move rows to or from a node. Nothing was changed. */
export class CellsUnreachable extends Schema.TaggedError<CellsUnreachable>()("CellsUnreachable", {
  node: Schema.String,
  why: Schema.Literals([
    /** The login does not own the cells on the node. */
    "login",
    /** The environment has no address for the node. */
    "unknown_node",
    /** The node does not answer. */
    "node_down",
    /** The node answers, and refuses the connection. */
    "refused",
    /** The node does not answer, and according to the directory it has the rows. */
    "place_down",
    /** The target does not answer, and the directory still names the source. The move can be cancelled. */
    "target_down",
    /** The source does not answer, and the directory already names the target. The move can end if the source is lost. */
    "source_down",
    /** The operator says that the source is lost, but the source answers. */
    "source_answers",
    /** The operator says that the source is lost, but no move has begun. */
    "not_begun"
  ])
}) {}

/** The database has a schema with the name of the new cell. */
export class CellNameTaken extends Schema.TaggedError<CellNameTaken>()("CellNameTaken", { name: CellName }) {}

/** The cell was not made, and nothing was changed. */
export class CellNotAdded extends Schema.TaggedError<CellNotAdded>()("CellNotAdded", {
  name: CellName,
  /**
   * `login`: the login does not own the database. `busy`: other transactions kept a lock for too long. `version`:
   * the database has a later version. `unknown_node`: the environment has no address for the node. `node_down`:
   * the node does not answer.
   */
  why: Schema.Literals(["login", "busy", "version", "unknown_node", "node_down"])
}) {}

/** Errors about cells and about moves between them. */
export type CellError =
  | UnknownCell
  | CellNotOpen
  | CompanyMoving
  | CellMoving
  | CellNotMoved
  | CellsUnreachable
  | CellNameTaken
  | CellNotAdded
