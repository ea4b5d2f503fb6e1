-- reserve: holds the amounts of a group of sales. "Request" in this file means one request of the group: one sale
-- to reserve. Variables call it a member.

drop function if exists reserve;
drop function if exists answers_of_known_keys;
drop function if exists judge_one_by_one;
drop function if exists refusal;
drop function if exists account;
drop function if exists demand;
drop type if exists refused;
drop type if exists account;
drop type if exists demand;
drop type if exists intent;

-- One request of the group: a sale to reserve. `n` is the number of the request in the group.
create type intent as (
  n int,
  company_id bigint,
  transaction_id bigint,
  key text,
  owner uuid,
  fingerprint bytea,
  xid text,
  environment text,
  service_id bigint,
  service_name text,
  service_type text,
  identifier text,
  amount bigint,
  terminal_id text,
  option_id text,
  bill_id text,
  insurance_id bigint,
  product text,
  option_reference text,
  reversible boolean
);

-- The sum of the requests of one company, with the company's locked balance.
create type demand as (
  company_id bigint,
  -- The ctid of the balance row, which cannot change while the row is locked. Null if the company has no balance row.
  balance_ctid tid,
  closed boolean,
  available bigint,
  limit_daily bigint,
  limit_weekly bigint,
  limit_monthly bigint,
  listed_to bigint,
  -- How many of the company's sales are outside the blocks.
  unlisted bigint,
  -- Total amount, number and lowest transaction id of the company's requests.
  amount bigint,
  members bigint,
  first_id bigint,
  -- Whether a request buys a bill or a policy, which can be sold only once.
  buys_once boolean
);

-- Builds a demand with named arguments. The planner inlines the function, so it takes no time.
create function demand(
  company_id bigint,
  balance_ctid tid,
  closed boolean,
  available bigint,
  limit_daily bigint,
  limit_weekly bigint,
  limit_monthly bigint,
  listed_to bigint,
  unlisted bigint,
  amount bigint,
  members bigint,
  first_id bigint,
  buys_once boolean
) returns demand
language sql
immutable
return row(
  company_id,
  balance_ctid,
  closed,
  available,
  limit_daily,
  limit_weekly,
  limit_monthly,
  listed_to,
  unlisted,
  amount,
  members,
  first_id,
  buys_once
)::demand;

-- A company's available amount, its limits, and its consumption in the local day, week and month.
create type account as (
  company_id bigint,
  closed boolean,
  available bigint,
  limit_daily bigint,
  limit_weekly bigint,
  limit_monthly bigint,
  daily bigint,
  weekly bigint,
  monthly bigint
);

-- Builds an account with named arguments, as demand does for a demand.
create function account(
  company_id bigint,
  closed boolean,
  available bigint,
  limit_daily bigint,
  limit_weekly bigint,
  limit_monthly bigint,
  daily bigint,
  weekly bigint,
  monthly bigint
) returns account
language sql
immutable
return row(company_id, closed, available, limit_daily, limit_weekly, limit_monthly, daily, weekly, monthly)::account;

-- A refused request with its answer.
create type refused as (
  n int,
  transaction_id bigint,
  answer jsonb
);

-- Returns why a company may not spend `amount` after it has spent `spent` in the same group. The reason is `closed` if the
-- company is closed. Otherwise it is the first limit that would be exceeded (day, week, month), or `saldo`. Null if the
-- company may spend the amount.
--
-- A company that may spend an amount may also spend it in parts, in any order.
--
-- core/domain/Account.ts states the same rules for the ledger in memory. test/postgres/model compares the two.
create function refusal(account account, spent bigint, amount bigint) returns text
language sql
immutable
as $$
  select case
    when account.closed then 'closed'
    when account.limit_daily > 0 and account.daily + spent + amount > account.limit_daily then 'diario'
    when account.limit_weekly > 0 and account.weekly + spent + amount > account.limit_weekly then 'semanal'
    when account.limit_monthly > 0 and account.monthly + spent + amount > account.limit_monthly then 'mensual'
    when account.available < spent + amount then 'saldo'
  end
$$;

-- Judges the requests of these companies in order, and returns the refused requests. An amount that one request holds
-- is no longer available to the company's next requests. The caller has locked the balances and the insurances.
create function judge_one_by_one(members intent[], accounts account[], at timestamptz)
returns setof refused
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  candidate record;
  company bigint;
  spent bigint;
  -- The bills that this company pays in this group, each with its sale, and the insurances that it buys.
  bills jsonb;
  insured bigint[] := '{}';
  paid_by bigint;
  reason text;
  answer jsonb;
begin
  for candidate in
    select
      i.n,
      i.company_id,
      i.transaction_id,
      i.amount,
      i.bill_id,
      i.insurance_id,
      -- Whether the insurance still has the quote that the request buys.
      case
        when i.insurance_id is null then true
        else exists (
          select 1
          from insurance as g
          where g.company_id = i.company_id
            and g.id = i.insurance_id
            and g.state = 'cotizado'
            and g.quote_total = i.amount
            and g.quote_reference = i.option_reference
            and g.quote_expires_at > at
        )
      end as quoted,
      -- The sale that has paid the bill or is now paying it.
      case
        when i.bill_id is not null then (
          select p.id
          from transaction as p
          where p.company_id = i.company_id
            and p.bill_id = i.bill_id
            and p.bill_id is not null
            and p.status in ('PROCESSING', 'PENDING', 'SUCCESS')
        )
      end as paid_by,
      a as account
    from unnest(members) as i
    join unnest(accounts) as a on a.company_id = i.company_id
    order by i.company_id, i.n
  loop
    if candidate.company_id is distinct from company then
      company := candidate.company_id;
      spent := 0;
      bills := '{}';
    end if;

    paid_by := coalesce(candidate.paid_by, (bills ->> candidate.bill_id)::bigint);
    reason := refusal(candidate.account, spent, candidate.amount);
    answer := case
      when reason = 'closed' then
        jsonb_build_object('tag', 'Closed')
      when paid_by is not null then
        jsonb_build_object('tag', 'Duplicate', 'transaction_id', paid_by)
      -- After this answer, the caller reads the insurance again to find the reason.
      when not candidate.quoted or candidate.insurance_id = any (insured) then
        jsonb_build_object('tag', 'QuoteChanged')
      when reason = 'saldo' then
        jsonb_build_object('tag', 'InsufficientBalance', 'available', (candidate.account).available - spent)
      when reason is not null then
        jsonb_build_object(
          'tag', 'LimitExceeded',
          'period', reason,
          'limit', case reason
            when 'diario' then (candidate.account).limit_daily
            when 'semanal' then (candidate.account).limit_weekly
            else (candidate.account).limit_monthly
          end,
          'consumption', spent + case reason
            when 'diario' then (candidate.account).daily
            when 'semanal' then (candidate.account).weekly
            else (candidate.account).monthly
          end
        )
    end;
    if answer is not null then
      return next row(candidate.n, candidate.transaction_id, answer)::refused;
      continue;
    end if;

    spent := spent + candidate.amount;
    if candidate.bill_id is not null then
      bills := bills || jsonb_build_object(candidate.bill_id, candidate.transaction_id);
    end if;
    if candidate.insurance_id is not null then
      insured := insured || candidate.insurance_id;
    end if;
  end loop;
end;
$$;

-- Answers the requests with a key that another call, or another request of this group, has already claimed.
--
-- The answer is Vanished if the key was freed in the meantime, or if the request of this group that claimed the key was
-- refused. The caller then tries again.
create function answers_of_known_keys(
  members intent[],
  claimed bigint[],
  expired_before timestamptz,
  stuck_before timestamptz
) returns table (n int, answer jsonb)
language sql
stable
set search_path from current
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
  select
    i.n,
    case
      when k.key is null then
        jsonb_build_object('tag', 'Vanished')
      -- The same call has committed this reservation before, but lost the answer together with the connection.
      when k.owner = i.owner then
        jsonb_build_object('tag', 'Reserved', 'transaction_id', t.id, 'created_at', t.created_at)
      else
        jsonb_build_object(
          'tag', key_state(
            known_fingerprint => k.fingerprint,
            claimed_at => k.claimed_at,
            completed_at => k.completed_at,
            settled_at => k.settled_at,
            fingerprint => i.fingerprint,
            expired_before => expired_before,
            stuck_before => stuck_before
          ),
          'transaction_id', k.transaction_id,
          'status', t.status,
          'outcome', response_of(k.outcome, k.company_id, k.transaction_id)
        )
    end
  from unnest(members) as i
  left join lateral (
    select * from idempotency as k where k.company_id = i.company_id and k.key = i.key offset 0
  ) as k on true
  left join lateral (
    select t.id, t.created_at, t.status
    from transaction as t
    where t.company_id = k.company_id and t.id = k.transaction_id
    offset 0
  ) as t on true
  where i.transaction_id <> all (claimed)
$$;

-- Claims the keys and holds the amounts of a group of sales in one transaction. The sales may belong to any companies.
-- `items` is an array of intent without ids. Every request gets its own answer, {tag, ...}. A refused request
-- leaves no rows.
--
-- `at`, the local day `today`, and the first days of the local week and month come from the caller's clock.
-- `ask_first_at` is when recovery first asks the provider about the sales. key_state explains `expired_before`
-- and `stuck_before`.
--
-- This function and settle take their locks in the same order: keys, balances, transactions, insurances. Each kind
-- is locked in the order of the company id. So two groups cannot deadlock.
create function reserve(
  items jsonb,
  at timestamptz,
  today date,
  week_start date,
  month_start date,
  ask_first_at timestamptz,
  expired_before timestamptz,
  stuck_before timestamptz
) returns table (n int, answer jsonb)
language plpgsql
-- Runs as its owner, because the server's login may not write these tables.
security definer
set search_path from current
-- Uses one plan for all calls, because only the values differ between calls. Making a new plan for each call would take
-- as long as the work itself.
set plan_cache_mode = force_generic_plan
-- A plan that was made while the tables were small must also work when they are large. So rows are found by key, and
-- sequential scans, hash joins and merge joins are off.
--
-- If the statistics say that a table is empty, the planner expects a full index read to cost as little as one look-up.
-- Each row is therefore looked up in its own subquery, which `offset 0` keeps separate, and is written by its ctid.
--
-- Each write also compares the key, so a wrong ctid writes nothing and the transaction fails. The `+ 0` prevents an
-- index look-up by this key.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
-- If a name is both a column and a variable, it means the column.
#variable_conflict use_column
declare
  members intent[];
  -- The transaction ids of the requests that have claimed their key.
  claimed bigint[];
  -- The requests that have claimed their key. After step 3, only the requests that are not refused.
  accepted intent[];
  demands demand[];
  -- The companies for which requests are judged one by one.
  accounts account[];
  refusals refused[];
  any_insured boolean;
  any_late boolean;
  any_full_block boolean;
  any_crossing boolean;
  any_without_balance boolean;
  open_from_most timestamptz;
  written_n bigint;
  -- A week or month includes its days after `today`. Around midnight, another server or a later group may already have
  -- sold on the next day while this group waited.
  next_week_start date := week_start + 7;
  next_month_start date := (month_start + interval '1 month')::date;
begin
  -- 1. Claim the keys.
  --
  -- The unique index decides which call gets a key. The insert locks the key: if another group has inserted the same
  -- key and not yet committed, this group waits here. Keys are claimed in order, so two groups cannot wait for each
  -- other.
  members := array(select i from jsonb_populate_recordset(null::intent, items) as i);
  for i in 1..cardinality(members) loop
    members[i].transaction_id := nextval('transaction_id');
  end loop;

  with claim as (
    insert into idempotency (company_id, key, owner, fingerprint, transaction_id, claimed_at)
    select i.company_id, i.key, i.owner, i.fingerprint, i.transaction_id, at
    from unnest(members) as i
    order by i.company_id, i.key, i.n
    on conflict do nothing
    returning transaction_id
  )
  select coalesce(array_agg(c.transaction_id), '{}') into claimed from claim as c;

  accepted := members;
  if cardinality(claimed) < cardinality(members) then
    accepted := array(select i from unnest(members) as i where i.transaction_id = any (claimed));
  end if;

  -- 2. Lock the balances, in the order of the company id.
  --
  -- The lock serializes all changes of a company's money. Postgres returns a locked row in its newest version. Other
  -- rows that the lock guards, for example the consumption, are read by a later statement. At READ COMMITTED, the
  -- statement that waited for the lock would still see their versions from before the wait.
  --
  -- A company without a balance row has no money. It is refused even if its first deposit commits right after this
  -- step.
  select
    array_agg(
      demand(
        company_id => i.company_id,
        balance_ctid => b.ctid,
        closed => coalesce(b.closed, false),
        available => coalesce(b.available, 0),
        limit_daily => coalesce(b.limit_daily, default_limit('diario')),
        limit_weekly => coalesce(b.limit_weekly, default_limit('semanal')),
        limit_monthly => coalesce(b.limit_monthly, default_limit('mensual')),
        listed_to => coalesce(b.listed_to, 0),
        unlisted => coalesce(b.sales - b.sales_listed, 0),
        amount => i.amount,
        members => i.members,
        first_id => i.first_id,
        buys_once => i.buys_once
      )
      order by i.company_id
    ),
    bool_or(i.insured),
    bool_or(b.events_on and (b.available - i.amount < b.low_balance_alert) <> b.reported_low),
    bool_or(b.ctid is null),
    max(b.open_from)
  into demands, any_insured, any_crossing, any_without_balance, open_from_most
  from (
    select
      i.company_id,
      sum(i.amount)::bigint as amount,
      count(*) as members,
      min(i.transaction_id) as first_id,
      bool_or(i.bill_id is not null or i.insurance_id is not null) as buys_once,
      bool_or(i.insurance_id is not null) as insured
    from unnest(accepted) as i
    group by i.company_id
    order by i.company_id
  ) as i
  left join lateral (
    select
      b.ctid, b.available, b.limit_daily, b.limit_weekly, b.limit_monthly, b.listed_to, b.sales, b.sales_listed,
      b.events_on, b.low_balance_alert, b.reported_low, b.open_from, b.closed
    from balance as b
    where b.company_id = i.company_id
    for update
  ) as b on true;

  -- A company that has moved to another cell has no balance here, and counts as closed. This check is a
  -- statement of its own, so that it sees a move that committed while step 2 waited for the balance.
  if any_without_balance then
    for i in 1..cardinality(demands) loop
      if demands[i].balance_ctid is null then
        demands[i].closed := has_departed(demands[i].company_id);
      end if;
    end loop;
  end if;

  -- The clock of the caller may be late. A sale gets no time in a day that has ended (closing.sql), so it counts in the
  -- first open day, also towards the limits. The latest end of a day applies to all companies of the group, because it
  -- lies in the past by every other clock.
  if open_from_most > at then
    at := open_from_most;
    today := (at at time zone 'UTC' - interval '4 hours')::date;
    week_start := date_trunc('week', today)::date;
    month_start := date_trunc('month', today)::date;
    next_week_start := week_start + 7;
    next_month_start := (month_start + interval '1 month')::date;
  end if;

  -- Locks the insurances that are bought, so that two sales cannot both buy one quote. The other steps of an insurance
  -- lock only the insurance row, so this group may wait for it while it holds the balance lock.
  if any_insured then
    perform 1
    from (
      select i.company_id, i.insurance_id
      from unnest(accepted) as i
      where i.insurance_id is not null
      order by i.company_id, i.insurance_id
    ) as i
    cross join lateral (
      select g.id from insurance as g where g.company_id = i.company_id and g.id = i.insurance_id for update
    ) as g;
  end if;

  -- 3. Judge the requests. This step takes no lock.
  --
  -- If a company may spend the sum of its requests, it may spend each of them, so all of them are accepted. The
  -- requests of other companies are judged one by one. So are the requests of a company that buys a bill or a policy,
  -- which is sold only once.
  select
    array_agg(a.account) filter (where a.buys_once or refusal(a.account, 0, a.amount) is not null),
    bool_or(a.first_id <= a.listed_to),
    bool_or(a.unlisted + a.members >= block_length() + tail_length())
  into accounts, any_late, any_full_block
  from (
    select
      d.buys_once,
      d.amount,
      d.members,
      d.first_id,
      d.listed_to,
      d.unlisted,
      account(
        company_id => d.company_id,
        closed => d.closed,
        available => d.available,
        limit_daily => d.limit_daily,
        limit_weekly => d.limit_weekly,
        limit_monthly => d.limit_monthly,
        daily => coalesce(c.daily, 0),
        weekly => coalesce(c.weekly, 0),
        monthly => coalesce(c.monthly, 0)
      ) as account
    from unnest(demands) as d
    left join lateral (
      select
        sum(c.total) filter (where c.day = today)::bigint as daily,
        sum(c.total) filter (where c.day >= week_start and c.day < next_week_start)::bigint as weekly,
        sum(c.total) filter (where c.day >= month_start and c.day < next_month_start)::bigint as monthly
      from consumption as c
      where c.company_id = d.company_id
        and d.balance_ctid is not null
        and c.day >= least(week_start, month_start)
        and c.day < greatest(next_week_start, next_month_start)
      offset 0
    ) as c on true
  ) as a;

  if accounts is not null then
    refusals := array(select r from judge_one_by_one(accepted, accounts, at) as r);
  end if;

  if cardinality(refusals) > 0 then
    return query select r.n, r.answer from unnest(refusals) as r;

    -- Deletes the key of a refused request and leaves the request out of the following steps.
    delete from idempotency as k
    using (
      select i.company_id, i.transaction_id, k.ctid
      from unnest(accepted) as i
      cross join lateral (
        select k.ctid from idempotency as k where k.company_id = i.company_id and k.key = i.key offset 0
      ) as k
      where i.transaction_id = any (array(select r.transaction_id from unnest(refusals) as r))
    ) as i
    where k.ctid = i.ctid
      and k.company_id + 0 = i.company_id
      and k.transaction_id = i.transaction_id;
    get diagnostics written_n = row_count;
    perform require_all_written(written_n, cardinality(refusals));

    accepted := array(
      select i
      from unnest(accepted) as i
      where i.transaction_id <> all (array(select r.transaction_id from unnest(refusals) as r))
    );
    demands := array(
      select
        demand(
          company_id => d.company_id,
          balance_ctid => d.balance_ctid,
          closed => d.closed,
          available => d.available,
          limit_daily => d.limit_daily,
          limit_weekly => d.limit_weekly,
          limit_monthly => d.limit_monthly,
          listed_to => d.listed_to,
          unlisted => d.unlisted,
          amount => i.amount,
          members => i.members,
          first_id => i.first_id,
          buys_once => d.buys_once
        )
      from unnest(demands) as d
      join (
        select i.company_id, sum(i.amount)::bigint as amount, count(*) as members, min(i.transaction_id) as first_id
        from unnest(accepted) as i
        group by i.company_id
      ) as i on i.company_id = d.company_id
      order by d.company_id
    );
  end if;

  -- 4. Write the sales, the consumption and the balances. Step 2 has locked every row that is changed here.
  if cardinality(accepted) > 0 then
    insert into transaction (
      company_id, id, service_id, amount, created_at, day, reversible, status, environment, xid, idempotency_key,
      service_name, service_type, product, identifier, terminal_id, option_id, option_reference, bill_id, insurance_id,
      ask_at
    )
    select
      i.company_id, i.transaction_id, i.service_id, i.amount, at, today, i.reversible, 'PROCESSING', i.environment, i.xid,
      i.key, i.service_name, i.service_type, i.product, i.identifier, i.terminal_id, i.option_id, i.option_reference,
      i.bill_id, i.insurance_id, ask_first_at
    from unnest(accepted) as i;

    insert into consumption as c (company_id, day, total)
    select d.company_id, today, d.amount
    from unnest(demands) as d
    on conflict (company_id, day) do update set total = c.total + excluded.total;

    update balance as b
    set available = b.available - d.amount,
      held = b.held + d.amount,
      sales = b.sales + d.members,
      updated_at = at
    from unnest(demands) as d
    where b.ctid = d.balance_ctid
      and b.company_id + 0 = d.company_id;
    get diagnostics written_n = row_count;
    perform require_all_written(written_n, cardinality(demands));

    return query
    select i.n, jsonb_build_object('tag', 'Reserved', 'transaction_id', i.transaction_id, 'created_at', at)
    from unnest(accepted) as i;
  end if;

  if any_insured then
    update insurance as g
    set state = 'cobrando',
      transaction_id = i.transaction_id
    from unnest(accepted) as i
    where g.company_id = i.company_id
      and g.id = i.insurance_id;
  end if;

  -- Updates the blocks (block.sql).
  if any_late then
    perform join_blocks(
      array_agg(
        status_change(
          company_id => i.company_id,
          transaction_id => i.transaction_id,
          old_status => null,
          new_status => 'PROCESSING'
        )
      )
    )
    from unnest(accepted) as i
    join unnest(demands) as d on d.company_id = i.company_id
    where i.transaction_id <= d.listed_to
    having count(*) > 0;
  end if;
  if any_full_block then
    perform make_blocks(
      'sale',
      array(
        select d.company_id from unnest(demands) as d where d.unlisted + d.members >= block_length() + tail_length()
      )
    );
  end if;

  -- Reports balances that these sales made low (event.sql). Most groups have no such balance, and skip the statements.
  if any_crossing then
    perform record_events('{}', array(select d.company_id from unnest(demands) as d), at);
  end if;

  -- 5. Answer the requests that did not claim their key.
  if cardinality(claimed) < cardinality(members) then
    return query select * from answers_of_known_keys(members, claimed, expired_before, stuck_before);
  end if;
end;
$$;

-- These functions run as their owner, so no other role may call them until roles.sql grants it.
revoke all on function
  reserve, answers_of_known_keys, judge_one_by_one, refusal, account, demand
from public;
