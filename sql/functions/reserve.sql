drop function if exists cell.reserve;
drop function if exists cell.refusal;
drop function if exists cell.all_written;
drop type if exists cell.account;
drop type if exists cell.share;
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

-- A company's part in a group: its balance as it is locked, and what the members ask for that may be sold.
create type cell.share as (
  company_id bigint,
  -- Where the balance is. The row is locked, so it stays there until this transaction changes it.
  place tid,
  available bigint,
  limit_daily bigint,
  limit_weekly bigint,
  limit_monthly bigint,
  -- The last of its sales that is in a block, and how many are in none.
  listed_to bigint,
  unlisted bigint,
  amount bigint,
  members bigint,
  first_id bigint,
  -- Does nobody buy what can be bought once?
  plain boolean
);

-- What a company may spend, and has spent.
create type cell.account as (
  company_id bigint,
  available bigint,
  limit_daily bigint,
  limit_weekly bigint,
  limit_monthly bigint,
  daily bigint,
  weekly bigint,
  monthly bigint
);

-- Why a company may not spend so much, on top of what it has just spent: the period whose limit it would exceed, or
-- `saldo`; null if it may. Whoever may spend an amount may spend it in any parts, in any order.
create function cell.refusal(account cell.account, spent bigint, amount bigint)
returns text
language sql
immutable
as $$
  select case
    when account.limit_daily > 0 and account.daily + spent + amount > account.limit_daily then 'diario'
    when account.limit_weekly > 0 and account.weekly + spent + amount > account.limit_weekly then 'semanal'
    when account.limit_monthly > 0 and account.monthly + spent + amount > account.limit_monthly then 'mensual'
    when account.available < spent + amount then 'saldo'
  end
$$;

-- Are all rows that were locked written to? It cannot be otherwise; and if it could, money would move for nothing.
create function cell.all_written(written bigint, locked bigint) returns boolean language plpgsql immutable as $$
begin
  if written is distinct from locked then
    raise exception 'of % rows that were locked, % were written to', locked, written;
  end if;
  return true;
end;
$$;

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
  -- The members that have claimed their key, and of these later the ones that are sold.
  taken intent[];
  shares share[];
  any_insured boolean;
  any_late boolean;
  any_grown boolean;
  -- The companies whose members are judged one by one.
  accounts account[];
  candidate record;
  company bigint;
  spent bigint;
  bills jsonb;
  insured bigint[] := '{}';
  refused bigint[] := '{}';
  paid_by bigint;
  reason text;
  -- A period has all of its days in it: another server, or a group that comes while this one waits over midnight, may
  -- already have sold tomorrow.
  next_week date := week + 7;
  next_month date := (month + interval '1 month')::date;
begin
  -- The argument is unpacked once; everything below works on the array.
  --
  -- The unique index decides who has the key. Keys are claimed in order, so that two groups cannot wait for each other;
  -- a group that meets a key of another waits here until that one has committed.
  with asked as materialized (
    select
      i.n, i.company_id, nextval('transaction_id') as transaction_id, i.key, i.owner,
      decode(i.fingerprint, 'hex') as fingerprint, i.xid, i.environment, i.service_id, i.service_name, i.service_type,
      i.identifier, i.amount, i.terminal_id, i.option_id, i.bill_id, i.insurance_id, i.product, i.option_reference,
      i.reversible
    from jsonb_to_recordset(items) as i(
      n int, company_id bigint, key text, owner uuid, fingerprint text, xid text, environment text, service_id bigint,
      service_name text, service_type text, identifier text, amount bigint, terminal_id text, option_id text,
      bill_id text, insurance_id bigint, product text, option_reference text, reversible boolean
    )
  ),
  claim as (
    insert into idempotency (company_id, key, owner, fingerprint, transaction_id, claimed_at)
    select a.company_id, a.key, a.owner, a.fingerprint, a.transaction_id, at
    from asked as a
    order by a.company_id, a.key, a.n
    on conflict do nothing
    returning transaction_id
  )
  select
    array_agg(row(a.*)::intent),
    bool_or(a.insurance_id is not null),
    coalesce((select array_agg(c.transaction_id) from claim as c), '{}')
  into intents, any_insured, claimed
  from asked as a;

  taken := intents;
  if cardinality(claimed) < cardinality(intents) then
    taken := array(select i from unnest(intents) as i where i.transaction_id = any (claimed));
  end if;

  -- The lock that serializes a company's money. The row that it locks is read as it is once it is locked. What it
  -- guards beside that is read in a later statement: at READ COMMITTED a statement that waited for a row lock still
  -- sees the other rows as they were before the wait. A company whose first deposit commits right after this is judged
  -- as it was locked: with nothing.
  select
    array_agg(
      row(
        i.company_id, b.place, coalesce(b.available, 0), coalesce(b.limit_daily, 5000000),
        coalesce(b.limit_weekly, 25000000), coalesce(b.limit_monthly, 100000000), coalesce(b.listed_to, 0),
        coalesce(b.unlisted, 0), i.amount, i.members, i.first_id, i.plain
      )::share
      order by i.company_id
    )
  into shares
  from (
    select
      i.company_id,
      sum(i.amount)::bigint as amount,
      count(*) as members,
      min(i.transaction_id) as first_id,
      bool_and(i.bill_id is null and i.insurance_id is null) as plain
    from unnest(taken) as i
    group by i.company_id
    order by i.company_id
  ) as i
  left join lateral (
    select
      b.ctid as place, b.available, b.limit_daily, b.limit_weekly, b.limit_monthly, b.listed_to,
      b.sales - b.sales_listed as unlisted
    from balance as b
    where b.company_id = i.company_id
    for update
  ) as b on true;

  -- The steps of an insurance take its row alone, so whoever has the balance may wait for it.
  if any_insured then
    perform 1
    from (
      select i.company_id, i.insurance_id
      from unnest(taken) as i
      where i.insurance_id is not null
      order by i.company_id, i.insurance_id
    ) as i
    cross join lateral (
      select g.id from insurance as g where g.company_id = i.company_id and g.id = i.insurance_id for update
    ) as g;
  end if;

  -- A company that may spend what its members ask for together may spend it on each of them, and so they are sold
  -- without a further look, unless one of them buys what can be bought once. Hardly any company is left for the loop
  -- below.
  select
    array_agg(a.account) filter (where not a.plain or refusal(a.account, 0, a.amount) is not null),
    bool_or(a.first_id <= a.listed_to),
    bool_or(a.unlisted + a.members >= block_length())
  into accounts, any_late, any_grown
  from (
    select
      s.plain, s.amount, s.members, s.first_id, s.listed_to, s.unlisted,
      row(
        s.company_id, s.available, s.limit_daily, s.limit_weekly, s.limit_monthly, coalesce(c.daily, 0),
        coalesce(c.weekly, 0), coalesce(c.monthly, 0)
      )::account as account
    from unnest(shares) as s
    left join lateral (
      select
        sum(c.total) filter (where c.day = today)::bigint as daily,
        sum(c.total) filter (where c.day >= week and c.day < next_week)::bigint as weekly,
        sum(c.total) filter (where c.day >= month and c.day < next_month)::bigint as monthly
      from consumption as c
      where c.company_id = s.company_id
        and s.place is not null
        and c.day >= least(week, month)
        and c.day < greatest(next_week, next_month)
      offset 0
    ) as c on true
  ) as a;

  if accounts is not null then
    for candidate in
      select
        i.n,
        i.company_id,
        i.transaction_id,
        i.amount,
        i.bill_id,
        i.insurance_id,
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
        a as account
      from unnest(taken) as i
      join unnest(accounts) as a on a.company_id = i.company_id
      order by i.company_id, i.n
    loop
      -- Members of one company are judged one after the other: what the first takes, the second no longer has.
      if candidate.company_id is distinct from company then
        company := candidate.company_id;
        spent := 0;
        bills := '{}';
      end if;
      paid_by := coalesce(candidate.paid_by, (bills ->> candidate.bill_id)::bigint);
      reason := refusal(candidate.account, spent, candidate.amount);
      n := candidate.n;
      answer := case
        when paid_by is not null then jsonb_build_object('tag', 'Duplicate', 'transaction_id', paid_by)
        -- Whoever is told so reads the insurance again, which says why.
        when not candidate.quoted or candidate.insurance_id = any (insured) then
          jsonb_build_object('tag', 'QuoteChanged')
        when reason = 'saldo' then
          jsonb_build_object('tag', 'InsufficientBalance', 'available', (candidate.account).available - spent)
        when reason is not null then jsonb_build_object(
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
        return next;
        refused := refused || candidate.transaction_id;
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
  end if;

  if cardinality(refused) > 0 then
    delete from idempotency as r
    using unnest(taken) as i
    cross join lateral (
      select r.ctid as place from idempotency as r where r.company_id = i.company_id and r.key = i.key offset 0
    ) as k
    where i.transaction_id = any (refused) and r.ctid = k.place;
    taken := array(select i from unnest(taken) as i where i.transaction_id <> all (refused));
    shares := array(
      select
        row(
          s.company_id, s.place, s.available, s.limit_daily, s.limit_weekly, s.limit_monthly, s.listed_to, s.unlisted,
          i.amount, i.members, i.first_id, s.plain
        )::share
      from unnest(shares) as s
      join (
        select i.company_id, sum(i.amount)::bigint as amount, count(*) as members, min(i.transaction_id) as first_id
        from unnest(taken) as i
        group by i.company_id
      ) as i on i.company_id = s.company_id
      order by s.company_id
    );
  end if;

  if cardinality(taken) > 0 then
    return query
    with sold as (
      insert into transaction (
        company_id, id, xid, idempotency_key, status, environment, service_id, service_name, service_type, identifier,
        amount, terminal_id, option_id, bill_id, insurance_id, product, option_reference, reversible, day, created_at,
        ask_at
      )
      select
        i.company_id, i.transaction_id, i.xid, i.key, 'PROCESSING', i.environment, i.service_id, i.service_name,
        i.service_type, i.identifier, i.amount, i.terminal_id, i.option_id, i.bill_id, i.insurance_id, i.product,
        i.option_reference, i.reversible, today, at, ask_first_at
      from unnest(taken) as i
    ),
    consumed as (
      insert into consumption as c (company_id, day, total)
      select s.company_id, today, s.amount
      from unnest(shares) as s
      on conflict (company_id, day) do update set total = c.total + excluded.total
    ),
    moved as (
      update balance as b
      set available = b.available - s.amount,
        held = b.held + s.amount,
        sales = b.sales + s.members,
        updated_at = at
      from unnest(shares) as s
      where b.ctid = s.place
      returning b.company_id
    )
    select i.n, jsonb_build_object('tag', 'Reserved', 'transaction_id', i.transaction_id, 'created_at', at)
    from unnest(taken) as i
    where all_written((select count(*) from moved), cardinality(shares));
  end if;

  if cardinality(insured) > 0 then
    update insurance as g
    set state = 'cobrando', transaction_id = i.transaction_id
    from unnest(taken) as i
    where g.company_id = i.company_id and g.id = i.insurance_id;
  end if;

  -- For the lists: block.sql.
  if any_late then
    perform join_blocks(array_agg(row(i.company_id, i.transaction_id, null, 'PROCESSING')::change))
    from unnest(taken) as i
    join unnest(shares) as s on s.company_id = i.company_id
    where i.transaction_id <= s.listed_to
    having count(*) > 0;
  end if;
  if any_grown then
    perform make_blocks(
      'sale',
      array(select s.company_id from unnest(shares) as s where s.unlisted + s.members >= block_length())
    );
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
revoke all on function cell.reserve, cell.refusal, cell.all_written from public;
