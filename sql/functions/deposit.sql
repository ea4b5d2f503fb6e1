-- cell.deposit: adds money from outside Saldo to a company.

drop function if exists cell.deposit;

-- Adds `centavos` to a company's balance and ledger. Each reference is applied once: a reference that was used before
-- changes nothing, and its first entry is returned.
--
-- Returns no row if the company would then own more than `owned_max`.
create function cell.deposit(company bigint, centavos bigint, owned_max bigint, reference_ text, at timestamptz)
returns table (entry_id bigint, amount bigint, recorded boolean)
language plpgsql
-- Runs as its owner. directory.deposit checks the caller's permission.
security definer
set search_path = cell, pg_temp
-- reserve.sql explains these planner settings.
set plan_cache_mode = force_generic_plan
as $$
-- If a name is both a column and a variable, it means the column.
#variable_conflict use_column
declare
  after bigint;
  entry_ bigint;
begin
  insert into balance (company_id, updated_at) values (company, at) on conflict do nothing;

  -- Locks the balance. If two deposits of one company run at once, the second waits here and then finds the reference
  -- of the first.
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

  insert into entry as e (company_id, id, type, amount, balance, reference, created_at)
  values (company, nextval('entry_id'), 'deposit', centavos, after, reference_, at)
  returning e.id into entry_;

  perform record_events(
    array[event_fact(company_id => company, type => 'balance.deposited', at => at, entry_id => entry_)],
    array[company],
    at
  );
  return query select entry_, centavos, true;
end;
$$;

-- The function runs as its owner, so no role except its owner may call it directly. directory.deposit calls it.
revoke all on function cell.deposit from public;
