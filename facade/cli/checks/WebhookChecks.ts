import { PgClient } from "@effect/sql-pg"
import { DateTime, Duration, Effect } from "effect"
import { type CellSql, everyCell } from "../../../adapters/postgres/connection/Cell.ts"
import { instant, tableExists } from "../../../adapters/postgres/connection/Sql.ts"
import { isolated, namedByIds, passed, warned } from "./Check.ts"

/** How long a delivery may be overdue before it is reported. Deliveries to a working webhook take seconds. */
const waiting_max = Duration.hours(1)

interface WebhookRow {
  readonly id: number
  readonly disabled: boolean
  readonly waits: boolean
}

// The index of waiting deliveries finds the oldest delivery of each webhook.
const webhooksOf = (sql: CellSql, dueBefore: DateTime.Utc) => sql<WebhookRow>`
  select w.id::float8 as id, w.state = 'desactivado' as disabled,
    w.state = 'activo' and exists (
      select
      from ${sql.cell}.delivery as d
      where d.company_id = w.company_id
        and d.webhook_id = w.id
        and d.state = 'pendiente'
        and d.due_at < ${instant(dueBefore)}
    ) as waits
  from ${sql.cell}.webhook as w
  order by w.id`

const webhooks = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  if (!(yield* tableExists(sql, "directory.cell"))) return passed("webhooks", "there are no tables yet")
  const dueBefore = DateTime.subtractDuration(yield* DateTime.now, waiting_max)
  const ofCells = yield* Effect.forEach(yield* yield* everyCell, (cell) => webhooksOf(cell.sql, dueBefore))
  const rows = ofCells.flat()
  const found = [
    { said: "disabled", those: rows.filter(({ disabled }) => disabled) },
    { said: "deliveries waiting over an hour", those: rows.filter(({ waits }) => waits) }
  ].flatMap(({ said, those }) => (those.length === 0 ? [] : [`${said}: ${namedByIds("webhook", "webhooks", those)}`]))
  return found.length === 0
    ? passed("webhooks", `${rows.length} webhooks; none is disabled, and no delivery has waited over an hour`)
    : warned("webhooks", `${found.join("; ")}: see saldo webhook show ID`)
})

/** Checks of the webhooks and their queues. */
export const webhookChecks = Effect.all([isolated("webhooks", webhooks)])
