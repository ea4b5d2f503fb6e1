-- settle: settles a group of sales with held amounts. "Request" in this file means one request of the group:
-- to settle one sale. Variables call it a member.

drop function if exists settle;
drop function if exists status_after;
drop function if exists events_after;
drop function if exists settling;
drop type if exists settling;
drop type if exists settlement;

-- One request of the group: to settle a sale. `n` is the number of the request in the group. `verdict` is Confirm,
-- Release, Free or Hold.
create type settlement as (
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

-- A settlement with the facts about the rows that it has locked. The ctid of a locked row cannot change, so it
-- identifies the row.
create type settling as (
  settlement settlement,
  -- The ctid of the sale's idempotency key. Null if the key was deleted or belongs to another sale.
  key_ctid tid,
  -- Whether the key already has a response.
  answered boolean,
  -- The ctid of the company's balance, the amount that the company owned before, the highest sale id in a block, and
  -- the number of its ledger entries outside the blocks.
  balance_ctid tid,
  owned bigint,
  listed_to bigint,
  unlisted bigint,
  -- Sequence number of the company's newest event. Null if its events are off.
  last_event bigint,
  -- The sale, and its status before the settlement.
  sale_ctid tid,
  amount bigint,
  day date,
  insurance_id bigint,
  old_status text
);

-- Builds a settling with named arguments. The planner inlines the function, so it takes no time.
create function settling(
  settlement settlement,
  key_ctid tid default null,
  answered boolean default null,
  balance_ctid tid default null,
  owned bigint default null,
  listed_to bigint default null,
  unlisted bigint default null,
  last_event bigint default null,
  sale_ctid tid default null,
  amount bigint default null,
  day date default null,
  insurance_id bigint default null,
  old_status text default null
) returns settling
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
  last_event,
  sale_ctid,
  amount,
  day,
  insurance_id,
  old_status
)::settling;

-- The status of a sale after a verdict. An unknown verdict gives null, which the status column does not accept.
create function status_after(verdict text) returns text
language sql
immutable
as $$
  select case
    when verdict = 'Confirm' then 'SUCCESS'
    when verdict in ('Release', 'Free') then 'FAILED'
    when verdict = 'Hold' then 'PENDING'
  end
$$;

-- The types of the events of a settled sale and its policy. A PENDING sale that stays held has no new event.
create function events_after(verdict text, old_status text, insurance_id bigint) returns text[]
language sql
immutable
as $$
  select case
    when verdict = 'Confirm' and insurance_id is null then array['transaction.succeeded']
    when verdict = 'Confirm' then array['transaction.succeeded', 'insurance.issued']
    when verdict = 'Release' and insurance_id is not null then array['transaction.failed', 'insurance.failed']
    when verdict in ('Release', 'Free') then array['transaction.failed']
    when old_status = 'PROCESSING' then array['transaction.pending']
    else '{}'
  end
$$;

-- Confirms, releases, frees or keeps holding a group of sales in one transaction. The sales may belong to any
-- companies. `items` is an array of settlement.
--
-- Each sale is settled once. The answer to a request has five fields. `won`: whether this call settled the sale.
-- `status`: the status of the sale now. `repeated`: whether the sale had failed, and a later sale with the same xid has
-- not. `outcome`: the response that the sale's key replays. `kept`: whether that
-- response is the request's own outcome. With `tersely`, a request does not receive its own outcome again.
--
-- If `not_found` is above 0, it is recovery's count of firm "not found" answers: the count of the sale when recovery
-- claimed it at `claimed_at`, plus one. Without `claimed_at`, only the count is compared.
create function settle(items jsonb, tersely boolean default false)
returns table (n int, won boolean, kept boolean, status text, repeated boolean, outcome jsonb)
language plpgsql
-- Runs as its owner, because the server's login may not write these tables.
security definer
set search_path from current
-- reserve.sql explains these planner settings.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
-- If a name is both a column and a variable, it means the column.
#variable_conflict use_column
declare
  members settling[];
  -- The requests that settle their sale.
  winners settling[];
  any_returned boolean;
  any_insured boolean;
  any_listed boolean;
  any_events boolean;
  any_early boolean;
  unlisted_most bigint;
  -- How many rows must be written: keys that get an answer, keys that are deleted, and balances.
  answers_n bigint;
  freed_n bigint;
  balances_n bigint;
  -- How many rows the last statement wrote, and how many keys got an answer.
  written_n bigint;
  answered_n bigint := 0;
begin
  -- 1. Lock the keys, in the order of company and key.
  --
  -- Postgres returns a locked row in its newest version, but any other row in its version from before the wait for the
  -- lock. So, apart from the rows that it locks, each of these statements reads only data that cannot change. The key
  -- of a sale never changes.
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

  -- 2. Lock the balances, in the order of the company id. The lock serializes all changes of a company's money.
  select
    array_agg(
      settling(
        settlement => s.settlement,
        key_ctid => s.key_ctid,
        answered => s.answered,
        balance_ctid => b.ctid,
        owned => b.owned,
        listed_to => b.listed_to,
        unlisted => b.entries - b.entries_listed,
        last_event => case when b.events_on then b.last_event end
      )
    ),
    bool_or(b.events_on),
    bool_or((s.settlement).at < b.open_from)
  into members, any_events, any_early
  from unnest(members) as s
  left join lateral (
    select b.ctid, b.owned, b.listed_to, b.entries, b.entries_listed, b.events_on, b.last_event,
      b.open_from
    from balance as b
    where b.company_id = (s.settlement).company_id
    for update
  ) as b on true;

  -- 3. Lock the sales and judge the requests.
  --
  -- Locks each sale, so that no other settlement or reversal changes it in the meantime. `for no key update` does not
  -- conflict with rows that only refer to the sale: questions, replays and proposals of operators. `offset 0` locks all
  -- sales before any request is judged.
  --
  -- Only an unresolved sale can be settled, and only by one request. A request with a firm answer of the provider has
  -- priority. A request that concludes from "not found" answers comes second, and a request that holds comes last.
  --
  -- A conclusion from "not found" answers is too late if another recovery has counted or claimed the sale since this
  -- claim. It then settles nothing. core/domain/Recovery.ts states the same rule for the ledger in memory.
  -- test/postgres/model compares the two.
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
          last_event => w.last_event,
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
    bool_or(w.insurance_id is not null),
    bool_or(w.id <= w.listed_to),
    max(w.unlisted),
    count(*) filter (where w.key_ctid is not null and ((w.settlement).verdict <> 'Free' or w.answered)),
    count(*) filter (where w.key_ctid is not null and (w.settlement).verdict = 'Free' and not w.answered),
    count(distinct w.company_id) filter (
      where (w.settlement).verdict <> 'Hold' or (w.last_event is not null and w.status = 'PROCESSING')
    )
  into winners, any_returned, any_insured, any_listed, unlisted_most, answers_n, freed_n, balances_n
  from (
    select distinct on (t.company_id, t.id)
      s.settlement,
      s.key_ctid,
      s.answered,
      s.balance_ctid,
      s.owned,
      s.listed_to,
      s.unlisted,
      s.last_event,
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

  -- The clock of the caller may be late, or the outcome is older than the call. A settlement gets no time in a day that
  -- has ended (closing.sql), so it counts in the first open day. The balance is locked, so this reads its newest version.
  if any_early then
    for i in 1..cardinality(winners) loop
      winners[i].settlement.at := greatest(
        (winners[i].settlement).at,
        (select b.open_from from balance as b where b.company_id = (winners[i].settlement).company_id)
      );
    end loop;
  end if;

  -- 4. Write the entries, the sales, the balances and the keys. Every row that is changed here is locked.
  if cardinality(winners) > 0 then
    -- One statement writes the entries, the sales and the balances. Three statements would take 5 % longer for a group
    -- of 25, because Postgres copies the array of winners for each of them and returns the memory in between.
    with booked as (
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
      ) as s
    ),
    settled as (
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
        and t.id + 0 = s.transaction_id
      returning t.id
    ),
    moved as (
      update balance as b
      set held = b.held - s.amount,
        available = b.available + s.returned,
        entries = b.entries + s.sold,
        last_event = b.last_event + s.events,
        updated_at = coalesce(s.at, b.updated_at)
      from (
        select
          (w.settlement).company_id,
          w.balance_ctid,
          coalesce(sum(w.amount) filter (where (w.settlement).verdict <> 'Hold'), 0)::bigint as amount,
          coalesce(sum(w.amount) filter (where (w.settlement).verdict in ('Release', 'Free')), 0)::bigint as returned,
          count(*) filter (where (w.settlement).verdict = 'Confirm') as sold,
          coalesce(
            sum(cardinality(events_after((w.settlement).verdict, w.old_status, w.insurance_id)))
              filter (where w.last_event is not null),
            0
          ) as events,
          max((w.settlement).at) filter (where (w.settlement).verdict <> 'Hold') as at
        from unnest(winners) as w
        where (w.settlement).verdict <> 'Hold' or (w.last_event is not null and w.old_status = 'PROCESSING')
        group by (w.settlement).company_id, w.balance_ctid
      ) as s
      where b.ctid = s.balance_ctid
        and b.company_id + 0 = s.company_id
      returning b.company_id
    )
    select (select count(*) from settled) + (select count(*) from moved) into written_n;
    perform require_all_written(written_n, cardinality(winners) + balances_n);

    -- A key with a response keeps it, even if the sale is settled later or was never sent.
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
      false,
      case
        when old.outcome is null and tersely then null
        else response_of(new.outcome, s.company_id, s.transaction_id)
      end as outcome;
    get diagnostics answered_n = row_count;
    perform require_all_written(answered_n, answers_n);
  end if;

  -- The amount of a sale that was not delivered is subtracted from the consumption of the day on which it was reserved.
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

  -- Settles each policy together with its charge. The update locks the insurances.
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

  -- A freed key without a response may be used again.
  if freed_n > 0 then
    delete from idempotency as k
    using (
      select (w.settlement).company_id, (w.settlement).transaction_id, w.key_ctid
      from unnest(winners) as w
      where (w.settlement).verdict = 'Free' and not w.answered
    ) as s
    where k.ctid = s.key_ctid
      and k.company_id + 0 = s.company_id
      and k.transaction_id = s.transaction_id;
    get diagnostics written_n = row_count;
    perform require_all_written(written_n, freed_n);
  end if;

  -- Updates the blocks (block.sql).
  if any_listed then
    perform recount_blocks(
      array_agg(
        status_change(
          company_id => (w.settlement).company_id,
          transaction_id => (w.settlement).transaction_id,
          old_status => w.old_status,
          new_status => status_after((w.settlement).verdict),
          settled_at => (w.settlement).at
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

  -- Writes the events of the sales and policies (event.sql), which step 4 has counted in the balances. Only a returned
  -- amount can raise a balance above its alert value.
  if any_events then
    perform write_events(array_agg(e.fact))
    from (
      select
        event_fact(
          company_id => (w.settlement).company_id,
          sequence => w.last_event
            + row_number() over (partition by (w.settlement).company_id order by (w.settlement).transaction_id, f.place),
          type => f.type,
          at => (w.settlement).at,
          transaction_id => (w.settlement).transaction_id,
          insurance_id => case when f.type like 'insurance.%' then w.insurance_id end
        ) as fact
      from unnest(winners) as w
      cross join lateral unnest(events_after((w.settlement).verdict, w.old_status, w.insurance_id))
        with ordinality as f(type, place)
      where w.last_event is not null
    ) as e
    having count(*) > 0;

    if any_returned then
      perform record_events(
        '{}',
        array(
          select (w.settlement).company_id
          from unnest(winners) as w
          where (w.settlement).verdict in ('Release', 'Free')
        ),
        (select max((w.settlement).at) from unnest(winners) as w)
      );
    end if;
  end if;

  -- 5. Answer the other requests: requests that did not win, and winning requests without a key to store the response.
  if answered_n = cardinality(members) then
    return;
  end if;

  return query
  select
    s.n,
    exists (select from unnest(winners) as w where (w.settlement).n = s.n),
    false,
    t.status,
    t.status = 'FAILED' and exists (
      select
      from transaction as later
      where later.company_id = s.company_id
        and later.xid = t.xid
        and later.id > s.transaction_id
        and later.status <> 'FAILED'
    ),
    response_of(k.outcome, s.company_id, s.transaction_id)
  from (select (m.settlement).* from unnest(members) as m) as s
  cross join lateral (
    select t.status, t.idempotency_key, t.xid
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

-- These functions run as their owner, so no other role may call them until roles.sql grants it.
revoke all on function settle, status_after, events_after, settling from public;
