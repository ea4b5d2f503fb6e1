drop function if exists cell.settle;
drop function if exists cell.status_after;
drop type if exists cell.winner;
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
  not_found int
);

-- A member that settles its sale, with what it has to know of it.
create type cell.winner as (
  settlement cell.settlement,
  -- Where the rows of the sale and of its key are. They are locked, so they stay there until this transaction changes them.
  place tid,
  key_place tid,
  -- Has the key an answer?
  answered boolean,
  amount bigint,
  day date,
  insurance_id bigint,
  -- How the sale stood, and what its company owned, before.
  status text,
  owned bigint
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
-- more than the sale had when it was claimed.
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
  settlements settlement[];
  winners winner[];
  any_sold boolean;
  any_returned boolean;
  any_freed boolean;
  any_insured boolean;
  any_listed boolean;
  answered_n bigint;
  grown bigint[];
begin
  select array_agg(s order by s.company_id, s.transaction_id, s.n)
  into settlements
  from jsonb_populate_recordset(null::settlement, items) as s;

  -- Locks in the order of reserve: keys, then balances, then transactions. A transaction's key never changes, so it is
  -- read before it is locked.
  perform 1
  from (
    select s.company_id, t.idempotency_key
    from unnest(settlements) as s
    cross join lateral (
      select t.idempotency_key from transaction as t where t.company_id = s.company_id and t.id = s.transaction_id offset 0
    ) as t
    order by s.company_id, t.idempotency_key
  ) as k
  cross join lateral (
    select r.key from idempotency as r where r.company_id = k.company_id and r.key = k.idempotency_key for update
  ) as r;

  perform 1
  from balance as b
  where b.company_id in (select s.company_id from unnest(settlements) as s)
  order by b.company_id
  for update;

  -- In the order of the array, which is that of company and id. No key of theirs changes, so whoever writes what refers
  -- to them, as a note or a proposal does, neither waits for this nor holds it up.
  perform 1
  from unnest(settlements) as s
  cross join lateral (
    select t.id from transaction as t where t.company_id = s.company_id and t.id = s.transaction_id for no key update
  ) as t;

  -- Read after the locks: only what is still unresolved can be settled, and by one member of the group: the first that the
  -- provider itself was firm about, else one that not-founds conclude, else one that only holds. What a not-found concludes, it concludes upon the count that it was told of; if
  -- somebody has counted anew since, it is late and concludes nothing.
  select
    coalesce(
      array_agg(
        row(w.s, w.place, w.key_place, w.answered, w.amount, w.day, w.insurance_id, w.status, w.owned)::winner
        order by w.company_id, w.id
      ),
      '{}'
    ),
    bool_or((w.s).verdict = 'Confirm'),
    bool_or((w.s).verdict in ('Release', 'Free')),
    bool_or((w.s).verdict = 'Free' and not w.answered),
    bool_or(w.insurance_id is not null),
    bool_or(w.id <= w.listed_to)
  into winners, any_sold, any_returned, any_freed, any_insured, any_listed
  from (
    select distinct on (t.company_id, t.id)
      t.company_id, t.id, t.place, k.place as key_place, coalesce(k.answered, false) as answered,
      t.amount, t.day, t.insurance_id, t.status, b.owned, b.listed_to, s
    from unnest(settlements) as s
    cross join lateral (
      select t.*, t.ctid as place
      from transaction as t
      where t.company_id = s.company_id
        and t.id = s.transaction_id
        and (s.not_found = 0 or s.not_found = t.not_found + 1 or s.verdict not in ('Release', 'Hold'))
      offset 0
    ) as t
    left join lateral (
      select r.ctid as place, r.outcome is not null as answered
      from idempotency as r
      where r.company_id = s.company_id and r.key = t.idempotency_key and r.transaction_id = s.transaction_id
      offset 0
    ) as k on true
    cross join lateral (
      select b.owned, b.listed_to from balance as b where b.company_id = s.company_id offset 0
    ) as b
    where t.status in ('PROCESSING', 'PENDING')
    order by t.company_id, t.id, s.verdict = 'Hold', s.not_found > 0, s.n
  ) as w;

  if any_sold then
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
    ) as c;
  end if;

  with moved as (
    update balance as b
    set held = b.held - moved.amount,
      available = b.available + moved.returned,
      entries = b.entries + moved.sold,
      updated_at = moved.at
    from (
      select
        (w.settlement).company_id,
        sum(w.amount)::bigint as amount,
        coalesce(sum(w.amount) filter (where (w.settlement).verdict <> 'Confirm'), 0)::bigint as returned,
        count(*) filter (where (w.settlement).verdict = 'Confirm') as sold,
        max((w.settlement).at) as at
      from unnest(winners) as w
      where (w.settlement).verdict <> 'Hold'
      group by 1
    ) as moved
    where b.company_id = moved.company_id
    returning b.company_id, b.entries - b.entries_listed as unlisted
  )
  select array_agg(m.company_id) filter (where m.unlisted >= block_length()) into grown from moved as m;

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
  where t.ctid = s.place;

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

  -- A key that has answered keeps its answer, also when the sale is settled later, or was never sent.
  return query
  with answered as (
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
  select a.n, true, a.kept, status_after(a.verdict), a.outcome from answered as a;
  get diagnostics answered_n = row_count;

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
  if grown is not null then
    perform make_blocks('entry', grown);
  end if;

  if answered_n = cardinality(settlements) then
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
  from unnest(settlements) as s
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
