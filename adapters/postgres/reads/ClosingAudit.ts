/**
 * Queries for the closings that violate an invariant. They recompute every day of every company in one pass
 * over entries and sales. They do not use the function day_figures, so they also find its mistakes.
 */
export const closingQueries = {
  closed: `
    with kept as materialized (
      select company_id, day, content::jsonb as c, min(day) over (partition by company_id) as first_day,
        max(day) over (partition by company_id) as last_day
      from closing
    ),
    span as (select company_id, first_day, last_day from kept where day = first_day),
    chunk as (
      select
        e.company_id,
        local_day(e.created_at) as day,
        e.id / 1000 as chunk,
        max(e.id) as last_id,
        count(*) filter (where e.type = 'deposit') as deposits_n,
        coalesce(sum(e.amount) filter (where e.type = 'deposit'), 0) as deposits,
        count(*) filter (where e.type = 'sale') as sales_n,
        coalesce(sum(-e.amount) filter (where e.type = 'sale'), 0) as sales,
        count(*) filter (where e.type = 'reversal') as reversals_n,
        coalesce(sum(e.amount) filter (where e.type = 'reversal'), 0) as reversals,
        count(*) filter (where e.type = 'adjustment') as adjustments_n,
        coalesce(sum(e.amount) filter (where e.type = 'adjustment'), 0) as adjustments,
        encode(
          sha256(
            convert_to(
              string_agg(
                entry_line(e.id, e.type, e.amount, e.balance, e.transaction_id, e.reference, e.created_at),
                E'\\n'
                order by e.id
              ),
              'UTF8'
            )
          ),
          'hex'
        ) as digest
      from entry as e
      join span as s on s.company_id = e.company_id
      group by e.company_id, local_day(e.created_at), e.id / 1000
    ),
    moved as (
      select company_id, day, max(last_id) as last_id, sum(deposits_n) as deposits_n, sum(deposits) as deposits,
        sum(sales_n) as sales_n, sum(sales) as sales, sum(reversals_n) as reversals_n, sum(reversals) as reversals,
        sum(adjustments_n) as adjustments_n, sum(adjustments) as adjustments,
        encode(sha256(convert_to(string_agg(digest, '' order by chunk), 'UTF8')), 'hex') as digest
      from chunk
      group by company_id, day
    ),
    reached as (
      select k.company_id, k.day, max(m.last_id) over (partition by k.company_id order by k.day) as last_id
      from kept as k
      left join moved as m on m.company_id = k.company_id and m.day = k.day
    ),
    sale as (
      select t.company_id, t.id, t.service_id, t.amount, t.status, s.first_day, s.last_day,
        greatest(local_day(least(t.created_at, t.processed_at)), s.first_day) as found_on,
        -- The first closing contains all earlier sales.
        case when t.processed_at is not null then greatest(local_day(t.processed_at), s.first_day) end as ended_on
      from transaction as t
      join span as s on s.company_id = t.company_id
    ),
    counted as (
      select company_id, ended_on as day, service_id, case when status = 'FAILED' then 'FAILED' else 'SUCCESS' end as status,
        count(*) as sales, sum(amount) as amount
      from sale
      where ended_on is not null
      group by 1, 2, 3, 4
      union all
      select s.company_id, d.day::date, s.service_id, 'PENDING', count(*), sum(s.amount)
      from sale as s
      cross join lateral generate_series(
        s.found_on::timestamp, coalesce(s.ended_on - 1, s.last_day)::timestamp, interval '1 day'
      ) as d(day)
      group by 1, 2, 3
      union all
      select e.company_id, local_day(e.created_at), t.service_id, 'REVERSED', count(*), sum(e.amount)
      from entry as e
      join transaction as t on t.company_id = e.company_id and t.id = e.transaction_id
      where e.type = 'reversal'
      group by 1, 2, 3
    ),
    told as (
      select k.company_id, k.day, s."serviceId" as service_id, s.status, s.count as sales, s.amount
      from kept as k
      cross join lateral jsonb_to_recordset(k.c -> 'services') as s("serviceId" bigint, status text, count bigint, amount bigint)
    ),
    owing as (
      select distinct coalesce(t.company_id, c.company_id) as company_id, coalesce(t.day, c.day) as day
      from told as t
      full join (
        select c.*
        from counted as c
        join span as s on s.company_id = c.company_id
        where c.day between s.first_day and s.last_day
      ) as c on c.company_id = t.company_id and c.day = t.day and c.service_id = t.service_id and c.status = t.status
      where (t.sales, t.amount) is distinct from (c.sales, c.amount)
    )
    select k.company_id, k.day, case when o.day is null then 'entries' else 'sales by service' end as part,
      k.c ->> 'closing' as closing_centavos
    from kept as k
    left join moved as m on m.company_id = k.company_id and m.day = k.day
    left join reached as r on r.company_id = k.company_id and r.day = k.day
    left join owing as o on o.company_id = k.company_id and o.day = k.day
    where o.day is not null
      or (k.c -> 'deposits', k.c -> 'sales', k.c -> 'reversals', k.c -> 'adjustments') is distinct from (
        jsonb_build_object('count', coalesce(m.deposits_n, 0), 'amount', coalesce(m.deposits, 0)),
        jsonb_build_object('count', coalesce(m.sales_n, 0), 'amount', coalesce(m.sales, 0)),
        jsonb_build_object('count', coalesce(m.reversals_n, 0), 'amount', coalesce(m.reversals, 0)),
        jsonb_build_object('count', coalesce(m.adjustments_n, 0), 'amount', coalesce(m.adjustments, 0))
      )
      or (k.c ->> 'lastEntryId')::bigint is distinct from r.last_id
      or k.c ->> 'entriesDigest' is distinct from coalesce(m.digest, encode(sha256(''), 'hex'))
    union all
    select m.company_id, m.day, 'entries before the first closing', null
    from moved as m
    join span as s on s.company_id = m.company_id
    where m.day < s.first_day
    union all
    select o.company_id, o.day, 'a sale without its closing', null
    from owing as o
    where not exists (select from kept as k where k.company_id = o.company_id and k.day = o.day)`,

  // Compares each closing with the closing of the day before. The first closing of a company has no day before, so it has no
  // earlier seal and no earlier balance.
  sealed: `
    select c.company_id, c.day, encode(c.seal, 'hex') as seal
    from (
      select c.company_id, c.day, c.content, c.seal, c.content::jsonb as told, lag(c.day) over w as before,
        lag(c.seal) over w as previous_seal, lag(c.content::jsonb ->> 'closing') over w as previous_closing,
        lag(c.content::jsonb -> 'held') over w as previous_held
      from closing as c
      window w as (partition by c.company_id order by c.day)
    ) as c
    left join balance as b on b.company_id = c.company_id
    where c.seal <> sha256(convert_to(c.content, 'UTF8'))
      or c.day <> coalesce(c.before + 1, c.day)
      or c.told ->> 'previousSeal' is distinct from encode(c.previous_seal, 'hex')
      or (c.told ->> 'opening')::bigint <> coalesce(c.previous_closing::bigint, 0)
      or c.told -> 'heldBefore' <> coalesce(c.previous_held, '{"count": 0, "amount": 0}')
      or local_day(b.open_from) <= c.day
      or b.open_from is null`
} as const
