-- Blocks: with them, long lists are counted and paged without reading every row.
--
-- The sales of a company are divided into blocks of about 1,000 rows in the order of their ids. The ledger entries are
-- divided in the same way. A block stores how many of its rows have each status. The number of rows with a status is
-- the sum over the blocks. The total length of a list is stored in the balance row. Rows newer than the last block are
-- counted one by one.
--
-- To find a page, the row counts of the blocks are added up from the newest block. The first row of the page is in the
-- block where the sum reaches its position.
--
-- A sublist consists of the sales of one service, of one terminal, or of one service at one terminal. Its sales in a
-- block form a block of the sublist. The service and terminal of a sale never change, so only a change of its status
-- changes counts.
--
-- Every caller of these functions has locked the balances of the companies, so no call waits for a block.
--
-- Each update takes the list name from a column of the joined rows, not from a constant. With a constant, a planner
-- without statistics of a new table reads the blocks of every company.

drop function if exists list_anew;
drop function if exists make_blocks;
drop function if exists join_blocks;
drop function if exists recount_blocks;
drop function if exists join_sublist_blocks;
drop function if exists recount_sublist_blocks;
drop function if exists tail_length;
drop function if exists block_length;
drop function if exists status_change;
drop type if exists status_change;

-- Number of rows in a new block.
create function block_length() returns int language sql immutable as 'select 1000';

-- Number of a company's newest sales that stay outside its blocks when a block is created. Most sales that are not
-- settled yet are among them. Each sale that is settled in a block changes the block, and the blocks of its sublists.
create function tail_length() returns int language sql immutable as 'select block_length() / 2';

-- A new sale (old_status is null), or a sale with its status before and after a change, and the time of its settlement.
create type status_change as (
  company_id bigint,
  transaction_id bigint,
  old_status text,
  new_status text,
  settled_at timestamptz
);

-- Builds a status change with named arguments. The planner inlines the function, so it takes no time.
create function status_change(
  company_id bigint,
  transaction_id bigint,
  old_status text,
  new_status text,
  settled_at timestamptz default null
)
returns status_change
language sql
immutable
return row(company_id, transaction_id, old_status, new_status, settled_at)::status_change;

-- Creates blocks from the rows that come after the last block of each company, and divides blocks of sales into blocks
-- of their sublists. Rows that do not fill a block stay outside the blocks.
create function make_blocks(list_ text, companies bigint[]) returns void
language plpgsql
set search_path from current
-- reserve.sql explains these planner settings.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
-- Turns JIT compilation off. The planner cannot know where the last block ends, so it overestimates the number of rows
-- and would compile the statement.
set jit = off
as $$
-- If a name is both a column and a variable, it means the column.
#variable_conflict use_column
begin
  with grouped as materialized (
    select
      r.company_id,
      r.part,
      r.service_id,
      r.terminal_id,
      min(r.id) as first_id,
      max(r.id) as last_id,
      -- A sale is settled before its own time if the clock of the server that made it was ahead.
      min(least(r.created_at, r.processed_at)) as earliest,
      max(r.created_at) as latest,
      count(*) as members,
      count(*) filter (where r.status = 'PENDING') as pending,
      count(*) filter (where r.status = 'SUCCESS') as success,
      count(*) filter (where r.status = 'FAILED') as failed,
      count(*) filter (where r.status = 'REVERSED') as reversed,
      sum(count(*)) over (partition by r.company_id, r.part) as length
    from (
      select
        c.company_id,
        t.id,
        t.created_at,
        t.processed_at,
        t.status,
        t.service_id,
        t.terminal_id,
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
        select t.id, t.created_at, t.processed_at, t.status, t.service_id, t.terminal_id
        from transaction as t
        where list_ = 'sale' and t.company_id = c.company_id and t.id > listed.id
        union all
        select e.id, e.created_at, null, null, null, null
        from entry as e
        where list_ = 'entry' and e.company_id = c.company_id and e.id > listed.id
      ) as t
    ) as r
    group by r.company_id, r.part, r.service_id, r.terminal_id
  ),
  made as (
    insert into block (
      company_id, list, first_id, last_id, earliest, latest, members, pending, success, failed, reversed
    )
    select g.company_id, list_, min(g.first_id), max(g.last_id), min(g.earliest), max(g.latest), sum(g.members),
      sum(g.pending), sum(g.success), sum(g.failed), sum(g.reversed)
    from grouped as g
    where g.length = block_length()
    group by g.company_id, g.part
    returning company_id, last_id, members
  ),
  divided as (
    insert into sublist_block (
      company_id, sublist, first_id, last_id, earliest, latest, members, pending, success, failed, reversed
    )
    select g.company_id, s.sublist, min(g.first_id), max(g.last_id), min(g.earliest), max(g.latest), sum(g.members),
      sum(g.pending), sum(g.success), sum(g.failed), sum(g.reversed)
    from grouped as g
    cross join lateral unnest(sublists_of(g.service_id, g.terminal_id)) as s(sublist)
    where list_ = 'sale' and g.length = block_length()
    group by g.company_id, g.part, s.sublist
  )
  update balance as b
  set sales_listed = b.sales_listed + case list_ when 'sale' then m.members else 0 end,
    listed_to = case list_ when 'sale' then m.last_id else b.listed_to end,
    entries_listed = b.entries_listed + case list_ when 'entry' then m.members else 0 end
  from (select company_id, max(last_id) as last_id, sum(members) as members from made group by company_id) as m
  where b.company_id = m.company_id;
end;
$$;

-- Counts late sales in the existing blocks. A sale is late if its id is below the end of the last block. This happens
-- when the group of the sale waited for an idempotency key after the id was assigned.
--
-- A late sale joins the last block that begins before it, or the first block if all blocks begin after it.
create function join_blocks(late status_change[]) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
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

  perform join_sublist_blocks(late);
end;
$$;

-- Counts late sales in the blocks of their sublists. A late sale joins the last block of the sublist that begins before
-- it. If there is none, the late sales form a new first block.
create function join_sublist_blocks(late status_change[]) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  with placed as (
    select
      n.company_id,
      s.sublist,
      h.first_id as host,
      min(n.transaction_id) as lowest,
      max(n.transaction_id) as highest,
      min(t.created_at) as earliest,
      max(t.created_at) as latest,
      count(*) as members
    from unnest(late) as n
    cross join lateral (
      select t.created_at, t.service_id, t.terminal_id
      from transaction as t
      where t.company_id = n.company_id and t.id = n.transaction_id
      offset 0
    ) as t
    cross join lateral unnest(sublists_of(t.service_id, t.terminal_id)) as s(sublist)
    left join lateral (
      select o.first_id
      from sublist_block as o
      where o.company_id = n.company_id and o.sublist = s.sublist and o.first_id <= n.transaction_id
      order by o.first_id desc
      limit 1
    ) as h on true
    group by n.company_id, s.sublist, h.first_id
  ),
  joined as (
    update sublist_block as b
    set last_id = greatest(b.last_id, l.highest),
      earliest = least(b.earliest, l.earliest),
      latest = greatest(b.latest, l.latest),
      members = b.members + l.members
    from placed as l
    where b.company_id = l.company_id
      and b.sublist = l.sublist
      and b.first_id = l.host
  )
  insert into sublist_block (company_id, sublist, first_id, last_id, earliest, latest, members)
  select l.company_id, l.sublist, l.lowest, l.highest, l.earliest, l.latest, l.members
  from placed as l
  where l.host is null;
end;
$$;

-- Moves the count of each changed sale to its new status, in the block that contains the sale and in the blocks of its
-- sublists. If a sale is settled before the earliest time of its block, the block begins at that time. Ignores sales
-- outside the blocks.
create function recount_blocks(changes status_change[]) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  with change as materialized (
    select
      c.company_id,
      c.transaction_id,
      h.list,
      h.first_id,
      c.settled_at,
      (c.new_status = 'PENDING')::int - (c.old_status = 'PENDING')::int as pending,
      (c.new_status = 'SUCCESS')::int - (c.old_status = 'SUCCESS')::int as success,
      (c.new_status = 'FAILED')::int as failed,
      (c.new_status = 'REVERSED')::int as reversed
    from unnest(changes) as c
    cross join lateral (
      select o.list, o.first_id, o.last_id
      from block as o
      where o.company_id = c.company_id and o.list = 'sale' and o.first_id <= c.transaction_id
      order by o.first_id desc
      limit 1
    ) as h
    where c.transaction_id <= h.last_id
      and c.old_status <> c.new_status
  ),
  recounted as (
    update block as b
    set earliest = least(b.earliest, m.settled_at),
      pending = b.pending + m.pending,
      success = b.success + m.success,
      failed = b.failed + m.failed,
      reversed = b.reversed + m.reversed
    from (
      select c.company_id, c.list, c.first_id, min(c.settled_at) as settled_at, sum(c.pending) as pending,
        sum(c.success) as success, sum(c.failed) as failed, sum(c.reversed) as reversed
      from change as c
      group by c.company_id, c.list, c.first_id
    ) as m
    where b.company_id = m.company_id
      and b.list = m.list
      and b.first_id = m.first_id
  )
  update sublist_block as b
  set pending = b.pending + m.pending,
    success = b.success + m.success,
    failed = b.failed + m.failed,
    reversed = b.reversed + m.reversed
  from (
    select c.company_id, h.sublist, h.first_id, sum(c.pending) as pending, sum(c.success) as success,
      sum(c.failed) as failed, sum(c.reversed) as reversed
    from change as c
    cross join lateral (
      select t.service_id, t.terminal_id
      from transaction as t
      where t.company_id = c.company_id and t.id = c.transaction_id
      offset 0
    ) as t
    cross join lateral unnest(sublists_of(t.service_id, t.terminal_id)) as s(sublist)
    cross join lateral (
      select o.sublist, o.first_id
      from sublist_block as o
      where o.company_id = c.company_id and o.sublist = s.sublist and o.first_id <= c.transaction_id
      order by o.first_id desc
      limit 1
    ) as h
    group by c.company_id, h.sublist, h.first_id
  ) as m
  where b.company_id = m.company_id
    and b.sublist = m.sublist
    and b.first_id = m.first_id;
end;
$$;

-- Builds the blocks and list lengths of companies again from their rows. Moves no money. Only the owner of the schema
-- may call it.
--
-- Needed after an import that bypassed the money functions, or when the audit finds a wrong count.
create function list_anew(companies bigint[]) returns void
language plpgsql
set search_path from current
as $$
#variable_conflict use_column
begin
  companies := array(select distinct c from unnest(companies) as c);

  -- Locks the balances in the order of the company id.
  perform 1 from balance as b where b.company_id = any (companies) order by b.company_id for update;

  delete from block as o where o.company_id = any (companies);
  delete from sublist_block as o where o.company_id = any (companies);

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

-- Only the money functions call these functions, and the money functions run as their owner.
revoke all on function
  make_blocks, join_blocks, recount_blocks, join_sublist_blocks, tail_length,
  block_length, list_anew, status_change
from public;
