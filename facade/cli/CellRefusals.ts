import type { CellError, CellNotAdded } from "../../core/domain/OperatorErrors.ts"
import type { Refusal } from "./terminal/Output.ts"

const cellNotAddedMessages: { readonly [Why in CellNotAdded["why"]]: string } = {
  login:
    "This login may not create schemas. Set MIGRATION_DATABASE_URL to the address with the login that owns the database.",
  busy: "Sales used the ids of the other cells for longer than 3 seconds. Repeat the command.",
  version: "The database belongs to a later version of Saldo. Run the command with that version.",
  unknown_node: "The environment has no address for its node. Set CELL_NODE_<NAME>_URL, also for every server.",
  node_down: "Its node does not answer. Check its address in CELL_NODE_<NAME>_URL and that the server runs."
}

/** The message of each error about cells. */
export const cellRefusals: {
  readonly [Tag in CellError["_tag"]]: (error: Extract<CellError, { _tag: Tag }>) => Refusal
} = {
  UnknownCell: ({ name }) => ({
    code: "CELL_NOT_FOUND",
    message: `Cell ${name} does not exist. List the cells with "saldo cell list".`,
    details: { celda: name }
  }),
  CellNotOpen: ({ name }) => ({
    code: "CELL_NOT_OPEN",
    message: `${name === null ? "No cell is open" : `There is no open cell ${name}`}. Nothing was changed. List the cells with "saldo cell list", and open one with "saldo cell open NAME".`,
    details: { celda: name }
  }),
  CompanyMoving: ({ companyId, source, target, why }) => ({
    code: "COMPANY_MOVING",
    message: `Company ${companyId} is moving to cell ${target}, and its calls are refused. ${why === "busy" ? "Other transactions use its rows, so they were not moved yet" : "Nothing was changed"}. End the move with "saldo company move ${companyId} --to ${target}", or leave the company in ${source} with "saldo company move ${companyId} --to ${source}".`,
    details: { empresa_id: companyId, celda_anterior: source, celda: target, motivo: why }
  }),
  CellsApart: ({ companyId, source, target }) => ({
    code: "CELLS_APART",
    message: `Company ${companyId} was not moved: the cells ${source} and ${target} are on different servers, or both are on another server than the directory. Nothing was changed. "saldo cell list" shows the server of each cell.`,
    details: { empresa_id: companyId, celda_anterior: source, celda: target }
  }),
  CellNameTaken: ({ name }) => ({
    code: "CELL_NAME_TAKEN",
    message: `The database has a schema ${name} that is not a cell. Nothing was changed. Choose another name.`,
    details: { celda: name }
  }),
  CellNotAdded: ({ name, why }) => ({
    code: "CELL_NOT_ADDED",
    message: `Cell ${name} was not added, and nothing was changed. ${cellNotAddedMessages[why]}`,
    details: { celda: name, motivo: why }
  })
}
