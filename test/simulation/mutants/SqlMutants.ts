import type { Mutant } from "./Mutant.ts"

export const sqlMutant = (name: string, file: string, from: string, to: string): Mutant => ({
  name: `SQL: ${name}`,
  on: "sql",
  patch: { file, from, to }
})

const localDay = (at: string): string => `(${at} at time zone 'America/Santo_Domingo')::date`

/** Mutants of `cell.reserve` that no table constraint stops. */
const reservations: ReadonlyArray<Mutant> = [
  sqlMutant("the daily limit is not checked", "reserve", "when account.limit_daily > 0 and", "when false and"),
  sqlMutant("the weekly limit is not checked", "reserve", "when account.limit_weekly > 0 and", "when false and"),
  sqlMutant(
    "the week begins today",
    "reserve",
    "sum(c.total) filter (where c.day >= week_start and",
    "sum(c.total) filter (where c.day >= today and"
  ),
  sqlMutant(
    "a week ends with the day of the sale",
    "reserve",
    "sum(c.total) filter (where c.day >= week_start and c.day < next_week_start)",
    "sum(c.total) filter (where c.day >= week_start and c.day <= today)"
  ),
  sqlMutant(
    "concurrent sales may exceed the balance together",
    "reserve",
    "refusal(a.account, 0, a.amount) is not null",
    "false"
  ),
  sqlMutant("consumption of the day is not read", "reserve", "coalesce(c.daily, 0),", "0::bigint,"),
  sqlMutant(
    "consumption of a day keeps only the last sale",
    "reserve",
    "do update set total = c.total + excluded.total",
    "do update set total = excluded.total"
  ),
  sqlMutant(
    "a sale counts in its UTC day",
    "reserve",
    "i.amount, at, today, i.reversible,",
    "i.amount, at, (at at time zone 'UTC')::date, i.reversible,"
  ),
  sqlMutant(
    "a replay does not compare the request body",
    "common",
    "when known_fingerprint <> fingerprint then",
    "when false then"
  )
]

/** SQL that selects the consumption which `cell.settle` gives back, by day. */
const returnedConsumption = (day: string, groups: string): string => `
      select (w.settlement).company_id, ${day}, sum(w.amount)::bigint as amount
      from unnest(winners) as w
      where (w.settlement).verdict in ('Release', 'Free')
      group by ${groups}
`

/** Mutants of `cell.settle`. */
const settlements: ReadonlyArray<Mutant> = [
  sqlMutant(
    "a refused sale may still be confirmed",
    "settle",
    "where t.status in ('PROCESSING', 'PENDING')\n      and s.",
    "where t.status in ('PROCESSING', 'PENDING', 'FAILED')\n      and s."
  ),
  sqlMutant("a second settlement counts as the first", "settle", "old.outcome is null as kept", "true as kept"),
  sqlMutant("a charged amount stays held", "settle", "set held = b.held - s.amount,", "set held = b.held,"),
  sqlMutant(
    "a refused sale is not released",
    "settle",
    "available = b.available + s.returned,",
    "available = b.available,"
  ),
  sqlMutant(
    "an entry records the balance before it",
    "settle",
    "s.owned - sum(s.amount) over (partition by s.company_id order by s.transaction_id),",
    "s.owned,"
  ),
  sqlMutant(
    "a refusal reduces the consumption of its own day",
    "settle",
    returnedConsumption("w.day", "(w.settlement).company_id, w.day"),
    returnedConsumption(`${localDay("(w.settlement).at")} as day`, "1, 2")
  ),
  sqlMutant(
    "a freed sale still counts towards limits",
    "settle",
    "where (w.settlement).verdict in ('Release', 'Free')\n      group by",
    "where (w.settlement).verdict in ('Release')\n      group by"
  ),
  sqlMutant(
    "recovery never asks about pending sales",
    "settle",
    "ask_at = case when s.verdict = 'Hold' then s.ask_at end,",
    "ask_at = null,"
  ),
  sqlMutant(
    "a later settlement replaces the response of a key",
    "settle",
    "set outcome = coalesce(k.outcome, s.outcome),",
    "set outcome = s.outcome,"
  ),
  sqlMutant(
    "an insurance stays open after its policy was refused",
    "settle",
    "when 'Release' then 'fallida'",
    "when 'Release' then 'emitiendo'"
  )
]

/** Mutants of reversals. */
const reversals: ReadonlyArray<Mutant> = [
  sqlMutant(
    "a reversal does not reduce consumption",
    "reversal",
    "set total = c.total - sold.amount where c.company_id",
    "set total = c.total where c.company_id"
  ),
  sqlMutant(
    "a reversal reduces the consumption of its own day",
    "reversal",
    "where c.company_id = company and c.day = sold.day;",
    `where c.company_id = company and c.day = ${localDay("at")};`
  ),
  sqlMutant(
    "a reversed sale keeps the status SUCCESS",
    "reversal",
    "update transaction as t set status = 'REVERSED'",
    "update transaction as t set status = 'SUCCESS'"
  )
]

/** Mutants of proposals of deposits and corrections. */
const funding: ReadonlyArray<Mutant> = [
  sqlMutant(
    "a confirmation writes its entry and leaves the proposal pending",
    "proposal",
    "set state = 'confirmed', decided_by = operator, decided_at = at, entry_id = entry_\n  where p.company_id",
    "set state = 'confirmed', decided_by = operator, decided_at = at, entry_id = entry_\n  where false and p.company_id"
  ),
  sqlMutant(
    "a confirmed deposit adds twice its amount",
    "proposal",
    "from deposit(company, proposal.amount,",
    "from deposit(company, proposal.amount * 2,"
  ),
  sqlMutant(
    "a correction takes its amount and writes half of it",
    "adjust",
    "set available = b.available + centavos,",
    "set available = b.available + 2 * centavos,"
  ),
  sqlMutant(
    "a correction is not counted in its statement block",
    "adjust",
    "entries = b.entries + 1,",
    "entries = b.entries,"
  ),
  sqlMutant(
    "a correction is reported as a deposit",
    "adjust",
    "type => 'balance.adjusted'",
    "type => 'balance.deposited'"
  )
]

/** Mutants of the lists. They lose no money, but a company sees wrong lists. */
const lists: ReadonlyArray<Mutant> = [
  sqlMutant(
    "a list block does not count a successful sale",
    "block",
    "settled_at),\n      pending = b.pending + m.pending,\n      success = b.success + m.success,",
    "settled_at),\n      pending = b.pending + m.pending,\n      success = b.success,"
  ),
  sqlMutant(
    "a list block of a service does not count a successful sale",
    "block",
    "update sublist_block as b\n  set pending = b.pending + m.pending,\n    success = b.success + m.success,",
    "update sublist_block as b\n  set pending = b.pending + m.pending,\n    success = b.success,"
  ),
  sqlMutant(
    "a deposit is not counted in its statement block",
    "deposit",
    "entries = b.entries + 1,",
    "entries = b.entries,"
  ),
  sqlMutant(
    "a list block counts a reversed sale as successful",
    "reversal",
    "new_status => 'REVERSED'",
    "new_status => sold.status"
  )
]

/** Mutants of the events. They lose no money, but a company receives wrong events. */
const events: ReadonlyArray<Mutant> = [
  sqlMutant(
    "a reversal has no event",
    "reversal",
    "if events_on_ and verdict <> 'Hold' then",
    "if events_on_ and verdict = 'Deny' then"
  ),
  sqlMutant(
    "each question about a pending sale writes transaction.pending",
    "settle",
    "when old_status = 'PROCESSING' then array['transaction.pending']",
    "when old_status in ('PROCESSING', 'PENDING') then array['transaction.pending']"
  ),
  sqlMutant(
    "a freed sale has no event",
    "settle",
    "when verdict in ('Release', 'Free') then array['transaction.failed']",
    "when verdict = 'Release' then array['transaction.failed']"
  ),
  sqlMutant(
    "a sale writes no balance.low",
    "reserve",
    "if any_crossing then\n    perform record_events('{}'",
    "if false then\n    perform record_events('{}'"
  ),
  sqlMutant(
    "each change below the alert value writes balance.low",
    "event",
    "and (b.available < b.low_balance_alert) <> b.reported_low",
    "and (b.available < b.low_balance_alert or b.reported_low)"
  ),
  sqlMutant(
    "a reported low balance is not remembered",
    "event",
    "reported_low = b.reported_low <> f.crossed",
    "reported_low = b.reported_low"
  ),
  sqlMutant(
    "a company with events off has events",
    "event",
    "where b.company_id = f.company_id\n      and b.events_on\n",
    "where b.company_id = f.company_id\n"
  ),
  sqlMutant(
    "a settled sale of a company with events off has an event",
    "settle",
    "last_event => case when b.events_on then b.last_event end",
    "last_event => b.last_event"
  ),
  sqlMutant(
    "numbers of events fall",
    "event",
    "sequence => c.last_event + f.number",
    "sequence => 1000000 - c.last_event - f.number"
  ),
  sqlMutant(
    "numbers of the events of sales fall",
    "settle",
    "sequence => w.last_event\n            + row_number()",
    "sequence => 1000000 - w.last_event\n            - row_number()"
  ),
  sqlMutant(
    "a deposit is reported as an adjustment",
    "deposit",
    "type => 'balance.deposited'",
    "type => 'balance.adjusted'"
  ),
  sqlMutant(
    "only webhooks without chosen types receive events",
    "event",
    "(h.event_types = '{}' or w.type = any (h.event_types))",
    "h.event_types = '{}'"
  ),
  sqlMutant(
    "a delivery is never due",
    "event",
    "select w.company_id, h.id, w.sequence, w.created_at, w.created_at",
    "select w.company_id, h.id, w.sequence, 'infinity', w.created_at"
  )
]

/**
 * Mutants of the money functions. Each mutant is a change of the SQL text. Some bugs only make a table constraint abort
 * the transaction. They are left out, because they lose no money.
 */
export const sqlMutants: ReadonlyArray<Mutant> = [
  ...reservations,
  ...settlements,
  ...reversals,
  ...funding,
  ...lists,
  ...events
]
