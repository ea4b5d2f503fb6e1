-- cell.deposit: money from outside.

drop function if exists cell.deposit;

-- Adds `centavos` to a company's balance and ledger, once a reference. A reference that was used before changes nothing,
-- and its entry is answered. No row is answered if the company would own more than `owned_max`.
create function cell.deposit(company bigint, centavos bigint, owned_max bigint, reference_ text, at timestamptz)
returns table (entry_id bigint, amount bigint, recorded boolean)
language plpgsql
-- directory.deposit checks who calls.
security definer
set search_path = cell, pg_temp
-- Plans: see reserve.sql.
set plan_cache_mode = force_generic_plan
as $$
-- A name that is both a column and a variable means the column.
#variable_conflict use_column
declare
  after bigint;
begin
  insert into balance (company_id, updated_at) values (company, at) on conflict do nothing;

  -- Locks the balance. Two deposits of one company wait for each other here, so the second sees the first's reference.
  perform 1 from balance as b where b.company_id = company for update;

  return query
  select e.id, e.amount, false
  from entry as e
  where e.company_id = company and e.type = 'deposit' and e.reference = reference_;
  if found then
    return;
  end if;

  update balance as b
  set available = b.available + centavos,
    entries = b.entries + 1,
    updated_at = at
  where b.company_id = company and b.owned <= owned_max - centavos
  returning b.owned into after;
  if not found then
    return;
  end if;

  return query
  insert into entry as e (company_id, id, type, amount, balance, reference, created_at)
  values (company, nextval('entry_id'), 'deposit', centavos, after, reference_, at)
  returning e.id, e.amount, true;
end;
$$;

-- It runs as its owner, so it belongs to nobody but directory.deposit.
revoke all on function cell.deposit from public;
