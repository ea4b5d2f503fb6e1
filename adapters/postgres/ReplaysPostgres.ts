import { PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer } from "effect"
import { type Replay, Replays } from "../../core/ports/Replays.ts"
import { groupedNotes, notesClient } from "./Notes.ts"

const replayRow = ({ about, at, companyId, transactionId }: Replay) => ({
  company_id: companyId,
  transaction_id: transactionId,
  about,
  at: DateTime.formatIso(at)
})

const make = Effect.map(notesClient, (sql) =>
  Replays.of({
    // Writes rows in order of their key, so that two groups cannot deadlock.
    record: groupedNotes<Replay>(
      sql,
      "replay",
      (replays) => sql`
        insert into cell.replay (company_id, transaction_id, about, times, first_at, last_at)
        select a.company_id, a.transaction_id, a.about, count(*), min(a.at), max(a.at)
        from jsonb_to_recordset(${PgTypes.jsonb(replays.map(replayRow))}) as a(
          company_id bigint, transaction_id bigint, about text, at timestamptz
        )
        group by a.company_id, a.transaction_id, a.about
        order by a.company_id, a.transaction_id, a.about
        on conflict (company_id, transaction_id, about) do update
        set times = replay.times + excluded.times, last_at = greatest(replay.last_at, excluded.last_at)`,
      ({ transactionId }) => ({ transactionId })
    )
  })
)

/** `Replays` in Postgres. A lost connection may count a replay twice. */
export const layer = Layer.effect(Replays, make)
