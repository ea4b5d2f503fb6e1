import { PgClient, PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer } from "effect"
import type { CompanyId } from "../../core/domain/Ids.ts"
import { defaultLimits } from "../../core/domain/Limits.ts"
import type { Periods } from "../../core/domain/LocalTime.ts"
import { Centavos, zero } from "../../core/domain/Money.ts"
import { type Account, type AccountSettings, Accounts } from "../../core/ports/Accounts.ts"
import { companyReads } from "./CompanyReads.ts"

interface AccountRow {
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

const centavos = (value: bigint): Centavos => Centavos.make(Number(value))

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

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const reads = yield* companyReads

  const read = Effect.fnUntraced(function* (companyId: CompanyId, { day, month, week }: Periods) {
    const [row] = yield* Effect.orDie(reads(companyId)<AccountRow>`
      select
        b.available, b.held, b.limit_daily, b.limit_weekly, b.limit_monthly, b.low_balance_alert, b.updated_at,
        coalesce(sum(c.total) filter (where c.day = ${day}::date), 0)::bigint as daily,
        coalesce(sum(c.total) filter (where c.day >= ${week}::date), 0)::bigint as weekly,
        coalesce(sum(c.total) filter (where c.day >= ${month}::date), 0)::bigint as monthly
      from cell.balance as b
      left join cell.consumption as c
        on c.company_id = b.company_id
        and c.day >= least(${week}::date, ${month}::date)
        and c.day <= ${day}::date
      where b.company_id = ${PgTypes.int8(BigInt(companyId))}
      group by b.company_id`)
    return row === undefined ? untouched : accountOf(row)
  })

  const configure = Effect.fnUntraced(function* (companyId: CompanyId, settings: AccountSettings, at: DateTime.Utc) {
    const given = (value: Centavos | undefined) => PgTypes.int8(value === undefined ? null : BigInt(value))
    yield* Effect.orDie(sql`
      insert into cell.balance as b (
        company_id, limit_daily, limit_weekly, limit_monthly, low_balance_alert, updated_at
      )
      values (
        ${PgTypes.int8(BigInt(companyId))},
        coalesce(${given(settings.daily)}, ${given(defaultLimits.daily)}),
        coalesce(${given(settings.weekly)}, ${given(defaultLimits.weekly)}),
        coalesce(${given(settings.monthly)}, ${given(defaultLimits.monthly)}),
        coalesce(${given(settings.lowBalanceAlert)}, 0),
        ${DateTime.formatIso(at)}::timestamptz
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

/** Accounts in Postgres. */
export const layer = Layer.effect(Accounts, make)
