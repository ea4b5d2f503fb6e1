import { PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer } from "effect"
import { defaultLimits } from "../../../core/domain/Account.ts"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import type { Periods } from "../../../core/domain/LocalTime.ts"
import { type Centavos, zero } from "../../../core/domain/Money.ts"
import {
  type Account,
  type AccountSettings,
  Accounts,
  type Adjustment,
  Adjustments
} from "../../../core/ports/Accounts.ts"
import { cellClient, directoryClient } from "../connection/Cell.ts"
import { ReadingClient } from "../connection/CompanyReads.ts"
import { instant, int8, numberOrNull } from "../connection/Sql.ts"
import { transientRetry } from "../connection/SqlFailure.ts"
import { grouped, inOrderOf } from "../grouping/Grouped.ts"
import { cellTurns } from "../grouping/GroupTurns.ts"

interface AccountRow {
  readonly n: number
  readonly available: bigint
  readonly held: bigint
  readonly limit_daily: bigint
  readonly limit_weekly: bigint
  readonly limit_monthly: bigint
  readonly low_balance_alert: bigint
  readonly updated_at: Date
  readonly daily: bigint
  readonly weekly: bigint
  readonly monthly: bigint
}

// Check constraints of the table guarantee the range of these columns.
const centavos = (value: bigint): Centavos => Number(value) as Centavos

const untouched: Account = {
  balance: { available: zero, held: zero },
  limits: defaultLimits,
  consumption: { daily: zero, weekly: zero, monthly: zero },
  lowBalanceAlert: zero,
  updatedAt: null
}

const accountOf = (row: AccountRow): Account => ({
  balance: { available: centavos(row.available), held: centavos(row.held) },
  limits: {
    daily: centavos(row.limit_daily),
    weekly: centavos(row.limit_weekly),
    monthly: centavos(row.limit_monthly)
  },
  consumption: { daily: centavos(row.daily), weekly: centavos(row.weekly), monthly: centavos(row.monthly) },
  lowBalanceAlert: centavos(row.low_balance_alert),
  updatedAt: DateTime.fromDateUnsafe(row.updated_at)
})

/** A request to read a company's account, with the beginnings of the limit periods. */
interface Member extends Periods {
  readonly companyId: CompanyId
}

const memberRow = ({ companyId, day, month, week }: Member, n: number) => ({
  n,
  company_id: companyId,
  day,
  week,
  month
})

const makeAccounts = Effect.gen(function* () {
  const sql = yield* cellClient
  const reader = yield* ReadingClient

  // Points of sale poll their balance, so calls are grouped. The statement enters one company after the other, so that
  // row-level security limits each read to its own company; see CompanyReads.ts.
  const readGroup = grouped<Member, Account>(
    reader,
    "account",
    Effect.fnUntraced(function* (members) {
      const rows = yield* reader<AccountRow>`
        select m.n, r.*
        from jsonb_to_recordset(${PgTypes.jsonb(members.map(memberRow))}) as m(
          n int, company_id bigint, day date, week date, month date
        )
        cross join lateral (select (m.month + interval '1 month')::date as month) as next
        cross join lateral set_config('saldo.company', m.company_id::text, true) as entered(company)
        cross join lateral (
          select
            b.available, b.held, b.limit_daily, b.limit_weekly, b.limit_monthly, b.low_balance_alert, b.updated_at,
            coalesce(sum(c.total) filter (where c.day = m.day), 0)::bigint as daily,
            coalesce(sum(c.total) filter (where c.day >= m.week and c.day < m.week + 7), 0)::bigint as weekly,
            coalesce(sum(c.total) filter (where c.day >= m.month and c.day < next.month), 0)::bigint as monthly
          from ${sql.cell}.balance as b
          left join ${sql.cell}.consumption as c
            on c.company_id = b.company_id
            and c.day >= least(m.week, m.month)
            and c.day < greatest(m.week + 7, next.month)
          where entered.company is not null and b.company_id = m.company_id
          -- Names all columns, because in a Citus cluster balance is a view, which has no primary key.
          group by b.company_id, b.available, b.held, b.limit_daily, b.limit_weekly, b.limit_monthly, b.low_balance_alert,
            b.updated_at
          offset 0
        ) as r`
      return inOrderOf(members, rows).map((row) => (row === undefined ? untouched : accountOf(row)))
    }),
    yield* cellTurns
  )

  const read = (companyId: CompanyId, periods: Periods) => readGroup({ companyId, ...periods })

  const configure = Effect.fnUntraced(function* (companyId: CompanyId, settings: AccountSettings, at: DateTime.Utc) {
    const given = (value: Centavos | undefined) => int8(value ?? null)
    yield* Effect.orDie(sql`
      insert into ${sql.cell}.balance as b (
        company_id, limit_daily, limit_weekly, limit_monthly, low_balance_alert, updated_at
      )
      values (
        ${int8(companyId)},
        coalesce(${given(settings.daily)}, ${given(defaultLimits.daily)}),
        coalesce(${given(settings.weekly)}, ${given(defaultLimits.weekly)}),
        coalesce(${given(settings.monthly)}, ${given(defaultLimits.monthly)}),
        coalesce(${given(settings.lowBalanceAlert)}, 0),
        ${instant(at)}
      )
      on conflict (company_id) do update
      set limit_daily = coalesce(${given(settings.daily)}, b.limit_daily),
        limit_weekly = coalesce(${given(settings.weekly)}, b.limit_weekly),
        limit_monthly = coalesce(${given(settings.monthly)}, b.limit_monthly),
        low_balance_alert = coalesce(${given(settings.lowBalanceAlert)}, b.low_balance_alert),
        updated_at = excluded.updated_at`)
  })

  return Accounts.of({ read, configure })
})

export const accountsLayer = Layer.effect(Accounts, makeAccounts)

// Only the shared sandbox is adjusted in this way. Its cell is always on the node main.
const makeAdjustments = Effect.map(directoryClient, (sql) =>
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
export const adjustmentsLayer = Layer.effect(Adjustments, makeAdjustments)
