import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { type Adjustment, Adjustments } from "../../core/ports/Adjustments.ts"
import { numberOrNull } from "./Columns.ts"
import { instant, int8 } from "./Parameters.ts"
import { transientRetry } from "./SqlFailure.ts"

const make = Effect.map(PgClient.PgClient, (sql) =>
  Adjustments.of({
    adjust: Effect.fnUntraced(function* ({ at, companyId, goal, reference, since }: Adjustment) {
      const [row] = yield* sql<{ moved: bigint | null }>`
        select directory.adjust(
          ${int8(companyId)},
          ${int8(goal)},
          ${reference},
          ${instant(since)},
          ${instant(at)}
        ) as moved`.pipe(Effect.retry(transientRetry), Effect.orDie)
      return numberOrNull(row?.moved ?? null)
    })
  })
)

/** `Adjustments` in Postgres, through sql/functions/adjust.sql and funding.sql. */
export const layer = Layer.effect(Adjustments, make)
