-- How long lists are counted and paged without reading them. Each company's sales, and its ledger entries, are parted
-- into blocks of about a thousand, in order of id, and a block knows how many it has. A total is a sum over blocks; the
-- first row of a page is in the block where the count from the newest reaches it.
--
-- Triggers keep the blocks, so that whatever writes the rows, money functions and imports alike, keeps them too. The
-- money functions write a company's rows while they hold its balance; therefore nobody waits for a block.
create table cell.block (
  company_id bigint not null,
  list text not null check (list in ('sale', 'entry')),
  first_id bigint not null,
  last_id bigint not null check (last_id >= first_id),
  earliest timestamptz not null,
  latest timestamptz not null,
  members int not null check (members > 0),
  -- Of sales alone. What is in none of these is PROCESSING: a sale that goes well is counted here once.
  pending int not null default 0 check (pending >= 0),
  success int not null default 0 check (success >= 0),
  failed int not null default 0 check (failed >= 0),
  reversed int not null default 0 check (reversed >= 0),
  primary key (company_id, list, first_id),
  check (pending + success + failed + reversed <= members)
)
-- Room for the next version of a row beside it: the newest block of a busy company changes with every group.
with (fillfactor = 50);

create type cell.member as (company_id bigint, id bigint, created_at timestamptz, status text);

-- Counts new rows. Those beyond the newest block fill it up and open others; an id that comes late, because its group
-- waited for a key, goes into the block that spans it, or makes one of its own below all others.
create function cell.place(list_ text, added cell.member[]) returns void
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
  group by p.company_id, p.home, p.beyond, case when p.home is null then p.thousand end
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

create function cell.place_sales() returns trigger
language plpgsql
as $$
begin
  perform cell.place('sale', (select array_agg(row(company_id, id, created_at, status)::cell.member) from added));
  return null;
end;
$$;

create function cell.place_entries() returns trigger
language plpgsql
as $$
begin
  perform cell.place('entry', (select array_agg(row(company_id, id, created_at, null)::cell.member) from added));
  return null;
end;
$$;

-- A sale that changes its status stays where it is and counts elsewhere. What recovery writes to claim a sale is no
-- change of status; it touches no block, as it holds no balance.
create function cell.recount_sales() returns trigger
language plpgsql
set search_path = cell, pg_temp
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
      select o.first_id
      from block as o
      where o.company_id = c.company_id and o.list = 'sale' and o.first_id <= c.id
      order by o.first_id desc
      limit 1
    ) as h
    group by c.company_id, h.first_id
  ) as m
  where b.company_id = m.company_id
    and b.list = 'sale'
    and b.first_id = m.first_id
    and (m.pending, m.success, m.failed, m.reversed) <> (0, 0, 0, 0);
  return null;
end;
$$;

create trigger transaction_placed
after insert on cell.transaction
referencing new table as added
for each statement
execute function cell.place_sales();

create trigger transaction_recounted
after update on cell.transaction
referencing old table as before new table as after
for each statement
execute function cell.recount_sales();

create trigger entry_placed
after insert on cell.entry
referencing new table as added
for each statement
execute function cell.place_entries();

-- What was there before.
select cell.place('sale', array_agg(row(company_id, id, created_at, status)::cell.member)) from cell.transaction;
select cell.place('entry', array_agg(row(company_id, id, created_at, null)::cell.member)) from cell.entry;

-- Inside a block the primary key finds the sales of most pages. Of a status that is rare there it would read the whole
-- block to find a few. PROCESSING is no part of this: a sale that goes well costs this index nothing.
create index transaction_rare on cell.transaction (company_id, status, id)
where status in ('PENDING', 'FAILED', 'REVERSED');

-- The company does not lead here, so that no plan can mistake this index for the primary key: while the planner has no
-- statistics of a new table, one that begins with the company looks as good to it, and reads all of the company's sales.
create index transaction_identifier on cell.transaction (identifier, company_id, id);
