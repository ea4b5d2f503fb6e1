import { Effect } from "effect"
import { Command } from "effect/cli"
import { moveCompany } from "../../../core/workflows/MoveCompany.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { print } from "../terminal/Output.ts"
import { cellFlag, companyId, sourceLost } from "../terminal/Parameters.ts"
import { lostText, rowsText, withProgress } from "../terminal/Progress.ts"

export const move = Command.make(
  "move",
  { companyId, to: cellFlag("to", "The cell that gets the company. See saldo cell list"), isSourceLost: sourceLost },
  Effect.fn(function* ({ companyId, isSourceLost, to }) {
    const { cell, hasMoved, lostNode, rows, source } = yield* withProgress(`moving company ${companyId}`)(
      moveCompany(companyId, to, { isSourceLost })
    )
    yield* print(
      {
        empresa_id: companyId,
        celda_anterior: source,
        celda: cell,
        movida: hasMoved,
        filas: rows,
        nodo_perdido: lostNode
      },
      hasMoved
        ? `Company ${companyId} is now in cell ${cell}${rowsText(rows)}. It may sell again within 5 seconds. Check the money with "saldo audit".${lostText(lostNode)}`
        : `Company ${companyId} is in cell ${cell}. No row was moved.${lostText(lostNode)}`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Move a company to another cell, with its unfinished sales, messages and deliveries. From the beginning to the end of the move, its calls receive 503 SERVICE_UNAVAILABLE with Retry-After, for at least 12 seconds. Calls in progress end first. Then all rows move, and every copy is compared with its row. If one of the cells is on another server than the directory, the command needs the logins that own both databases. Ids, keys, statements, closings and webhooks stay as they are. An interrupted command may be repeated. To cancel an unfinished move, name the cell in which the company is now; the other server may be lost. If the old server is lost and the directory already names the new cell, --source-lost ends the move."
  ),
  Command.withShortDescription("Move a company to another cell"),
  Command.withExamples([
    { command: "saldo company move 7 --to norte", description: "Company 7 goes to the cell norte" },
    {
      command: "saldo company move 7 --to norte --source-lost",
      description: "The server of its old cell was lost during the move"
    }
  ])
)
