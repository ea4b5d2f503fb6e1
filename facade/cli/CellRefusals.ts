import type { CellError, CellNotAdded, CellNotMoved, CellsUnreachable } from "../../core/domain/CellErrors.ts"
import type { Refusal } from "./terminal/Output.ts"

const cellNotAddedMessages: { readonly [Why in CellNotAdded["why"]]: string } = {
  login:
    "This login may not create schemas. Set MIGRATION_DATABASE_URL to the address with the login that owns the database.",
  busy: "Sales used the ids of the other cells for longer than 3 seconds. Repeat the command.",
  version: "The database belongs to a later version of Saldo. Run the command with that version.",
  unknown_node: "The environment has no address for its node. Set CELL_NODE_<NAME>_URL, also for every server.",
  node_down: "Its node does not answer. Check its address in CELL_NODE_<NAME>_URL and that the server runs."
}

const cellNotMovedMessages: { readonly [Why in CellNotMoved["why"]]: string } = {
  first: 'The first cell stays on node main. Move its companies one by one with "saldo company move".',
  sandbox: 'It has the sandbox, which stays on node main. Move the sandbox to another cell with "saldo company move".',
  companies: 'A company is moving from or to it. "saldo doctor" names the move; end it first.',
  leftovers:
    'It has frozen rows of a company, which a move has left. Remove them with "saldo cell clear --node NODE", with the node of the cell.',
  taken:
    'The node has a schema with its name. If an earlier move has left it, remove it with "saldo cell clear --node NODE". Otherwise drop the schema, or choose another node.'
}

const cellsUnreachableMessages: { readonly [Why in CellsUnreachable["why"]]: string } = {
  login:
    "The login does not own the database. Set MIGRATION_DATABASE_URL and CELL_NODE_<NAME>_MIGRATION_URL to the addresses with the logins that own the databases.",
  unknown_node: cellNotAddedMessages.unknown_node,
  node_down: cellNotAddedMessages.node_down,
  refused:
    "Its server answers and refuses the connection. Check the login and the database in CELL_NODE_<NAME>_URL and CELL_NODE_<NAME>_MIGRATION_URL.",
  place_down:
    "It does not answer. The directory names it, so only the rows on this node are valid, and the move cannot end without it. If its server is lost, restore it from its backup. Then repeat the command.",
  target_down:
    'It does not answer, and the directory still names the old place. If its server is lost, cancel the move: repeat the command with the old place, which "saldo doctor" names.',
  source_down:
    "It does not answer, and the directory already names the new place, which has all rows. If its server is lost for good, repeat the command with --source-lost.",
  source_answers: "It answers, so it is not lost. Repeat the command without --source-lost.",
  not_begun: "--source-lost only ends a move that has begun, and none has. Repeat the command without --source-lost."
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
  CellMoving: ({ name, source, target, why }) => ({
    code: "CELL_MOVING",
    message: `Cell ${name} is moving to node ${target}, and the calls of its companies are refused. ${why === "busy" ? "Other transactions use its tables, so it was not moved yet" : "Nothing was changed"}. End the move with "saldo cell move ${name} --node ${target}", or leave the cell on ${source} with "saldo cell move ${name} --node ${source}".`,
    details: { celda: name, nodo_anterior: source, nodo: target, motivo: why }
  }),
  CellNotMoved: ({ name, why }) => ({
    code: "CELL_NOT_MOVED",
    message: `Cell ${name} was not moved, and nothing was changed. ${cellNotMovedMessages[why]}`,
    details: { celda: name, motivo: why }
  }),
  CellsUnreachable: ({ node, why }) => ({
    code: "CELLS_UNREACHABLE",
    message: `The command cannot use node ${node}, and nothing was changed. ${cellsUnreachableMessages[why]}`,
    details: { nodo: node, motivo: why }
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
