/** Number of sales in one batch. */
export const batchSize = 5

/** Number of batches that a history can have. */
export const batchCount = 14

/** The time of batch `n`. All batches are within three days. */
const at = (n: number) => `timestamptz '2026-01-01 16:00Z' + ${n} * interval '5 hours'`

/**
 * Reserves the sales of batch `n`. Their ids depend only on `n`, so a batch that is reserved later can have lower ids.
 * The sales of a batch have three services. Some have a terminal, others have none.
 */
export const reserve = (companies: ReadonlyArray<number>, first: number, n: number) => [
  `select setval('cell.transaction_id', ${first + n * batchSize * companies.length}, false)`,
  `select count(*) from cell.reserve(
    (
      select jsonb_agg(jsonb_build_object(
        'n', ${batchSize} * c + n, 'company_id', c, 'key', 'k-${n}-' || n, 'owner', gen_random_uuid(), 'fingerprint', '00',
        'xid', 'x-${n}-' || n, 'environment', 'development', 'service_id', 1 + n % 3, 'service_name', 's',
        'service_type', 'generic', 'identifier', 'iii', 'amount', 100, 'reversible', true,
        'terminal_id', (array[null, '', '1', 'caja 2', 'service 1'])[1 + (n + ${n}) % 5]
      ))
      from unnest(array[${companies}]) as c, generate_series(1, ${batchSize}) as n
    ),
    ${at(n)}, '2026-01-01', '2026-01-01', '2026-01-01', ${at(n)}, 'epoch', 'epoch'
  )`
]

/**
 * Settles the unsettled sales in a range of ids. Of three consecutive ids, one sale is delivered, one refused, one held.
 */
export const settle = (companies: ReadonlyArray<number>, from: number, count: number) => [
  `select count(*) from cell.settle(
    (
      select coalesce(jsonb_agg(jsonb_build_object(
        'n', id, 'company_id', company_id, 'transaction_id', id, 'at', created_at, 'outcome', jsonb_build_object(),
        'not_found', 0, 'verdict', case id % 3 when 0 then 'Confirm' when 1 then 'Release' else 'Hold' end,
        'auth_code', case id % 3 when 0 then 'a' end
      )), '[]')
      from cell.transaction
      where company_id = any (array[${companies}])
        and status in ('PROCESSING', 'PENDING')
        and id between ${from} and ${from + count}
    )
  )`
]

/** Reverses half of the delivered sales. */
export const reverse = (companies: ReadonlyArray<number>) => [
  `select cell.settle_reversal(
    s.company_id, (s.begun ->> 'id')::bigint, 'Confirm', jsonb_build_object(), timestamptz '2026-01-05', null, 0
  )
  from (
    select
      company_id,
      cell.begin_reversal(
        company_id, id, 'r-' || id, gen_random_uuid(), '', 'r-' || id, timestamptz '2026-01-05', null, 'epoch', 'epoch'
      ) as begun
    from cell.transaction
    where company_id = any (array[${companies}]) and id % 6 = 0 and status = 'SUCCESS'
    offset 0
  ) as s`
]

/** Deposits the money that the sales need. */
export const deposit = (companies: ReadonlyArray<number>) => [
  `select count(*)
  from unnest(array[${companies}]) as c
  cross join lateral cell.deposit(c, 1000000, 9007199254740991, 'apertura', '2026-01-01')`
]
