import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { Unresolved } from "../../core/ports/Unresolved.ts"
import { type AskedRow, askedOf, claimedRows } from "./Claims.ts"
import { claimReadable } from "./ReadableRows.ts"
import { orderOf, type TransactionRow, transactionColumns } from "./TransactionRow.ts"

const columns = `${transactionColumns()}, not_found, ask_at`

type ClaimedRow = TransactionRow & AskedRow

const make = Effect.map(PgClient.PgClient, (sql) =>
  Unresolved.of({
    claim: (wanted) =>
      claimReadable(
        "sale",
        (limit) => Effect.orDie(claimedRows<ClaimedRow>(sql, "cell.transaction", columns, { ...wanted, limit })),
        (row) => ({ order: orderOf(row), claimedAt: wanted.now, ...askedOf(row) }),
        wanted.limit
      )
  })
)

/** `Unresolved` in Postgres. */
export const layer = Layer.effect(Unresolved, make)
