drop function if exists cell.reserve;
drop type if exists cell.intent;

-- One member of a group of reservations. The id is drawn before anything is locked; a refused sale leaves a gap.
create type cell.intent as (
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

-- Claims keys and holds amounts for a group of sales, of any companies, in one transaction. Every member has its own
-- answer, {tag, ...}; a refused one leaves nothing behind. `at` and the days are the caller's clock; `expired` and
-- `stuck` are the instants before which a settled key no longer replays and an unsettled one can no longer be waited for.
--
-- Lock order, here and in settle: idempotency records, balances by company, transactions, insurances.
create function cell.reserve(
  items jsonb,
  at timestamptz,
  today date,
  week date,
  month date,
  ask_first_at timestamptz,
  expired timestamptz,
  stuck timestamptz
) returns table (n int, answer jsonb)
language plpgsql
security definer
set search_path = cell, pg_temp
-- The values differ and the work does not: to plan it again for each call would take as long as to do it.
set plan_cache_mode = force_generic_plan
-- A plan made while the tables were small must serve when they are large: look up by key, never scan. To a planner that
-- was told of an empty table, reading all of it by an index is as good as looking one row up; so each row is looked up for
-- itself (offset 0 keeps it so), and changed by its place, which is safe for it is locked, or this transaction's own.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  intents intent[];
  claimed bigint[];
  locked bigint[];
  accepted bigint[] := '{}';
  refused bigint[] := '{}';
  candidate record;
  account record;
  left_over bigint;
  spent bigint;
  bills jsonb;
  insured bigint[] := '{}';
  -- A period has all of its days in it: another server, or a group that comes while this one waits over midnight, may
  -- already have sold tomorrow.
  next_week date := week + 7;
  next_month date := (month + interval '1 month')::date;
  paid_by bigint;
  any_insured boolean;
  late bigint[] := '{}';
  grown bigint[];
begin
  -- The argument is unpacked once; everything below works on the array.
  select array_agg(
    row(
      i.n, i.company_id, nextval('transaction_id'), i.key, i.owner, decode(i.fingerprint, 'hex'), i.xid, i.environment,
      i.service_id, i.service_name, i.service_type, i.identifier, i.amount, i.terminal_id, i.option_id, i.bill_id,
      i.insurance_id, i.product, i.option_reference, i.reversible
    )::intent
    order by i.company_id, i.key, i.n
  ),
  bool_or(i.insurance_id is not null)
  into intents, any_insured
  from jsonb_to_recordset(items) as i(
    n int, company_id bigint, key text, owner uuid, fingerprint text, xid text, environment text, service_id bigint,
    service_name text, service_type text, identifier text, amount bigint, terminal_id text, option_id text,
    bill_id text, insurance_id bigint, product text, option_reference text, reversible boolean
  );

  -- The unique index decides who has the key. Keys are claimed in order, so that two groups cannot wait for each other;
  -- a group that meets a key of another waits here until that one has committed.
  with claim as (
    insert into idempotency (company_id, key, owner, fingerprint, transaction_id, claimed_at)
    select i.company_id, i.key, i.owner, i.fingerprint, i.transaction_id, at
    from unnest(intents) as i
    order by i.company_id, i.key, i.n
    on conflict do nothing
    returning transaction_id
  )
  select coalesce(array_agg(transaction_id), '{}') into claimed from claim;

  -- The lock that serializes a company's money. What it guards is read in a later statement: at READ COMMITTED a
  -- statement that waited for a row lock still sees the other rows as they were before the wait. A company whose first
  -- deposit commits right after this is judged as it was locked: with nothing.
  select coalesce(array_agg(l.company_id), '{}')
  into locked
  from (
    select b.company_id
    from balance as b
    where b.company_id in (select i.company_id from unnest(intents) as i where i.transaction_id = any (claimed))
    order by b.company_id
    for update
  ) as l;

  -- The steps of an insurance take its row alone, so whoever has the balance may wait for it.
  if any_insured then
    perform 1
    from (
      select i.company_id, i.insurance_id
      from unnest(intents) as i
      where i.insurance_id is not null and i.transaction_id = any (claimed)
      order by i.company_id, i.insurance_id
    ) as i
    cross join lateral (
      select g.id from insurance as g where g.company_id = i.company_id and g.id = i.insurance_id for update
    ) as g;
  end if;

  for candidate in
    select
      i.n,
      i.company_id,
      i.transaction_id,
      i.amount,
      i.bill_id,
      i.insurance_id,
      i.leads,
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
      coalesce(b.available, 0) as available,
      coalesce(b.listed_to, 0) as listed_to,
      coalesce(b.limit_daily, 5000000) as limit_daily,
      coalesce(b.limit_weekly, 25000000) as limit_weekly,
      coalesce(b.limit_monthly, 100000000) as limit_monthly,
      coalesce(c.daily, 0) as daily,
      coalesce(c.weekly, 0) as weekly,
      coalesce(c.monthly, 0) as monthly
    from (
      -- What there is of a company is looked up with the first of its members.
      select i.*, i.company_id is distinct from lag(i.company_id) over (order by i.company_id, i.n) as leads
      from unnest(intents) as i
      where i.transaction_id = any (claimed)
    ) as i
    left join lateral (
      select b.available, b.listed_to, b.limit_daily, b.limit_weekly, b.limit_monthly
      from balance as b
      where i.leads and b.company_id = i.company_id and b.company_id = any (locked)
      offset 0
    ) as b on true
    left join lateral (
      select
        sum(c.total) filter (where c.day = today)::bigint as daily,
        sum(c.total) filter (where c.day >= week and c.day < next_week)::bigint as weekly,
        sum(c.total) filter (where c.day >= month and c.day < next_month)::bigint as monthly
      from consumption as c
      where i.leads
        and c.company_id = i.company_id
        and c.company_id = any (locked)
        and c.day >= least(week, month)
        and c.day < greatest(next_week, next_month)
      offset 0
    ) as c on true
    order by i.company_id, i.n
  loop
    -- Members of one company are judged one after the other: what the first takes, the second no longer has.
    if candidate.leads then
      account := candidate;
      left_over := candidate.available;
      spent := 0;
      bills := '{}';
    end if;
    paid_by := coalesce(candidate.paid_by, (bills ->> candidate.bill_id)::bigint);
    n := candidate.n;
    answer := case
      when paid_by is not null then jsonb_build_object('tag', 'Duplicate', 'transaction_id', paid_by)
      -- Whoever is told so reads the insurance again, which says why.
      when not candidate.quoted or candidate.insurance_id = any (insured) then jsonb_build_object('tag', 'QuoteChanged')
      when account.limit_daily > 0 and account.daily + spent + candidate.amount > account.limit_daily then
        jsonb_build_object(
          'tag', 'LimitExceeded', 'period', 'diario', 'limit', account.limit_daily, 'consumption', account.daily + spent
        )
      when account.limit_weekly > 0 and account.weekly + spent + candidate.amount > account.limit_weekly then
        jsonb_build_object(
          'tag', 'LimitExceeded', 'period', 'semanal', 'limit', account.limit_weekly, 'consumption', account.weekly + spent
        )
      when account.limit_monthly > 0 and account.monthly + spent + candidate.amount > account.limit_monthly then
        jsonb_build_object(
          'tag', 'LimitExceeded', 'period', 'mensual', 'limit', account.limit_monthly, 'consumption', account.monthly + spent
        )
      when left_over < candidate.amount then jsonb_build_object('tag', 'InsufficientBalance', 'available', left_over)
      else jsonb_build_object('tag', 'Reserved', 'transaction_id', candidate.transaction_id, 'created_at', at)
    end;
    return next;
    if answer ->> 'tag' = 'Reserved' then
      left_over := left_over - candidate.amount;
      spent := spent + candidate.amount;
      accepted := accepted || candidate.transaction_id;
      if candidate.transaction_id <= account.listed_to then
        late := late || candidate.transaction_id;
      end if;
      if candidate.bill_id is not null then
        bills := bills || jsonb_build_object(candidate.bill_id, candidate.transaction_id);
      end if;
      if candidate.insurance_id is not null then
        insured := insured || candidate.insurance_id;
      end if;
    else
      refused := refused || candidate.transaction_id;
    end if;
  end loop;

  if cardinality(refused) > 0 then
    delete from idempotency as r
    using unnest(intents) as i
    cross join lateral (
      select r.ctid as place from idempotency as r where r.company_id = i.company_id and r.key = i.key offset 0
    ) as k
    where i.transaction_id = any (refused) and r.ctid = k.place;
  end if;

  if cardinality(accepted) > 0 then
    with moved as (
      update balance as b
      set available = b.available - sold.amount,
        held = b.held + sold.amount,
        sales = b.sales + sold.members,
        updated_at = at
      from (
        select i.company_id, sum(i.amount)::bigint as amount, count(*) as members
        from unnest(intents) as i
        where i.transaction_id = any (accepted)
        group by i.company_id
      ) as sold
      where b.company_id = sold.company_id
      returning b.company_id, b.sales - b.sales_listed as unlisted
    )
    select array_agg(m.company_id) filter (where m.unlisted >= block_length()) into grown from moved as m;

    insert into consumption as c (company_id, day, total)
    select i.company_id, today, sum(i.amount)::bigint
    from unnest(intents) as i
    where i.transaction_id = any (accepted)
    group by i.company_id
    order by i.company_id
    on conflict (company_id, day) do update set total = c.total + excluded.total;

    insert into transaction (
      company_id, id, xid, idempotency_key, status, environment, service_id, service_name, service_type, identifier,
      amount, terminal_id, option_id, bill_id, insurance_id, product, option_reference, reversible, day, created_at,
      ask_at
    )
    select
      i.company_id, i.transaction_id, i.xid, i.key, 'PROCESSING', i.environment, i.service_id, i.service_name,
      i.service_type, i.identifier, i.amount, i.terminal_id, i.option_id, i.bill_id, i.insurance_id, i.product,
      i.option_reference, i.reversible, today, at, ask_first_at
    from unnest(intents) as i
    where i.transaction_id = any (accepted);
  end if;

  if cardinality(insured) > 0 then
    update insurance as g
    set state = 'cobrando', transaction_id = i.transaction_id
    from unnest(intents) as i
    where i.transaction_id = any (accepted)
      and g.company_id = i.company_id
      and g.id = i.insurance_id;
  end if;

  -- For the lists: block.sql.
  if cardinality(late) > 0 then
    perform join_blocks(array_agg(row(i.company_id, i.transaction_id, null, 'PROCESSING')::change))
    from unnest(intents) as i
    where i.transaction_id = any (late);
  end if;
  if grown is not null then
    perform make_blocks('sale', grown);
  end if;

  if cardinality(claimed) = cardinality(intents) then
    return;
  end if;

  -- The others hear what their key stands for now. A key that is gone, because another freed it or because the sale of
  -- this group that held it was refused, is to be tried again.
  return query
  select
    i.n,
    case
      when r.key is null then jsonb_build_object('tag', 'Vanished')
      when r.owner = i.owner then
        jsonb_build_object('tag', 'Reserved', 'transaction_id', t.id, 'created_at', t.created_at)
      when r.settled_at < expired then
        jsonb_build_object('tag', 'Conflict', 'transaction_id', t.id, 'status', t.status)
      when r.fingerprint <> i.fingerprint then jsonb_build_object('tag', 'KeyReused')
      when r.completed_at is not null then jsonb_build_object('tag', 'Replay', 'outcome', r.outcome)
      when r.claimed_at < stuck then
        jsonb_build_object('tag', 'Conflict', 'transaction_id', t.id, 'status', t.status)
      else jsonb_build_object('tag', 'InProgress', 'transaction_id', r.transaction_id)
    end
  from unnest(intents) as i
  left join lateral (
    select * from idempotency as r where r.company_id = i.company_id and r.key = i.key offset 0
  ) as r on true
  left join lateral (
    select t.id, t.created_at, t.status
    from transaction as t
    where t.company_id = r.company_id and t.id = r.transaction_id
    offset 0
  ) as t on true
  where i.transaction_id <> all (claimed);
end;
$$;

-- It runs as its owner, so whoever calls it has to be told that he may.
revoke all on function cell.reserve from public;
