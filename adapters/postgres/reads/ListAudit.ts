/** Queries for the stored row counts of lists and their blocks that violate an invariant. */
export const listQueries = {
  // Finds each row's block by binary search and counts the rows of each block before comparing. A join would compare
  // each of a company's sales with each of its blocks, which takes hours at millions of sales. Rows after the last
  // block are in no block; they count only towards the length of the list.
  listed: `
    with parted as materialized (
      select company_id, list, array_agg(first_id order by first_id) as first_ids, max(last_id) as last_id,
        sum(members) as members
      from block
      group by company_id, list
    ),
    counted as materialized (
      select m.company_id, m.list, m.first_id, count(*) as members,
        count(*) filter (where m.status = 'PENDING') as pending,
        count(*) filter (where m.status = 'SUCCESS') as success,
        count(*) filter (where m.status = 'FAILED') as failed,
        count(*) filter (where m.status = 'REVERSED') as reversed,
        max(m.id) as last_id, min(m.created_at) as earliest, max(m.created_at) as latest
      from (
        select company_id, list, m.id, m.created_at, m.status,
          case when m.id <= p.last_id then coalesce(p.first_ids[width_bucket(m.id, p.first_ids)], 0) end as first_id
        from (
          select company_id, 'sale' as list, id, created_at, status from transaction
          union all
          select company_id, 'entry', id, created_at, null from entry
        ) as m
        left join parted as p using (company_id, list)
      ) as m
      group by m.company_id, m.list, m.first_id
    ),
    length as (
      select company_id, 'sale' as list, sales as members, sales_listed as listed, listed_to as last_id from balance
      union all
      select company_id, 'entry', entries, entries_listed, null from balance
    )
    select coalesce(b.company_id, l.company_id) as company_id, coalesce(b.list, l.list) as list, b.first_id,
      b.members as counted, l.members
    from block as b
    full join (select * from counted where first_id is not null) as l
      on l.company_id = b.company_id and l.list = b.list and l.first_id = b.first_id
    where (b.members, b.pending, b.success, b.failed, b.reversed)
        is distinct from (l.members, l.pending, l.success, l.failed, l.reversed)
      or l.last_id > b.last_id
      or l.earliest < b.earliest
      or l.latest > b.latest
    union all
    select coalesce(b.company_id, m.company_id), coalesce(b.list, m.list), null, coalesce(b.members, 0),
      coalesce(m.members, 0)
    from length as b
    full join (select company_id, list, sum(members) as members from counted group by company_id, list) as m
      on m.company_id = b.company_id and m.list = b.list
    left join parted as p on p.company_id = b.company_id and p.list = b.list
    where coalesce(b.members, 0) <> coalesce(m.members, 0)
      or coalesce(b.listed, 0) <> coalesce(p.members, 0)
      or b.last_id <> coalesce(p.last_id, 0)`,

  sublisted: `
    select company_id, sublist, b.members as counted, m.members
    from (
      select company_id, sublist, sum(members) as members, sum(pending) as pending, sum(success) as success,
        sum(failed) as failed, sum(reversed) as reversed, min(first_id) as first_id, max(last_id) as last_id,
        min(earliest) as earliest, max(latest) as latest, bool_or(first_id <= previous) as overlap
      from (
        select *, lag(last_id) over (partition by company_id, sublist order by first_id) as previous
        from sublist_block
      ) as o
      group by company_id, sublist
    ) as b
    full join (
      select g.company_id, s.sublist, sum(g.members) as members, sum(g.pending) as pending, sum(g.success) as success,
        sum(g.failed) as failed, sum(g.reversed) as reversed, min(g.first_id) as first_id, max(g.last_id) as last_id,
        min(g.earliest) as earliest, max(g.latest) as latest
      from (
        select t.company_id, t.service_id, t.terminal_id, count(*) as members,
          count(*) filter (where t.status = 'PENDING') as pending,
          count(*) filter (where t.status = 'SUCCESS') as success,
          count(*) filter (where t.status = 'FAILED') as failed,
          count(*) filter (where t.status = 'REVERSED') as reversed,
          min(t.id) as first_id, max(t.id) as last_id, min(t.created_at) as earliest, max(t.created_at) as latest
        from transaction as t
        join balance as o on o.company_id = t.company_id
        where t.id <= o.listed_to
        group by t.company_id, t.service_id, t.terminal_id
      ) as g
      cross join lateral unnest(sublists_of(g.service_id, g.terminal_id)) as s(sublist)
      group by g.company_id, s.sublist
    ) as m using (company_id, sublist)
    where (b.members, b.pending, b.success, b.failed, b.reversed)
        is distinct from (m.members, m.pending, m.success, m.failed, m.reversed)
      or b.overlap
      or m.first_id < b.first_id
      or m.last_id > b.last_id
      or m.earliest < b.earliest
      or m.latest > b.latest`
} as const
