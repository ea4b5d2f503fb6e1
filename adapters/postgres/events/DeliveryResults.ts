import { DateTime, Effect } from "effect"
import { deliveryAfter } from "../../../core/domain/Webhook.ts"
import type { ClaimedDelivery, DeliveryResult } from "../../../core/ports/Deliveries.ts"
import { cellClient } from "../connection/Cell.ts"
import { grouped } from "../grouping/Grouped.ts"
import { cellTurns } from "../grouping/GroupTurns.ts"
import { queueTransactions } from "./QueueTransactions.ts"

/** A result as a row of the statement that records it. */
const resultRow = ({ event, leasedUntil, webhook }: ClaimedDelivery, result: DeliveryResult) => {
  const { after, at, attempt, disables } = result
  const { dueAt, state } = deliveryAfter(after, at)
  return {
    company_id: event.companyId,
    webhook_id: webhook.id,
    url: webhook.url,
    sequence: event.sequence,
    leased_until: DateTime.formatIso(leasedUntil),
    state,
    due_at: DateTime.formatIso(dueAt),
    http_status: attempt.httpStatus,
    error: attempt.error,
    duration_ms: Math.round(attempt.duration_ms),
    disables,
    is_gone: after._tag === "Gone",
    at: DateTime.formatIso(at)
  }
}

/** Makes the function that records the results of attempts. Results that arrive together share a statement. */
export const recording = Effect.gen(function* () {
  const sql = yield* cellClient
  const inTransaction = queueTransactions(sql)

  // Records a result only if no later claim of its delivery exists. After a 410 from an earlier URL, the delivery is sent to
  // the new URL. The main query reads `judged`, so Postgres locks the webhooks first. It runs `recorded`, which locks the
  // deliveries, after the main query. The function remove_webhook uses the same order.
  const write = Effect.fnUntraced(function* (results: ReadonlyArray<ReturnType<typeof resultRow>>) {
    const rows = yield* sql<{ readonly id: bigint }>`
      with result as materialized (
        select r.*
        from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as r(
          company_id bigint, webhook_id bigint, url text, sequence bigint, leased_until timestamptz, state text,
          due_at timestamptz, http_status int, error text, duration_ms int, disables boolean, is_gone boolean, at timestamptz
        )
        join ${sql.cell}.delivery as d
          on d.company_id = r.company_id and d.webhook_id = r.webhook_id and d.sequence = r.sequence
        where d.leased_until = r.leased_until
        -- Deliveries are locked in this order, so that neither two groups nor a group and a replay can deadlock.
        order by r.company_id, r.webhook_id, r.sequence
      ),
      -- Locks the webhooks in the order of their ids, so that two groups cannot deadlock.
      changed as materialized (
        select w.company_id, w.id, w.url, f.failed, f.at, f.disables
        from (
          select r.company_id, r.webhook_id, r.url, bool_and(r.error is not null) as failed, max(r.at) as at,
            bool_or(r.disables) as disables
          from result as r
          group by r.company_id, r.webhook_id, r.url
        ) as f
        -- The result of an attempt at an earlier URL says nothing about the webhook.
        join ${sql.cell}.webhook as w on w.company_id = f.company_id and w.id = f.webhook_id and w.url = f.url
        where f.failed = (w.failing_since is null) or f.disables
        order by w.company_id, w.id
        for no key update of w
      ),
      judged as (
        update ${sql.cell}.webhook as w
        set failing_since = case when c.failed then coalesce(w.failing_since, c.at) end,
          state = case when c.disables and w.state = 'activo' then 'desactivado' else w.state end
        from changed as c
        where w.company_id = c.company_id and w.id = c.id
        returning w.id, old.state <> new.state as disabled
      ),
      recorded as (
        update ${sql.cell}.delivery as d
        set state = case when r.is_of_earlier_url then 'pendiente' else r.state end,
          attempts = d.attempts + 1,
          due_at = case when r.is_of_earlier_url then r.at else r.due_at end,
          leased_until = null,
          http_status = r.http_status,
          error = r.error,
          duration_ms = r.duration_ms
        from (
          select
            r.*,
            -- A 410 from the current URL disables the webhook, so the subquery "changed" contains it. If "changed" does not
            -- contain it, the URL has changed since the attempt.
            r.is_gone and not exists (
              select from changed as c where c.company_id = r.company_id and c.id = r.webhook_id and c.url = r.url
            ) as is_of_earlier_url
          from result as r
        ) as r
        where d.company_id = r.company_id
          and d.webhook_id = r.webhook_id
          and d.sequence = r.sequence
          and d.leased_until = r.leased_until
      )
      select id from judged where disabled`
    const disabled = new Set(rows.map(({ id }) => Number(id)))
    // If several results disable a webhook, only one of these results reports that it was disabled.
    return results.map(({ disables, webhook_id }) => disables && disabled.delete(webhook_id))
  })

  const group = grouped<ReturnType<typeof resultRow>, boolean>(
    sql,
    "deliveries",
    (results) => inTransaction(write(results)),
    yield* cellTurns
  )
  return (claimed: ClaimedDelivery, result: DeliveryResult) => group(resultRow(claimed, result))
})
