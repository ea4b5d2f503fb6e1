import { Effect } from "effect"
import { Command } from "effect/cli"
import type { CellState, Leftover, MeasuredCell } from "../../../core/domain/Cell.ts"
import { CellDirectory } from "../../../core/ports/CellDirectory.ts"
import { clearNode } from "../../../core/workflows/ClearNode.ts"
import { addCell, closeCell, openCell } from "../../../core/workflows/ManageCells.ts"
import { moveCell } from "../../../core/workflows/MoveCell.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { CheckFailed, type Document, formatTable, print } from "../terminal/Output.ts"
import { cellName, nodeFlag, sourceLost, targetNode } from "../terminal/Parameters.ts"
import { lostText, rowsText, withProgress } from "../terminal/Progress.ts"

const states: Readonly<Record<CellState, string>> = { open: "abierta", closed: "cerrada" }

const cellDocument = ({ bytes, companies, name, node, rows, state }: MeasuredCell): Document => ({
  celda: name,
  estado: states[state],
  empresas: companies,
  filas: rows,
  bytes,
  nodo: node
})

const add = Command.make(
  "add",
  { name: cellName, node: nodeFlag },
  Effect.fn(function* ({ name, node }) {
    const isNew = yield* addCell(name, node)
    yield* print(
      { celda: name, nodo: node, creada: isNew },
      isNew
        ? `Cell ${name} is open. New companies go to the open cell with the fewest companies; choose one with "saldo company create --cell ${name}".`
        : `Cell ${name} exists already. Nothing was changed.`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Add a cell: a schema with its own tables for the money of many companies. The cell is added completely or not at all, and an interrupted command may be repeated. It needs the login that owns the database, in MIGRATION_DATABASE_URL, as saldo migrate does. From the second cell on, each cell counts its ids in steps of 256, so no id is assigned twice."
  ),
  Command.withShortDescription("Add a cell for new companies"),
  Command.withExamples([
    { command: "saldo cell add norte", description: "A second cell" },
    { command: "saldo cell add sur --node este", description: "A cell on the server of CELL_NODE_ESTE_URL" },
    { command: "saldo cell add este --node citus1", description: "A cell on a worker of the Citus cluster" }
  ])
)

const list = Command.make(
  "list",
  {},
  Effect.fn(function* () {
    const items = (yield* CellDirectory.use((cells) => cells.measured)).map(cellDocument)
    yield* print({ items }, formatTable(items))
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "List the cells with their state, companies, estimated rows, bytes on disk, and the Postgres server that holds them. Node main is the server of DATABASE_URL. Rows and bytes are missing if the server does not answer."
  ),
  Command.withShortDescription("List the cells"),
  Command.withExamples([{ command: "saldo cell list --json", description: "As JSON for a script" }])
)

const close = Command.make(
  "close",
  { name: cellName },
  Effect.fn(function* ({ name }) {
    const wasOpen = yield* closeCell(name)
    yield* print(
      { celda: name, estado: states.closed, cambiada: wasOpen },
      `Cell ${name} is ${wasOpen ? "closed" : "still closed"}. Calls of its companies receive 503 and change nothing. Open it with "saldo cell open ${name}".`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Close a cell. Calls of its companies receive 503 SERVICE_UNAVAILABLE with Retry-After, and their data do not change. Companies of other cells are not affected. Sales that are in progress still end. Its recovery, SMS and webhook deliveries pause. A cell that is moving to another node is closed already, and this command is refused. An interrupted command may be repeated."
  ),
  Command.withShortDescription("Refuse the calls of a cell's companies"),
  Command.withExamples([{ command: "saldo cell close norte", description: "Before work on the cell" }])
)

const open = Command.make(
  "open",
  { name: cellName },
  Effect.fn(function* ({ name }) {
    const wasClosed = yield* openCell(name)
    yield* print(
      { celda: name, estado: states.open, cambiada: wasClosed },
      wasClosed
        ? `Cell ${name} is open. Its companies may sell again within 5 seconds.`
        : `Cell ${name} was open already.`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Open a closed cell. Its companies may sell again, and its recovery, SMS and deliveries continue. An interrupted command may be repeated."
  ),
  Command.withShortDescription("Accept the calls of a cell's companies again"),
  Command.withExamples([{ command: "saldo cell open norte", description: "After work on the cell" }])
)

const move = Command.make(
  "move",
  { name: cellName, node: targetNode, isSourceLost: sourceLost },
  Effect.fn(function* ({ isSourceLost, name, node }) {
    const moving = moveCell(name, node, { isSourceLost })
    const { hasMoved, lostNode, node: now, rows, source } = yield* withProgress(`moving cell ${name}`)(moving)
    yield* print(
      { celda: name, nodo_anterior: source, nodo: now, movida: hasMoved, filas: rows, nodo_perdido: lostNode },
      hasMoved
        ? `Cell ${name} is now on node ${now}${rowsText(rows)}. Check the money with "saldo audit".${lostText(lostNode)}`
        : `Cell ${name} is on node ${now}. No row was moved.${lostText(lostNode)}`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Move a cell with all its companies to another Postgres server. From the beginning to the end of the move, the calls of its companies receive 503 SERVICE_UNAVAILABLE with Retry-After, for at least 12 seconds. Calls in progress end first. Then the schema is copied, every copy is compared, and the old schema is dropped. Ids, keys, statements, closings and webhooks stay as they are. It needs the logins that own both databases. An interrupted command may be repeated. To cancel an unfinished move, name the node on which the cell is now; the other server may be lost. If the old server is lost and the directory already names the new node, --source-lost ends the move."
  ),
  Command.withShortDescription("Move a cell to another server"),
  Command.withExamples([
    { command: "saldo cell move norte --node este", description: "To the server of CELL_NODE_ESTE_URL" }
  ])
)

const leftoverDocument = ({ cell, companyId, isRemoved }: Leftover & { readonly isRemoved: boolean }): Document => ({
  celda: cell,
  empresa_id: companyId,
  borrado: isRemoved
})

const kept =
  "What was not removed is still frozen. Either a move has begun, other transactions use the rows, or the place that the directory names does not answer or lacks the rows. Repeat the command when this is settled."

const clear = Command.make(
  "clear",
  { node: targetNode },
  Effect.fn(function* ({ node }) {
    const items = yield* withProgress(`clearing node ${node}`)(clearNode(node))
    const isClear = items.every(({ isRemoved }) => isRemoved)
    const documents = items.map(leftoverDocument)
    const text = items.length === 0 ? `Moves have left nothing on node ${node}.` : formatTable(documents)
    yield* print({ nodo: node, items: documents }, isClear ? text : `${text}\n${kept}`)
    if (!isClear) return yield* new CheckFailed()
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Remove the frozen rows that moves have left on a server that was lost and answers again. The moves ended without this server, so the rows that count are elsewhere. A leftover is removed only if the place that the directory names answers and has the rows. It needs the login that owns the database. An interrupted command may be repeated."
  ),
  Command.withShortDescription("Remove what moves have left on a server that was lost"),
  Command.withExamples([
    { command: "saldo cell clear --node este", description: "After the server of the node este is back" }
  ])
)

export const cell = Command.make("cell").pipe(
  Command.withDescription("Cells: parts of the database, each with all rows of its companies"),
  Command.withSubcommands([add, list, close, open, move, clear])
)
