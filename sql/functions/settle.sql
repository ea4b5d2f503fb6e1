-- cell.settle: decides a group of held sales.

drop function if exists cell.settle;
drop function if exists cell.status_after;
drop function if exists cell.settling;
drop type if exists cell.settling;
drop type if exists cell.settlement;

-- A sale that is to be settled: one member of a group. `n` is its number in the group. `verdict` is Confirm, Release,
-- Free or Hold.
create type cell.settlement as (
  n int,
  company_id bigint,
  transaction_id bigint,
  verdict text,
  auth_code text,
  recharge_token text,
  valid_from date,
  valid_until date,
  refusal text,
  outcome jsonb,
  at timestamptz,
  ask_at timestamptz,
  not_found int,
  claimed_at timestamptz
);

-- A settlement with what is known of the rows that it has locked. A locked row stays where it is, so its ctid finds it.
create type cell.settling as (
  settlement cell.settlement,
  -- The sale's key. Null: the key is gone, or belongs to another sale.
  key_ctid tid,
  -- Whether the key already has an answer.
  answered boolean,
  -- The company's balance, what it owned before, the highest sale id in a block, and how many of its ledger entries are
  -- in no block.
  balance_ctid tid,
  owned bigint,
  listed_to bigint,
  unlisted bigint,
  -- The sale, and its status before.
  sale_ctid tid,
  amount bigint,
  day date,
  insurance_id bigint,
  old_status text
);

-- Builds a settling by the names of its fields. The planner inlines it, so it costs nothing.
create function cell.settling(
  settlement cell.settlement,
  key_ctid tid default null,
  answered boolean default null,
  balance_ctid tid default null,
  owned bigint default null,
  listed_to bigint default null,
  unlisted bigint default null,
  sale_ctid tid default null,
  amount bigint default null,
  day date default null,
  insurance_id bigint default null,
  old_status text default null
) returns cell.settling
language sql
immutable
return row(
  settlement,
  key_ctid,
  answered,
  balance_ctid,
  owned,
  listed_to,
  unlisted,
  sale_ctid,
  amount,
  day,
  insurance_id,
  old_status
)::cell.settling;

-- Status of a sale after a verdict. Null for anything else, which no sale accepts.
create function cell.status_after(verdict text) returns text
language sql
immutable
as $$
  select case
    when verdict = 'Confirm' then 'SUCCESS'
    when verdict in ('Release', 'Free') then 'FAILED'
    when verdict = 'Hold' then 'PENDING'
  end
$$;

-- Confirms, releases, frees or keeps holding a group of sales, of any companies, in one transaction. `items` is an array
-- of cell.settlement.
--
-- Each sale is settled once. The answer of a member: `won`, whether this call settled the sale; `status`, how the sale
-- now stands; `outcome`, what its key replays; `kept`, whether that is the member's own outcome. A caller that wants the
-- answer `tersely` does not receive its own outcome again.
--
-- `not_found` above 0 is recovery's count of firm not-founds: one more than the sale had when recovery claimed it, at
-- `claimed_at`. A member without `claimed_at` is judged by the count alone.
create function cell.settle(items jsonb, tersely boolean default false)
returns table (n int, won boolean, kept boolean, status text, outcome jsonb)
language plpgsql
-- The server's login may not write these tables by itself.
security definer
set search_path = cell, pg_temp
-- Plans: see reserve.sql.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
-- A name that is both a column and a variable means the column.
#variable_conflict use_column
declare
  members settling[];
  -- The members that settle their sale.
  winners settling[];
  any_returned boolean;
  any_freed boolean;
  any_insured boolean;
  any_listed boolean;
  unlisted_most bigint;
  -- How many keys, balances and sales are to be written, and were.
  answers_n bigint;
  balances_n bigint;
  written_n bigint;
  answered_n bigint := 0;
begin
  -- 1. Lock the keys, in the order of company and key.
  --
  -- A locked row is read as it is once it is locked. Any other row may be read as it was before the wait for a lock; so
  -- each of these statements reads nothing that can change except what it locks. The key of a sale never changes.
  select
    array_agg(
      settling(
        settlement => s.settlement,
        key_ctid => case when k.is_of_sale then k.ctid end,
        answered => coalesce(k.is_of_sale and k.answered, false)
      )
      order by s.company_id, s.idempotency_key
    )
  into members
  from (
    select s as settlement, s.company_id, s.transaction_id, t.idempotency_key
    from jsonb_populate_recordset(null::settlement, items) as s
    cross join lateral (
      select t.idempotency_key
      from transaction as t
      where t.company_id = s.company_id and t.id = s.transaction_id
      offset 0
    ) as t
    order by s.company_id, t.idempotency_key
  ) as s
  left join lateral (
    select
      k.ctid,
      k.outcome is not null as answered,
      k.transaction_id = s.transaction_id as is_of_sale
    from idempotency as k
    where k.company_id = s.company_id and k.key = s.idempotency_key
    for update
  ) as k on true;

  -- 2. Lock the balances, in the order of the company id. The lock serializes all that moves a company's money.
  select
    array_agg(
      settling(
        settlement => s.settlement,
        key_ctid => s.key_ctid,
        answered => s.answered,
        balance_ctid => b.ctid,
        owned => b.owned,
        listed_to => b.listed_to,
        unlisted => b.entries - b.entries_listed
      )
    )
  into members
  from unnest(members) as s
  left join lateral (
    select b.ctid, b.owned, b.listed_to, b.entries, b.entries_listed
    from balance as b
    where b.company_id = (s.settlement).company_id
    for update
  ) as b on true;

  -- 3. Lock the sales and judge.
  --
  -- Locks each sale so that no other settlement or reversal changes it meanwhile. `for no key update`, because notes and
  -- proposals only refer to a sale: they neither wait for this lock nor hold it up. `offset 0` locks all of them before
  -- any is judged.
  --
  -- Only an unresolved sale can be settled, and by one member: first one that the provider was firm about, else one that
  -- concludes from not-founds, else one that holds. A conclusion from not-founds is late, and settles nothing, if the
  -- sale was counted or claimed again since it was claimed for this one. core/domain/Recovery.ts states the same rule
  -- for the ledger in memory. test/postgres/model compares the two.
  select
    coalesce(
      array_agg(
        settling(
          settlement => w.settlement,
          key_ctid => w.key_ctid,
          answered => w.answered,
          balance_ctid => w.balance_ctid,
          owned => w.owned,
          listed_to => w.listed_to,
          unlisted => w.unlisted,
          sale_ctid => w.sale_ctid,
          amount => w.amount,
          day => w.day,
          insurance_id => w.insurance_id,
          old_status => w.status
        )
        order by w.company_id, w.id
      ),
      '{}'
    ),
    bool_or((w.settlement).verdict in ('Release', 'Free')),
    bool_or((w.settlement).verdict = 'Free' and not w.answered),
    bool_or(w.insurance_id is not null),
    bool_or(w.id <= w.listed_to),
    max(w.unlisted),
    count(*) filter (where w.key_ctid is not null and ((w.settlement).verdict <> 'Free' or w.answered)),
    count(distinct w.company_id) filter (where (w.settlement).verdict <> 'Hold')
  into winners, any_returned, any_freed, any_insured, any_listed, unlisted_most, answers_n, balances_n
  from (
    select distinct on (t.company_id, t.id)
      s.settlement,
      s.key_ctid,
      s.answered,
      s.balance_ctid,
      s.owned,
      s.listed_to,
      s.unlisted,
      t.company_id,
      t.id,
      t.ctid as sale_ctid,
      t.amount,
      t.day,
      t.insurance_id,
      t.status
    from unnest(members) as s
    cross join lateral (
      select t.company_id, t.id, t.ctid, t.amount, t.day, t.insurance_id, t.status, t.not_found, t.asked_at
      from transaction as t
      where t.company_id = (s.settlement).company_id and t.id = (s.settlement).transaction_id
      offset 0
      for no key update
    ) as t
    where t.status in ('PROCESSING', 'PENDING')
      and s.balance_ctid is not null
      and (
        (s.settlement).not_found = 0
        or (
          (s.settlement).not_found = t.not_found + 1
          and ((s.settlement).claimed_at is null or (s.settlement).claimed_at = t.asked_at)
        )
        or (s.settlement).verdict not in ('Release', 'Hold')
      )
    order by
      t.company_id,
      t.id,
      (s.settlement).verdict = 'Hold',
      (s.settlement).not_found > 0,
      (s.settlement).n
  ) as w;

  -- 4. Write the entries, the sales, the balances and the keys. Everything that is changed is locked.
  if cardinality(winners) > 0 then
    insert into entry (company_id, id, type, amount, balance, transaction_id, created_at)
    select
      s.company_id,
      nextval('entry_id'),
      'sale',
      -s.amount,
      s.owned - sum(s.amount) over (partition by s.company_id order by s.transaction_id),
      s.transaction_id,
      s.at
    from (
      select (w.settlement).company_id, (w.settlement).transaction_id, (w.settlement).at, w.amount, w.owned
      from unnest(winners) as w
      where (w.settlement).verdict = 'Confirm'
      order by (w.settlement).company_id, (w.settlement).transaction_id
    ) as s;

    update transaction as t
    set status = status_after(s.verdict),
      processed_at = case when s.verdict <> 'Hold' then s.at end,
      auth_code = s.auth_code,
      recharge_token = s.recharge_token,
      refusal = s.refusal,
      ask_at = case when s.verdict = 'Hold' then s.ask_at end,
      not_found = s.not_found,
      leased_until = null
    from (select (w.settlement).*, w.sale_ctid from unnest(winners) as w) as s
    where t.ctid = s.sale_ctid
      and t.company_id + 0 = s.company_id
      and t.id + 0 = s.transaction_id;
    get diagnostics written_n = row_count;
    perform require_all_written(written_n, cardinality(winners));

    if balances_n > 0 then
      update balance as b
      set held = b.held - s.amount,
        available = b.available + s.returned,
        entries = b.entries + s.sold,
        updated_at = s.at
      from (
        select
          (w.settlement).company_id,
          w.balance_ctid,
          sum(w.amount)::bigint as amount,
          coalesce(sum(w.amount) filter (where (w.settlement).verdict <> 'Confirm'), 0)::bigint as returned,
          count(*) filter (where (w.settlement).verdict = 'Confirm') as sold,
          max((w.settlement).at) as at
        from unnest(winners) as w
        where (w.settlement).verdict <> 'Hold'
        group by (w.settlement).company_id, w.balance_ctid
      ) as s
      where b.ctid = s.balance_ctid
        and b.company_id + 0 = s.company_id;
      get diagnostics written_n = row_count;
      perform require_all_written(written_n, balances_n);
    end if;

    -- A key that has answered keeps its answer, also when the sale is settled later, or was never sent.
    return query
    update idempotency as k
    set outcome = coalesce(k.outcome, s.outcome),
      completed_at = coalesce(k.completed_at, s.at),
      settled_at = case when s.verdict <> 'Hold' then s.at end
    from (select (w.settlement).*, w.key_ctid, w.answered from unnest(winners) as w) as s
    where (s.verdict <> 'Free' or s.answered)
      and k.ctid = s.key_ctid
      and k.company_id + 0 = s.company_id
      and k.transaction_id = s.transaction_id
    returning
      s.n,
      true,
      old.outcome is null as kept,
      status_after(s.verdict),
      case when old.outcome is null and tersely then null else new.outcome end as outcome;
    get diagnostics answered_n = row_count;
    perform require_all_written(answered_n, answers_n);
  end if;

  -- A sale that was not delivered gives its consumption back to the day on which it was reserved.
  if any_returned then
    update consumption as c
    set total = c.total - s.amount
    from (
      select (w.settlement).company_id, w.day, sum(w.amount)::bigint as amount
      from unnest(winners) as w
      where (w.settlement).verdict in ('Release', 'Free')
      group by (w.settlement).company_id, w.day
    ) as s
    where c.company_id = s.company_id
      and c.day = s.day;
  end if;

  -- A policy and its charge are settled together. Locks the insurances.
  if any_insured then
    update insurance as g
    set state = case s.verdict
        when 'Confirm' then 'emitida'
        when 'Release' then 'fallida'
        when 'Free' then 'cotizado'
        else 'emitiendo'
      end,
      transaction_id = case when s.verdict <> 'Free' then g.transaction_id end,
      policy_number = s.auth_code,
      valid_from = s.valid_from,
      valid_until = s.valid_until,
      issued_at = case when s.verdict = 'Confirm' then s.at end
    from (
      select (w.settlement).*, w.insurance_id
      from unnest(winners) as w
      where w.insurance_id is not null
      order by (w.settlement).company_id, w.insurance_id
    ) as s
    where g.company_id = s.company_id
      and g.id = s.insurance_id;
  end if;

  -- A freed key that has not answered may be used again.
  if any_freed then
    delete from idempotency as k
    using (
      select (w.settlement).company_id, (w.settlement).transaction_id, w.key_ctid
      from unnest(winners) as w
      where (w.settlement).verdict = 'Free' and not w.answered
    ) as s
    where k.ctid = s.key_ctid
      and k.company_id + 0 = s.company_id
      and k.transaction_id = s.transaction_id;
  end if;

  -- The lists: see block.sql. Nothing else locks a block, because whoever writes one holds the balance.
  if any_listed then
    perform recount_blocks(
      array_agg(
        status_change(
          company_id => (w.settlement).company_id,
          transaction_id => (w.settlement).transaction_id,
          old_status => w.old_status,
          new_status => status_after((w.settlement).verdict)
        )
      )
    )
    from unnest(winners) as w;
  end if;
  if unlisted_most + cardinality(winners) >= block_length() then
    perform make_blocks('entry', array_agg(s.company_id))
    from (
      select (w.settlement).company_id
      from unnest(winners) as w
      group by (w.settlement).company_id
      having max(w.unlisted) + count(*) filter (where (w.settlement).verdict = 'Confirm') >= block_length()
    ) as s
    having count(*) > 0;
  end if;

  -- 5. Answer the other members: those that did not win, and winners without a key that could keep the answer.
  if answered_n = cardinality(members) then
    return;
  end if;

  return query
  select
    s.n,
    exists (select from unnest(winners) as w where (w.settlement).n = s.n),
    false,
    t.status,
    k.outcome
  from (select (m.settlement).* from unnest(members) as m) as s
  cross join lateral (
    select t.status, t.idempotency_key
    from transaction as t
    where t.company_id = s.company_id and t.id = s.transaction_id
    offset 0
  ) as t
  left join lateral (
    select k.outcome
    from idempotency as k
    where k.company_id = s.company_id and k.key = t.idempotency_key and k.transaction_id = s.transaction_id
    offset 0
  ) as k on true
  where not exists (
    select
    from unnest(winners) as w
    where (w.settlement).n = s.n and ((w.settlement).verdict <> 'Free' or w.answered) and w.key_ctid is not null
  );
end;
$$;

-- It runs as its owner, so it belongs to nobody until roles.sql grants it.
revoke all on function cell.settle, cell.status_after, cell.settling from public;
