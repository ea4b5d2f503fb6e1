-- Daily closings: the end of a day, its figures, and the sealed row.
--
-- A day is closed in three calls, each a transaction of its own. end_day locks the balance for an instant and moves
-- `open_from`. After that no sale, settlement or entry of the day can be written, so day_figures reads rows that no
-- longer change, without a lock. add_closing stores the sealed row. If a process dies between two calls, the next
-- process begins again at the first call.

drop function if exists end_day;
drop function if exists day_figures;
drop function if exists add_closing;
drop function if exists next_closing;
drop function if exists day_start;
drop function if exists local_day;
drop function if exists entry_line;

-- The instant at which a local day begins. core/domain/LocalTime.ts has the same rule.
create function day_start(day date) returns timestamptz
language sql
immutable
return (day + interval '4 hours') at time zone 'UTC';

-- The local day of an instant.
create function local_day(at timestamptz) returns date
language sql
immutable
return (at at time zone 'UTC' - interval '4 hours')::date;

-- An entry as a line of the text that a closing digests. core/domain/Closing.ts has the same rule.
create function entry_line(
  id bigint,
  type text,
  amount bigint,
  balance bigint,
  transaction_id bigint,
  reference text,
  created_at timestamptz
) returns text
language sql
immutable
return id::text || '|' || type || '|' || amount::text || '|' || balance::text || '|' || coalesce(transaction_id, 0)::text
  || '|' || encode(convert_to(coalesce(reference, ''), 'UTF8'), 'hex')
  || '|' || ((extract(epoch from (created_at at time zone 'UTC')) * 1000)::bigint)::text;

-- The first day of a company that is not closed: the day after its last closing, or the day of its earliest ledger
-- entry. Null if it has neither.
create function next_closing(company bigint) returns date
language sql
stable
set search_path from current
as $$
  select coalesce(
    (select c.day + 1 from closing as c where c.company_id = company order by c.day desc limit 1),
    (select local_day(min(e.created_at)) from entry as e where e.company_id = company)
  )
$$;

-- Ends a day of a company: from now on, the money functions give its sales, settlements and entries no time of this day
-- or earlier. Returns false, and changes nothing, if the day is not the first unclosed day, or if the company is closed.
create function end_day(company bigint, day_ date) returns boolean
language plpgsql
-- Runs as its owner, because the server's login may not write this column.
security definer
set search_path from current
as $$
begin
  if day_ is distinct from next_closing(company) then
    return false;
  end if;

  -- Locks the balance. The update waits for every writer that may still write a time of the day, and each later writer
  -- reads the new value.
  update balance as b
  set open_from = greatest(b.open_from, day_start(day_ + 1))
  where b.company_id = company and not b.closed;
  return found;
end;
$$;

-- Reads the figures of a day that end_day has ended, as core/domain/Closing.ts describes them (DayFigures). Returns
-- null if another process is reading the figures of this company.
--
-- Blocks of about 1,000 rows (block.sql) say which rows may belong to the day. Rows after the last block are read too.
create function day_figures(company bigint, day_ date) returns jsonb
language plpgsql
-- Runs as its owner, because the planner would otherwise apply the row-level policies to every row.
security definer
set search_path from current
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  since timestamptz;
  until timestamptz := day_start(day_ + 1);
  carried bigint[];
  entries jsonb;
  sales jsonb;
  last_id_ bigint;
  ledger bigint;
begin
  -- Keeps two servers from reading the same million rows. It protects nothing else, so it is not waited for.
  -- adapters/postgres/connection/Sql.ts has the numbers of all such locks.
  if not pg_try_advisory_xact_lock(7249017, hashint8(company)) then
    return null;
  end if;

  -- The sales that were unresolved at the end of the day before. The first closing also has the sales before its day.
  select
    day_start(c.day + 1),
    array(select p.id::bigint from jsonb_array_elements_text(c.content::jsonb -> 'pending') as p(id)),
    (c.content::jsonb ->> 'lastEntryId')::bigint
  into since, carried, last_id_
  from closing as c
  where c.company_id = company and c.day = day_ - 1;
  since := coalesce(since, '-infinity');

  with place as (
    select o.first_id, o.last_id
    from block as o
    where o.company_id = company and o.list = 'entry' and o.latest >= since and o.earliest < until
    union all
    select coalesce(max(o.last_id), 0) + 1, 9007199254740991
    from block as o
    where o.company_id = company and o.list = 'entry'
  ),
  chunk as materialized (
    select
      e.id / 1000 as chunk,
      max(e.id) as last_id,
      count(*) filter (where e.type = 'deposit') as deposits_n,
      sum(e.amount) filter (where e.type = 'deposit') as deposits,
      count(*) filter (where e.type = 'sale') as sales_n,
      sum(-e.amount) filter (where e.type = 'sale') as sales,
      count(*) filter (where e.type = 'reversal') as reversals_n,
      sum(e.amount) filter (where e.type = 'reversal') as reversals,
      count(*) filter (where e.type = 'adjustment') as adjustments_n,
      sum(e.amount) filter (where e.type = 'adjustment') as adjustments,
      array_agg(e.transaction_id order by e.id) filter (where e.type = 'reversal') as reversed,
      encode(
        sha256(
          convert_to(
            string_agg(
              entry_line(e.id, e.type, e.amount, e.balance, e.transaction_id, e.reference, e.created_at),
              E'\n'
              order by e.id
            ),
            'UTF8'
          )
        ),
        'hex'
      ) as digest
    from place as p
    cross join lateral (
      select e.id, e.type, e.amount, e.balance, e.transaction_id, e.reference, e.created_at
      from entry as e
      where e.company_id = company
        and e.id between p.first_id and p.last_id
        and e.created_at >= since
        and e.created_at < until
      offset 0
    ) as e
    group by e.id / 1000
  ),
  reversed as materialized (
    select t.id, t.service_id, t.service_name, t.amount, t.processed_at
    from chunk as c
    cross join lateral unnest(c.reversed) as r(id)
    cross join lateral (
      select t.id, t.service_id, t.service_name, t.amount, t.processed_at
      from transaction as t
      where t.company_id = company and t.id = r.id
      offset 0
    ) as t
  )
  select
    jsonb_build_object(
      'deposits', jsonb_build_object('count', coalesce(sum(c.deposits_n), 0), 'amount', coalesce(sum(c.deposits), 0)),
      'sales', jsonb_build_object('count', coalesce(sum(c.sales_n), 0), 'amount', coalesce(sum(c.sales), 0)),
      'reversals', jsonb_build_object('count', coalesce(sum(c.reversals_n), 0), 'amount', coalesce(sum(c.reversals), 0)),
      'adjustments', jsonb_build_object(
        'count', coalesce(sum(c.adjustments_n), 0), 'amount', coalesce(sum(c.adjustments), 0)
      ),
      'lastEntryId', greatest(max(c.last_id), last_id_),
      'entriesDigest', encode(sha256(convert_to(coalesce(string_agg(c.digest, '' order by c.chunk), ''), 'UTF8')), 'hex'),
      'reversedByService', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'serviceId', s.service_id, 'name', s.name, 'status', 'REVERSED', 'count', s.sales, 'amount', s.amount
            )
          ),
          '[]'
        )
        from (
          select r.service_id, max(r.service_name) as name, count(*) as sales, sum(r.amount) as amount
          from reversed as r
          group by r.service_id
        ) as s
      ),
      'earlierReversals', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'transactionId', r.id,
              'day', to_char(local_day(r.processed_at), 'FMYYYY-MM-DD'),
              'amount', r.amount
            )
            order by r.id
          ),
          '[]'
        )
        from reversed as r
        where r.processed_at < since
      )
    )
  into entries
  from chunk as c;

  -- The ledger's own running balance at the end of the day: the balance of the last entry up to then, without the
  -- entries before it that belong to later days. Around midnight, servers may write in another order than their times.
  last_id_ := (entries ->> 'lastEntryId')::bigint;
  select e.balance - coalesce(sum(o.amount), 0)
  into ledger
  from entry as e
  left join (
    select r.amount
    from (
      select o.first_id, o.last_id
      from block as o
      where o.company_id = company and o.list = 'entry' and o.latest >= until and o.first_id < last_id_
      union all
      select coalesce(max(o.last_id), 0) + 1, last_id_
      from block as o
      where o.company_id = company and o.list = 'entry'
    ) as p
    cross join lateral (
      select r.amount
      from entry as r
      where r.company_id = company
        and r.id between p.first_id and least(p.last_id, last_id_)
        and r.created_at >= until
      offset 0
    ) as r
  ) as o on true
  where e.company_id = company and e.id = last_id_
  group by e.balance;

  -- The sales of the day, and the sales that were carried into it. A sale counts by its status at the end of the day. A
  -- later reversal does not change that. If the settlement has an earlier time than its sale, because two clocks differ,
  -- the sale belongs to the day of the settlement. Its block begins with the time of the settlement (block.sql).
  with place as (
    select o.first_id, o.last_id
    from block as o
    where o.company_id = company
      and o.list = 'sale'
      and o.latest >= since
      and o.earliest < until
    union all
    select coalesce(max(o.last_id), 0) + 1, 9007199254740991
    from block as o
    where o.company_id = company and o.list = 'sale'
  ),
  grouped as materialized (
    select
      t.service_id,
      max(t.service_name) as name,
      case
        when t.processed_at is null or t.processed_at >= until then 'PENDING'
        when t.status = 'FAILED' then 'FAILED'
        else 'SUCCESS'
      end as status,
      count(*) as sales,
      sum(t.amount) as amount,
      count(*) filter (where t.is_carried) as carried_n,
      coalesce(sum(t.amount) filter (where t.is_carried), 0) as carried,
      array_agg(t.id) filter (where t.processed_at is null or t.processed_at >= until) as pending
    from (
      select t.id, t.service_id, t.service_name, t.amount, t.status, t.processed_at, false as is_carried
      from place as p
      cross join lateral (
        select t.id, t.service_id, t.service_name, t.amount, t.status, t.processed_at
        from transaction as t
        where t.company_id = company
          and t.id between p.first_id and p.last_id
          and least(t.created_at, t.processed_at) >= since
          and least(t.created_at, t.processed_at) < until
        offset 0
      ) as t
      union all
      select t.id, t.service_id, t.service_name, t.amount, t.status, t.processed_at, true
      from unnest(carried) as c(id)
      cross join lateral (
        select t.id, t.service_id, t.service_name, t.amount, t.status, t.processed_at
        from transaction as t
        where t.company_id = company and t.id = c.id
        offset 0
      ) as t
    ) as t
    group by t.service_id, 3
  )
  select
    jsonb_build_object(
      'services', coalesce(
        jsonb_agg(
          jsonb_build_object(
            'serviceId', g.service_id, 'name', g.name, 'status', g.status, 'count', g.sales, 'amount', g.amount
          )
        ),
        '[]'
      ),
      'carried', jsonb_build_object('count', coalesce(sum(g.carried_n), 0), 'amount', coalesce(sum(g.carried), 0)),
      'pending', (
        select coalesce(jsonb_agg(p.id order by p.id), '[]')
        from grouped as g
        cross join lateral unnest(g.pending) as p(id)
      )
    )
  into sales
  from grouped as g;

  return entries
    || sales
    || jsonb_build_object(
      'ledger', ledger,
      'services', (sales -> 'services') || (entries -> 'reversedByService')
    );
end;
$$;

-- Stores the closing of a day. Returns false, and stores nothing, if the day is closed already, or if the company is
-- closed or has moved to another cell. Fails unless the day has ended, all earlier days are closed, and the content continues the closing of the day
-- before.
create function add_closing(company bigint, day_ date, content_ text) returns boolean
language plpgsql
-- Runs as its owner, because the server's login may not write closings.
security definer
set search_path from current
as $$
#variable_conflict use_column
declare
  before closing;
begin
  -- The share lock keeps the company open until the closing is stored.
  perform 1 from balance as b where b.company_id = company for share;
  if exists (select from balance as b where b.company_id = company and b.closed) or has_departed(company) then
    return false;
  end if;

  select c.* into before from closing as c where c.company_id = company order by c.day desc limit 1;
  if before.day >= day_ then
    return false;
  end if;

  if
    day_ is distinct from next_closing(company)
    or not exists (select from balance as b where b.company_id = company and b.open_from >= day_start(day_ + 1))
    or content_::jsonb ->> 'previousSeal' is distinct from encode(before.seal, 'hex')
    or (content_::jsonb ->> 'opening')::bigint <> coalesce((before.content::jsonb ->> 'closing')::bigint, 0)
  then
    raise exception 'the closing of company % for % does not continue the day before', company, day_
      using errcode = 'check_violation', constraint = 'closing_chain';
  end if;

  insert into closing (company_id, day, content, seal)
  values (company, day_, content_, sha256(convert_to(content_, 'UTF8')))
  on conflict do nothing;
  return found;
end;
$$;

-- roles.sql grants what a login may call.
revoke all on function end_day, day_figures, add_closing, next_closing, day_start,
local_day, entry_line
from public;
