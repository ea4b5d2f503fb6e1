drop function if exists cell.settle;
drop function if exists cell.status_after;
drop type if exists cell.winner;
drop type if exists cell.settler;
drop type if exists cell.settlement;

-- One member of a group of settlements, of which no other has its `n`. `verdict` is Confirm, Release, Free or Hold.
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

-- A member whose sale there is, with what it has to know of the sale's key.
create type cell.settler as (
  settlement cell.settlement,
  -- Where the key's row is, if the sale still has one. It is locked, so it stays there until this transaction changes
  -- it.
  key_place tid,
  -- Has the key an answer?
  answered boolean,
  -- The same of the company's balance, what it owns, the last of its sales that is in a block, and how many of its
  -- ledger entries are in none.
  balance_place tid,
  owned bigint,
  listed_to bigint,
  unlisted bigint
);

-- A member that settles its sale, with what it has to know of that.
create type cell.winner as (
  settlement cell.settlement,
  key_place tid,
  answered boolean,
  balance_place tid,
  -- What its company owned, and how many of its ledger entries were in no block, before.
  owned bigint,
  unlisted bigint,
  -- Where the sale's row is, which is locked too.
  place tid,
  amount bigint,
  day date,
  insurance_id bigint,
  -- How the sale stood before.
  status text
);

-- How a sale stands once it was settled so. No sale takes what is no verdict: a status is never null.
create function cell.status_after(verdict text) returns text language sql immutable as $$
  select case
    when verdict = 'Confirm' then 'SUCCESS'
    when verdict in ('Release', 'Free') then 'FAILED'
    when verdict = 'Hold' then 'PENDING'
  end
$$;

-- Confirms, releases or keeps holding a group of sales in one transaction. Each is settled once: `won` tells whether by
-- this call, `status` how the sale now stands, `outcome` what its key replays, and `kept` that this is the member's own: a
-- caller who wants it `tersely` is not told that again. A `not_found` above 0 is the caller's count of firm not-founds, one
-- more than the sale had when it was claimed, at `claimed_at`; servers of earlier versions do not tell that.
create function cell.settle(items jsonb, tersely boolean default false)
returns table (n int, won boolean, kept boolean, status text, outcome jsonb)
language plpgsql
security definer
set search_path = cell, pg_temp
-- The values differ and the work does not: to plan it again for each call would take as long as to do it.
set plan_cache_mode = force_generic_plan
-- A plan made while the tables were small must serve when they are large; see reserve.sql.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  settlers settler[];
  winners winner[];
  any_returned boolean;
  any_freed boolean;
  any_insured boolean;
  any_listed boolean;
  unlisted_most bigint;
  answered_n bigint := 0;
begin
  -- Locks in the order of reserve: keys, then balances, then transactions, each in the order of the array, which is
  -- that of company and key. Whatever a lock had to wait for is seen in the row that it locked, though in no other; so
  -- each of these statements reads nothing that changes but what it locks. A transaction's key never changes.
  select
    array_agg(
      row(
        k.s, case when r.is_of_sale then r.place end, coalesce(r.is_of_sale and r.answered, false), null, null, null,
        null
      )::settler
      order by k.company_id, k.idempotency_key
    )
  into settlers
  from (
    select s, s.company_id, s.transaction_id, t.idempotency_key
    from jsonb_populate_recordset(null::settlement, items) as s
    cross join lateral (
      select t.idempotency_key
      from transaction as t
      where t.company_id = s.company_id and t.id = s.transaction_id
      offset 0
    ) as t
    order by s.company_id, t.idempotency_key
  ) as k
  left join lateral (
    select
      r.ctid as place,
      r.outcome is not null as answered,
      r.transaction_id = k.transaction_id as is_of_sale
    from idempotency as r
    where r.company_id = k.company_id and r.key = k.idempotency_key
    for update
  ) as r on true;

  select array_agg(row(s.settlement, s.key_place, s.answered, b.place, b.owned, b.listed_to, b.unlisted)::settler)
  into settlers
  from unnest(settlers) as s
  left join lateral (
    select b.ctid as place, b.owned, b.listed_to, b.entries - b.entries_listed as unlisted
    from balance as b
    where b.company_id = (s.settlement).company_id
    for update
  ) as b on true;

  -- Only what is still unresolved can be settled, and by one member of the group: the first that the provider itself
  -- was firm about, else one that not-founds conclude, else one that only holds. What a not-found concludes, it
  -- concludes upon the count that it was told of; if somebody has counted anew since, or has claimed the sale, it is
  -- late and concludes nothing.
  --
  -- All of them are locked, before any is judged (offset 0). No key of theirs changes, so whoever writes what refers
  -- to them, as a note or a proposal does, neither waits for this nor holds it up.
  select
    coalesce(
      array_agg(
        row(
          w.settlement, w.key_place, w.answered, w.balance_place, w.owned, w.unlisted, w.place, w.amount, w.day,
          w.insurance_id, w.status
        )::winner
        order by w.company_id, w.id
      ),
      '{}'
    ),
    bool_or((w.settlement).verdict in ('Release', 'Free')),
    bool_or((w.settlement).verdict = 'Free' and not w.answered),
    bool_or(w.insurance_id is not null),
    bool_or(w.id <= w.listed_to),
    max(w.unlisted)
  into winners, any_returned, any_freed, any_insured, any_listed, unlisted_most
  from (
    select distinct on (t.company_id, t.id)
      s.*, t.company_id, t.id, t.place, t.amount, t.day, t.insurance_id, t.status
    from unnest(settlers) as s
    cross join lateral (
      select t.company_id, t.id, t.ctid as place, t.amount, t.day, t.insurance_id, t.status, t.not_found, t.asked_at
      from transaction as t
      where t.company_id = (s.settlement).company_id and t.id = (s.settlement).transaction_id
      offset 0
      for no key update
    ) as t
    where t.status in ('PROCESSING', 'PENDING')
      and s.balance_place is not null
      and (
        (s.settlement).not_found = 0
        or (
          (s.settlement).not_found = t.not_found + 1
          and ((s.settlement).claimed_at is null or (s.settlement).claimed_at = t.asked_at)
        )
        or (s.settlement).verdict not in ('Release', 'Hold')
      )
    order by
      t.company_id, t.id, (s.settlement).verdict = 'Hold', (s.settlement).not_found > 0, (s.settlement).n
  ) as w;

  if cardinality(winners) > 0 then
    -- A key that has answered keeps its answer, also when the sale is settled later, or was never sent.
    return query
    with sold as (
      insert into entry (company_id, id, type, amount, balance, transaction_id, created_at)
      select
        c.company_id,
        nextval('entry_id'),
        'sale',
        -c.amount,
        c.owned - sum(c.amount) over (partition by c.company_id order by c.transaction_id),
        c.transaction_id,
        c.at
      from (
        select (w.settlement).company_id, (w.settlement).transaction_id, (w.settlement).at, w.amount, w.owned
        from unnest(winners) as w
        where (w.settlement).verdict = 'Confirm'
        order by 1, 2
      ) as c
    ),
    changed as (
      update transaction as t
      set status = status_after(s.verdict),
        processed_at = case when s.verdict <> 'Hold' then s.at end,
        auth_code = s.auth_code,
        recharge_token = s.recharge_token,
        refusal = s.refusal,
        ask_at = case when s.verdict = 'Hold' then s.ask_at end,
        not_found = s.not_found,
        leased_until = null
      from (select (w.settlement).*, w.place from unnest(winners) as w) as s
      where t.ctid = s.place
      returning t.id
    ),
    moving as materialized (
      select
        w.balance_place as place,
        sum(w.amount)::bigint as amount,
        coalesce(sum(w.amount) filter (where (w.settlement).verdict <> 'Confirm'), 0)::bigint as returned,
        count(*) filter (where (w.settlement).verdict = 'Confirm') as sold,
        max((w.settlement).at) as at
      from unnest(winners) as w
      where (w.settlement).verdict <> 'Hold'
      group by 1
    ),
    moved as (
      update balance as b
      set held = b.held - m.amount,
        available = b.available + m.returned,
        entries = b.entries + m.sold,
        updated_at = m.at
      from moving as m
      where b.ctid = m.place
      returning b.company_id
    ),
    answered as (
      update idempotency as r
      set outcome = coalesce(r.outcome, s.outcome),
        completed_at = coalesce(r.completed_at, s.at),
        settled_at = case when s.verdict <> 'Hold' then s.at end
      from (select (w.settlement).*, w.key_place, w.answered from unnest(winners) as w) as s
      where (s.verdict <> 'Free' or s.answered) and r.ctid = s.key_place
      returning
        s.n,
        s.verdict,
        old.outcome is null as kept,
        case when old.outcome is null and tersely then null else new.outcome end as outcome
    )
    select a.n, true, a.kept, status_after(a.verdict), a.outcome from answered as a
    where all_written(
      (select count(*) from changed) + (select count(*) from moved),
      cardinality(winners) + (select count(*) from moving)
    );
    get diagnostics answered_n = row_count;
  end if;

  -- What was not sold was not consumed, on the day on which it was asked for.
  if any_returned then
    update consumption as c
    set total = c.total - given_back.amount
    from (
      select (w.settlement).company_id, w.day, sum(w.amount)::bigint as amount
      from unnest(winners) as w
      where (w.settlement).verdict in ('Release', 'Free')
      group by 1, 2
    ) as given_back
    where c.company_id = given_back.company_id
      and c.day = given_back.day;
  end if;

  -- A policy and its money are settled together.
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

  if any_freed then
    delete from idempotency as r
    using unnest(winners) as w
    where (w.settlement).verdict = 'Free' and not w.answered and r.ctid = w.key_place;
  end if;

  -- For the lists: block.sql.
  if any_listed then
    perform recount_blocks(
      array_agg(
        row(
          (w.settlement).company_id,
          (w.settlement).transaction_id,
          w.status,
          status_after((w.settlement).verdict)
        )::change
      )
    )
    from unnest(winners) as w;
  end if;
  if unlisted_most + cardinality(winners) >= block_length() then
    perform make_blocks('entry', array_agg(g.company_id))
    from (
      select (w.settlement).company_id
      from unnest(winners) as w
      group by 1
      having max(w.unlisted) + count(*) filter (where (w.settlement).verdict = 'Confirm') >= block_length()
    ) as g
    having count(*) > 0;
  end if;

  if answered_n = cardinality(settlers) then
    return;
  end if;

  -- The others hear how their sale stands: who lost, and who won without a key that could keep the answer.
  return query
  select
    s.n,
    exists (select 1 from unnest(winners) as w where (w.settlement).n = s.n),
    false,
    t.status,
    r.outcome
  from (select (s.settlement).* from unnest(settlers) as s) as s
  cross join lateral (
    select t.status, t.idempotency_key
    from transaction as t
    where t.company_id = s.company_id and t.id = s.transaction_id
    offset 0
  ) as t
  left join lateral (
    select r.outcome
    from idempotency as r
    where r.company_id = s.company_id and r.key = t.idempotency_key and r.transaction_id = s.transaction_id
    offset 0
  ) as r on true
  where not exists (
    select 1
    from unnest(winners) as w
    where (w.settlement).n = s.n and ((w.settlement).verdict <> 'Free' or w.answered) and w.key_place is not null
  );
end;
$$;

-- It runs as its owner, so whoever calls it has to be told that he may.
revoke all on function cell.settle, cell.status_after from public;
