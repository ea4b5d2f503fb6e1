-- deposit: adds money from outside Saldo to a company.

drop function if exists deposit;
drop function if exists recorded_deposit;
drop function if exists deposit_elsewhere;

-- The deposit of a company with this reference, however it is typed, if there is one. Looks for the exact spelling
-- first, because entries of earlier versions may differ only in the spelling of their references.
create function recorded_deposit(company bigint, reference_ text)
returns table (entry_id bigint, amount bigint)
language plpgsql
stable
set search_path from current
as $$
begin
  return query
  select e.id, e.amount
  from entry as e
  where e.company_id = company and e.type = 'deposit' and e.reference = reference_;
  if found then
    return;
  end if;

  return query
  select e.id, e.amount
  from deposit_reference as r
  join entry as e on e.company_id = r.company_id and e.id = r.entry_id
  where r.company_id = company and r.folded = folded_text(reference_);
end;
$$;

-- Another company that has a deposit with this reference, or null.
create function deposit_elsewhere(company bigint, reference_ text) returns bigint
language plpgsql
stable
set search_path from current
as $$
begin
  return (
    select r.company_id
    from deposit_reference as r
    where r.folded = folded_text(reference_) and r.company_id <> company
    order by r.company_id
    limit 1
  );
end;
$$;

-- Adds `centavos` to a company's balance and ledger. Each reference is applied once, however it is typed
-- (folded_text): a reference that was used before changes nothing, and its first entry is returned.
--
-- If `is_new` is true, the reference must also be new over all companies. If a deposit of another company has it,
-- nothing is added, and that company is returned.
--
-- Returns no row if the company would then own more than `owned_max`.
create function deposit(
  company bigint,
  centavos bigint,
  owned_max bigint,
  reference_ text,
  at timestamptz,
  is_new boolean default false
)
returns table (entry_id bigint, amount bigint, recorded boolean, other_company bigint)
language plpgsql
-- Runs as its owner. directory.deposit checks the caller's permission. On other nodes, only operators may call it.
security definer
set search_path from current
-- reserve.sql explains these planner settings.
set plan_cache_mode = force_generic_plan
as $$
-- If a name is both a column and a variable, it means the column.
#variable_conflict use_column
declare
  after bigint;
  entry_ bigint;
  folded_ text := folded_text(reference_);
  other bigint;
begin
  -- Serializes the deposits of all companies with this reference: a second deposit waits here and then finds the first.
  -- Only deposits and proposals take this lock, and they take it before any balance lock. adapters/postgres/connection/Sql.ts has the
  -- numbers of all such locks.
  perform pg_advisory_xact_lock(7249016, hashtext(folded_));

  return query select d.entry_id, d.amount, false, null::bigint from recorded_deposit(company, reference_) as d;
  if found then
    return;
  end if;

  if is_new then
    other := deposit_elsewhere(company, reference_);
    if other is not null then
      return query select null::bigint, null::bigint, false, other;
      return;
    end if;
  end if;

  insert into balance (company_id, updated_at) values (company, at) on conflict do nothing;
  perform 1 from balance as b where b.company_id = company for update;
  perform refuse_if_closed(company);

  update balance as b
  set available = b.available + centavos,
    entries = b.entries + 1,
    -- A deposit gets no time in a day that has ended (closing.sql).
    updated_at = greatest(at, b.open_from)
  where b.company_id = company and b.owned <= owned_max - centavos
  returning b.owned, b.updated_at into after, at;
  if not found then
    return;
  end if;

  insert into entry as e (company_id, id, type, amount, balance, reference, created_at)
  values (company, nextval('entry_id'), 'deposit', centavos, after, reference_, at)
  returning e.id into entry_;

  insert into deposit_reference (company_id, folded, entry_id) values (company, folded_, entry_);

  perform record_events(
    array[event_fact(company_id => company, type => 'balance.deposited', at => at, entry_id => entry_)],
    array[company],
    at
  );
  return query select entry_, centavos, true, null::bigint;
end;
$$;

-- The function runs as its owner, so no role may call it until cell/roles.sql grants it.
revoke all on function deposit, recorded_deposit, deposit_elsewhere from public;
