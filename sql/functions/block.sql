-- Blocks: how long lists are counted and paged without reading them.
--
-- The sales of a company, and its ledger entries, are divided into blocks of about 1,000 rows in order of id. A block
-- knows how many of its rows have each status. The first row of a page is in the block where the count from the newest
-- block reaches it. The length of a list stands in the balance; how many rows have a status is a sum over the blocks.
-- Rows newer than the last block are counted one by one.
--
-- The callers of these functions hold the balances of the companies, so no call waits for a block.
--
-- In each update the list is a column of what the blocks are joined with, not a constant: with a constant, a planner
-- without statistics of a new table reads the blocks of every company.

drop function if exists cell.list_anew;
drop function if exists cell.make_blocks;
drop function if exists cell.join_blocks;
drop function if exists cell.recount_blocks;
drop function if exists cell.block_length;
drop function if exists cell.status_change;
drop type if exists cell.status_change;

-- Number of rows in a new block.
create function cell.block_length() returns int language sql immutable as 'select 1000';

-- A sale that was made (old_status is null) or changed its status.
create type cell.status_change as (
  company_id bigint,
  transaction_id bigint,
  old_status text,
  new_status text
);

-- Builds a status change by the names of its fields. The planner inlines it, so it costs nothing.
create function cell.status_change(company_id bigint, transaction_id bigint, old_status text, new_status text)
returns cell.status_change
language sql
immutable
return row(company_id, transaction_id, old_status, new_status)::cell.status_change;

-- Makes blocks of the rows beyond the last block of each company. Rows that do not fill a block stay outside.
create function cell.make_blocks(list_ text, companies bigint[]) returns void
language plpgsql
set search_path = cell, pg_temp
-- Plans: see reserve.sql.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
-- The planner cannot know where the last block ends, overestimates the rows, and would compile the statement.
set jit = off
as $$
-- A name that is both a column and a variable means the column.
#variable_conflict use_column
begin
  with made as (
    insert into block (
      company_id, list, first_id, last_id, earliest, latest, members, pending, success, failed, reversed
    )
    select
      r.company_id,
      list_,
      min(r.id),
      max(r.id),
      min(r.created_at),
      max(r.created_at),
      count(*),
      count(*) filter (where r.status = 'PENDING'),
      count(*) filter (where r.status = 'SUCCESS'),
      count(*) filter (where r.status = 'FAILED'),
      count(*) filter (where r.status = 'REVERSED')
    from (
      select
        c.company_id,
        t.id,
        t.created_at,
        t.status,
        (row_number() over (partition by c.company_id order by t.id) - 1) / block_length() as part
      from unnest(companies) as c(company_id)
      cross join lateral (
        select coalesce(max(o.last_id), 0) as id
        from (
          select o.last_id
          from block as o
          where o.company_id = c.company_id and o.list = list_
          order by o.first_id desc
          limit 1
        ) as o
      ) as listed
      cross join lateral (
        select t.id, t.created_at, t.status
        from transaction as t
        where list_ = 'sale' and t.company_id = c.company_id and t.id > listed.id
        union all
        select e.id, e.created_at, null
        from entry as e
        where list_ = 'entry' and e.company_id = c.company_id and e.id > listed.id
      ) as t
    ) as r
    group by r.company_id, r.part
    having count(*) = block_length()
    returning company_id, last_id, members
  )
  update balance as b
  set sales_listed = b.sales_listed + case list_ when 'sale' then m.members else 0 end,
    listed_to = case list_ when 'sale' then m.last_id else b.listed_to end,
    entries_listed = b.entries_listed + case list_ when 'entry' then m.members else 0 end
  from (select company_id, max(last_id) as last_id, sum(members) as members from made group by company_id) as m
  where b.company_id = m.company_id;
end;
$$;

-- Counts late sales in existing blocks. A sale is late if its id is below the end of the last block: the id was drawn
-- before its group waited for a key. The sale joins the block before it, or the first block if none is before it.
create function cell.join_blocks(late cell.status_change[]) returns void
language plpgsql
set search_path = cell, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
-- A name that is both a column and a variable means the column.
#variable_conflict use_column
begin
  update block as b
  set first_id = least(b.first_id, l.lowest),
    last_id = greatest(b.last_id, l.highest),
    earliest = least(b.earliest, l.earliest),
    latest = greatest(b.latest, l.latest),
    members = b.members + l.members
  from (
    select
      n.company_id,
      h.list,
      h.first_id,
      min(n.transaction_id) as lowest,
      max(n.transaction_id) as highest,
      min(t.created_at) as earliest,
      max(t.created_at) as latest,
      count(*) as members
    from unnest(late) as n
    cross join lateral (
      select t.created_at from transaction as t where t.company_id = n.company_id and t.id = n.transaction_id offset 0
    ) as t
    cross join lateral (
      select e.list, e.first_id
      from (
        (
          select o.list, o.first_id
          from block as o
          where o.company_id = n.company_id and o.list = 'sale' and o.first_id <= n.transaction_id
          order by o.first_id desc
          limit 1
        )
        union all
        (
          select o.list, o.first_id
          from block as o
          where o.company_id = n.company_id and o.list = 'sale'
          order by o.first_id
          limit 1
        )
      ) as e
      order by e.first_id desc
      limit 1
    ) as h
    group by n.company_id, h.list, h.first_id
  ) as l
  where b.company_id = l.company_id
    and b.list = l.list
    and b.first_id = l.first_id;

  update balance as b
  set sales_listed = b.sales_listed + l.members
  from (select n.company_id, count(*) as members from unnest(late) as n group by n.company_id) as l
  where b.company_id = l.company_id;
end;
$$;

-- Counts sales under their new status in the blocks that they are in. Sales that are in no block are left out.
create function cell.recount_blocks(changes cell.status_change[]) returns void
language plpgsql
set search_path = cell, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
-- A name that is both a column and a variable means the column.
#variable_conflict use_column
begin
  update block as b
  set pending = b.pending + m.pending,
    success = b.success + m.success,
    failed = b.failed + m.failed,
    reversed = b.reversed + m.reversed
  from (
    select
      c.company_id,
      h.list,
      h.first_id,
      count(*) filter (where c.new_status = 'PENDING') - count(*) filter (where c.old_status = 'PENDING') as pending,
      count(*) filter (where c.new_status = 'SUCCESS') - count(*) filter (where c.old_status = 'SUCCESS') as success,
      count(*) filter (where c.new_status = 'FAILED') as failed,
      count(*) filter (where c.new_status = 'REVERSED') as reversed
    from unnest(changes) as c
    cross join lateral (
      select o.list, o.first_id, o.last_id
      from block as o
      where o.company_id = c.company_id and o.list = 'sale' and o.first_id <= c.transaction_id
      order by o.first_id desc
      limit 1
    ) as h
    where c.transaction_id <= h.last_id
      and c.old_status is distinct from c.new_status
    group by c.company_id, h.list, h.first_id
  ) as m
  where b.company_id = m.company_id
    and b.list = m.list
    and b.first_id = m.first_id;
end;
$$;

-- Makes the blocks and the lengths of companies anew from their rows: after an import that did not use the money
-- functions, or when the audit finds a wrong count. Moves no money. Only the owner of the schema may call it.
create function cell.list_anew(companies bigint[]) returns void
language plpgsql
set search_path = cell, pg_temp
as $$
-- A name that is both a column and a variable means the column.
#variable_conflict use_column
begin
  companies := array(select distinct c from unnest(companies) as c);

  -- Locks the balances, in the order of the company id.
  perform 1 from balance as b where b.company_id = any (companies) order by b.company_id for update;

  delete from block as o where o.company_id = any (companies);

  update balance as b
  set sales = (select count(*) from transaction as t where t.company_id = b.company_id),
    sales_listed = 0,
    listed_to = 0,
    entries = (select count(*) from entry as e where e.company_id = b.company_id),
    entries_listed = 0
  where b.company_id = any (companies);

  perform make_blocks('sale', companies), make_blocks('entry', companies);
end;
$$;

-- Only the money functions, which run as their owner, call these.
revoke all on function
  cell.make_blocks, cell.join_blocks, cell.recount_blocks, cell.block_length, cell.list_anew, cell.status_change
from public;
