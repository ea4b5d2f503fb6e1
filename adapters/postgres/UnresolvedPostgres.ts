import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { Unresolved } from "../../core/ports/Unresolved.ts"
import { claimedRows } from "./Claims.ts"
import { orderOf, type TransactionRow, transactionColumns } from "./TransactionRow.ts"

const columns = `${transactionColumns()}, not_found`

const make = Effect.map(PgClient.PgClient, (sql) =>
  Unresolved.of({
    claim: (wanted) =>
      claimedRows<TransactionRow & { readonly not_found: number }>(sql, "cell.transaction", columns, wanted).pipe(
        Effect.map((rows) => rows.map((row) => ({ order: orderOf(row), notFound: row.not_found }))),
        Effect.orDie
      )
  })
)

/** The sales that recovery asks about, in Postgres. */
export const layer = Layer.effect(Unresolved, make)
