import { Effect } from "effect"
import { Command } from "effect/cli"
import { moveCompany } from "../../../core/workflows/MoveCompany.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { print } from "../terminal/Output.ts"
import { cellFlag, companyId } from "../terminal/Parameters.ts"
import { rowsText, withProgress } from "../terminal/Progress.ts"

export const move = Command.make(
  "move",
  { companyId, to: cellFlag("to", "The cell that gets the company. See saldo cell list") },
  Effect.fn(function* ({ companyId, to }) {
    const { cell, hasMoved, rows, source } = yield* withProgress(`moving company ${companyId}`)(
      moveCompany(companyId, to)
    )
    yield* print(
      { empresa_id: companyId, celda_anterior: source, celda: cell, movida: hasMoved, filas: rows },
      hasMoved
        ? `Company ${companyId} is now in cell ${cell}${rowsText(rows)}. It may sell again within 5 seconds. Check the money with "saldo audit".`
        : `Company ${companyId} is in cell ${cell}. No row was moved.`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Move a company to another cell, with everything that is pending. From the beginning to the end of the move, its calls receive 503 SERVICE_UNAVAILABLE with Retry-After, for at least 12 seconds. Calls in progress end first. Then all rows move, and every copy is compared with its row. If one of the cells is on another server than the directory, the command needs the logins that own both databases. Ids, keys, statements, closings and webhooks stay as they are. An interrupted command may be repeated. To give up a move that has begun, name the cell in which the company still is."
  ),
  Command.withShortDescription("Move a company to another cell"),
  Command.withExamples([
    { command: "saldo company move 7 --to norte", description: "Company 7 goes to the cell norte" }
  ])
)
