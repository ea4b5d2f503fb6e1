-- cell.adjust: sets what a company may spend, as the shared sandbox's balance is set back every day.

drop function if exists cell.adjust;

-- Makes `goal` the available amount of a company, once a reference. What is held stays held. A company whose first
-- ledger entry is not older than `since` has just begun and keeps what it has.
--
-- Answers the signed amount that moved, or null if the reference was used before.
create function cell.adjust(company bigint, goal bigint, reference_ text, since timestamptz, at timestamptz)
returns bigint
language plpgsql
-- directory.adjust checks who calls.
security definer
set search_path = cell, pg_temp
-- Plans: see reserve.sql.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
-- A name that is both a column and a variable means the column.
#variable_conflict use_column
declare
  before balance;
  begun_at timestamptz;
  moved bigint;
begin
  -- Locks the balance. Adjustments of one company wait here for each other, and for its sales.
  select * into before from balance as b where b.company_id = company for update;

  insert into adjustment (company_id, reference, created_at) values (company, reference_, at) on conflict do nothing;
  if not found then
    return null;
  end if;

  select e.created_at into begun_at from entry as e where e.company_id = company order by e.id limit 1;
  if begun_at is null or begun_at >= since then
    return 0;
  end if;

  moved := goal - before.available;
  if moved = 0 then
    return 0;
  end if;

  update balance as b
  set available = b.available + moved,
    entries = b.entries + 1,
    updated_at = at
  where b.company_id = company;

  insert into entry (company_id, id, type, amount, balance, reference, created_at)
  values (company, nextval('entry_id'), 'adjustment', moved, before.owned + moved, reference_, at);
  return moved;
end;
$$;

-- It runs as its owner, so it belongs to nobody but directory.adjust.
revoke all on function cell.adjust from public;
