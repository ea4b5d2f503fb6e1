-- A plan for each call costs as much as the work: Postgres makes one whenever a parameter is an array, as what goes into
-- the blocks is.
alter function cell.place(text, cell.member[]) set plan_cache_mode = force_generic_plan;
alter function cell.place_sales() set plan_cache_mode = force_generic_plan;
alter function cell.place_entries() set plan_cache_mode = force_generic_plan;

-- A sale that changes its status stays where it is and counts elsewhere. What recovery writes to claim a sale is no
-- change of status; it touches no block, as it holds no balance.
--
-- The list is a column of what is joined, not a constant: with a constant the planner, while it knows nothing of a new
-- table, reads the blocks of every company and looks for the few that changed among them.
create or replace function cell.recount_sales() returns trigger
language plpgsql
set search_path = cell, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
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
      coalesce(sum(c.change) filter (where c.status = 'PENDING'), 0) as pending,
      coalesce(sum(c.change) filter (where c.status = 'SUCCESS'), 0) as success,
      coalesce(sum(c.change) filter (where c.status = 'FAILED'), 0) as failed,
      coalesce(sum(c.change) filter (where c.status = 'REVERSED'), 0) as reversed
    from (
      select n.company_id, n.id, n.status, 1 as change from after as n where n.status <> 'PROCESSING'
      union all
      select o.company_id, o.id, o.status, -1 from before as o where o.status <> 'PROCESSING'
    ) as c
    cross join lateral (
      select o.list, o.first_id
      from block as o
      where o.company_id = c.company_id and o.list = 'sale' and o.first_id <= c.id
      order by o.first_id desc
      limit 1
    ) as h
    group by c.company_id, h.list, h.first_id
  ) as m
  where b.company_id = m.company_id
    and b.list = m.list
    and b.first_id = m.first_id
    and (m.pending, m.success, m.failed, m.reversed) <> (0, 0, 0, 0);
  return null;
end;
$$;
