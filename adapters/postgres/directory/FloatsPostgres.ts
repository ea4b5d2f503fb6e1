import { PgClient, PgTypes } from "@effect/sql-pg"
import { type DateTime, Effect, Layer } from "effect"
import type { FloatBalance, FloatReading } from "../../../core/domain/Float.ts"
import type { ProviderName } from "../../../core/domain/ProviderStatement.ts"
import { Floats } from "../../../core/ports/Floats.ts"
import { instant, instantOrNull } from "../connection/Sql.ts"

interface FloatRow {
  readonly provider: ProviderName
  readonly balances: ReadonlyArray<FloatBalance>
  readonly read_at: Date | null
  readonly failed_at: Date | null
}

const readingOf = ({ failed_at, read_at, ...row }: FloatRow): FloatReading => ({
  ...row,
  readAt: instantOrNull(read_at),
  failedAt: instantOrNull(failed_at)
})

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const list = sql<FloatRow>`
    select provider, balances, read_at, failed_at from directory.provider_float order by provider`.pipe(
    Effect.map((rows) => rows.map(readingOf)),
    Effect.orDie
  )

  // Keeps the newest balances. Two servers may store their balances in another order than they have read them.
  const store = (provider: ProviderName, balances: ReadonlyArray<FloatBalance>, at: DateTime.Utc) =>
    Effect.orDie(
      Effect.asVoid(sql`
        insert into directory.provider_float as f (provider, balances, read_at)
        values (${provider}, ${PgTypes.jsonb(balances)}, ${instant(at)})
        on conflict (provider) do update
        set balances = excluded.balances, read_at = excluded.read_at
        where f.read_at is null or f.read_at < excluded.read_at`)
    )

  const fail = (provider: ProviderName, at: DateTime.Utc) =>
    Effect.orDie(
      Effect.asVoid(sql`
        insert into directory.provider_float as f (provider, failed_at)
        values (${provider}, ${instant(at)})
        on conflict (provider) do update
        set failed_at = greatest(f.failed_at, excluded.failed_at)`)
    )

  return Floats.of({ list, store, fail })
})

export const layer = Layer.effect(Floats, make)
