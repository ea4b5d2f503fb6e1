import { PgClient, PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer } from "effect"
import { type Adjustment, Adjustments } from "../../core/ports/Adjustments.ts"
import { briefly } from "./SqlFailure.ts"

const make = Effect.map(PgClient.PgClient, (sql) =>
  Adjustments.of({
    adjust: Effect.fnUntraced(function* ({ at, companyId, goal, reference, since }: Adjustment) {
      const [row] = yield* sql<{ moved: bigint | null }>`
        select directory.adjust(
          ${PgTypes.int8(BigInt(companyId))},
          ${PgTypes.int8(BigInt(goal))},
          ${reference},
          ${DateTime.formatIso(since)}::timestamptz,
          ${DateTime.formatIso(at)}::timestamptz
        ) as moved`.pipe(Effect.retry(briefly), Effect.orDie)
      return row?.moved == null ? null : Number(row.moved)
    })
  })
)

/** Adjustments in Postgres, by the function of sql/functions/adjust.sql and funding.sql. */
export const layer = Layer.effect(Adjustments, make)
