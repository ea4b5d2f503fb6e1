/** Queries for the insurances and their sales that violate an invariant. */
export const insuranceQueries = {
  // A failed sale without a refusal was never sent to the insurer, and its quote may be sold again. So the query leaves
  // such a sale out.
  insured: `
    select coalesce(g.company_id, t.company_id) as company_id, coalesce(g.id, t.insurance_id) as insurance_id, g.state,
      coalesce(t.id, g.transaction_id) as transaction_id, t.status
    from (select * from insurance where transaction_id is not null) as g
    full join (
      select * from transaction where insurance_id is not null and (status <> 'FAILED' or refusal is not null)
    ) as t on t.company_id = g.company_id and t.id = g.transaction_id and t.insurance_id = g.id
    where (
      case g.state
        when 'cobrando' then t.status in ('PROCESSING', 'PENDING')
        when 'emitiendo' then t.status in ('PROCESSING', 'PENDING')
        when 'emitida' then t.status = 'SUCCESS'
        when 'fallida' then t.status = 'FAILED'
      end
    ) is not true`,

  quote: `
    select company_id, insurance_id, count(*) as sales
    from transaction
    where insurance_id is not null and status in ('PROCESSING', 'PENDING', 'SUCCESS')
    group by company_id, insurance_id
    having count(*) > 1`,

  policy: `
    select g.company_id, g.id as insurance_id, g.policy_number, t.id as transaction_id, t.status, t.auth_code
    from insurance as g
    left join transaction as t on t.company_id = g.company_id and t.id = g.transaction_id
    where g.policy_number is distinct from case when t.status = 'SUCCESS' then t.auth_code end`
} as const
