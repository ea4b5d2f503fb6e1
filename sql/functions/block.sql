drop function if exists cell.list_anew;
drop function if exists cell.make_blocks;
drop function if exists cell.join_blocks;
drop function if exists cell.recount_blocks;
drop function if exists cell.block_length;
drop type if exists cell.change;

-- A company's sales, and its ledger entries, are parted into blocks in order of id, and a block knows how many it has of
-- each status. The first row of a page is in the block where the count from the newest reaches it. How long a list is
-- stands in the balance; how many are of a status is a sum over blocks. What is newer than the last block is counted by
-- hand.
--
-- Whoever calls these functions holds the balances of the companies, so nobody waits for a block. A block's list is a
-- column of what it is joined with, not a constant: with a constant the planner, while it knows nothing of a new table,
-- reads the blocks of every company.

-- So many rows make a block.
create function cell.block_length() returns int language sql immutable as 'select 1000';

-- A sale that came, `was` null, or changed its status.
create type cell.change as (company_id bigint, id bigint, was text, became text);

-- Makes blocks of what is beyond the companies' last ones; a rest that fills none stays out. The planner, which cannot
-- know where a company's last block ends, would think it worth compiling.
create function cell.make_blocks(list_ text, companies bigint[]) returns void
language plpgsql
set search_path = cell, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
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
        t.*,
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

-- Counts sales whose ids are below the end of the last block: they were drawn before the group that carried them waited
-- for a key. The block before takes them in, or the first one where there is none before.
create function cell.join_blocks(late cell.change[]) returns void
language plpgsql
set search_path = cell, pg_temp
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
      min(n.id) as lowest,
      max(n.id) as highest,
      min(t.created_at) as earliest,
      max(t.created_at) as latest,
      count(*) as members
    from unnest(late) as n
    cross join lateral (
      select t.created_at from transaction as t where t.company_id = n.company_id and t.id = n.id offset 0
    ) as t
    cross join lateral (
      select e.list, e.first_id
      from (
        (
          select o.list, o.first_id
          from block as o
          where o.company_id = n.company_id and o.list = 'sale' and o.first_id <= n.id
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
    group by 1, 2, 3
  ) as l
  where b.company_id = l.company_id
    and b.list = l.list
    and b.first_id = l.first_id;

  update balance as b
  set sales_listed = b.sales_listed + l.members
  from (select n.company_id, count(*) as members from unnest(late) as n group by 1) as l
  where b.company_id = l.company_id;
end;
$$;

-- A sale that changes its status stays where it is and counts elsewhere. Those that are in no block drop out.
create function cell.recount_blocks(changes cell.change[]) returns void
language plpgsql
set search_path = cell, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
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
      count(*) filter (where c.became = 'PENDING') - count(*) filter (where c.was = 'PENDING') as pending,
      count(*) filter (where c.became = 'SUCCESS') - count(*) filter (where c.was = 'SUCCESS') as success,
      count(*) filter (where c.became = 'FAILED') as failed,
      count(*) filter (where c.became = 'REVERSED') as reversed
    from unnest(changes) as c
    cross join lateral (
      select o.list, o.first_id, o.last_id
      from block as o
      where o.company_id = c.company_id and o.list = 'sale' and o.first_id <= c.id
      order by o.first_id desc
      limit 1
    ) as h
    where c.id <= h.last_id and c.was is distinct from c.became
    group by c.company_id, h.list, h.first_id
  ) as m
  where b.company_id = m.company_id
    and b.list = m.list
    and b.first_id = m.first_id;
end;
$$;

-- Counts the lists of companies from their rows: after an import that went past the money functions, or when an audit
-- finds a list broken. No money moves. The schema's owner may.
create function cell.list_anew(companies bigint[]) returns void
language plpgsql
set search_path = cell, pg_temp
as $$
#variable_conflict use_column
begin
  companies := array(select distinct c from unnest(companies) as c);
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

-- They are the money functions' to call.
revoke all on function
  cell.make_blocks, cell.join_blocks, cell.recount_blocks, cell.block_length, cell.list_anew
from public;
