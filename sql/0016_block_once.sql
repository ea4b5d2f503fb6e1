-- One block is one row of the insert, whichever rows go into it: those beyond its last id and, in the same statement,
-- late ones below it. They were two, which Postgres refuses, and the sales of a group then went one by one.
--
-- Counts new rows. Those beyond the newest block fill it up and open others; an id that comes late, because its group
-- waited for a key, goes into the block that spans it, or makes one of its own below all others.
create or replace function cell.place(list_ text, added cell.member[]) returns void
language plpgsql
set search_path = cell, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  insert into block as b (
    company_id, list, first_id, last_id, earliest, latest, members, pending, success, failed, reversed
  )
  select
    p.company_id,
    list_,
    coalesce(p.home, min(p.id)),
    max(p.id),
    min(p.created_at),
    max(p.created_at),
    count(*),
    count(*) filter (where p.status = 'PENDING'),
    count(*) filter (where p.status = 'SUCCESS'),
    count(*) filter (where p.status = 'FAILED'),
    count(*) filter (where p.status = 'REVERSED')
  from (
    select
      r.company_id,
      r.id,
      r.created_at,
      r.status,
      r.beyond,
      case
        when r.beyond and r.place < 1000 then r.newest
        when not r.beyond then (
          select o.first_id
          from block as o
          where o.company_id = r.company_id and o.list = list_ and o.first_id <= r.id
          order by o.first_id desc
          limit 1
        )
      end as home,
      r.place / 1000 as thousand
    from (
      select
        n.company_id,
        n.id,
        n.created_at,
        n.status,
        n.newest[1] as newest,
        n.id > coalesce(n.newest[2], 0) as beyond,
        case when n.id > n.newest[2] then n.newest[3] else 0 end - 1 + row_number() over (
          partition by n.company_id, n.id > coalesce(n.newest[2], 0) order by n.id
        ) as place
      from (
        select f.company_id, f.id, f.created_at, f.status, max(f.newest) over (partition by f.company_id) as newest
        from (
          -- The newest block is looked up once a company, not once a row.
          select
            a.company_id,
            a.id,
            a.created_at,
            a.status,
            case when row_number() over (partition by a.company_id order by a.id) = 1 then (
              select array[o.first_id, o.last_id, o.members]
              from block as o
              where o.company_id = a.company_id and o.list = list_
              order by o.first_id desc
              limit 1
            ) end as newest
          from unnest(added) as a
        ) as f
      ) as n
    ) as r
  ) as p
  group by p.company_id, p.home, case when p.home is null then row(p.beyond, p.thousand) end
  order by p.company_id
  on conflict (company_id, list, first_id) do update
  set last_id = greatest(b.last_id, excluded.last_id),
    earliest = least(b.earliest, excluded.earliest),
    latest = greatest(b.latest, excluded.latest),
    members = b.members + excluded.members,
    pending = b.pending + excluded.pending,
    success = b.success + excluded.success,
    failed = b.failed + excluded.failed,
    reversed = b.reversed + excluded.reversed;
end;
$$;
