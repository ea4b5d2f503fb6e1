drop function if exists cell.adjust;

-- Lets a company have `goal` to spend again, once a reference. What is held stays held, beside it. A company that had
-- nothing before `since` has just begun, and keeps what it has.
--
-- Answers the signed amount that moved; null when the reference had been used before.
create function cell.adjust(company bigint, goal bigint, reference_ text, since timestamptz, at timestamptz)
returns bigint
language plpgsql
security definer
set search_path = cell, pg_temp
-- The values differ and the work does not: to plan it again for each call would take as long as to do it.
set plan_cache_mode = force_generic_plan
-- A plan made while the tables were small must serve when they are large: look up by key, never scan.
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  before balance;
  begun_at timestamptz;
  moved bigint;
begin
  -- Adjustments of one company wait for each other, and for its sales, here.
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
  set available = b.available + moved, entries = b.entries + 1, updated_at = at
  where b.company_id = company;

  insert into entry (company_id, id, type, amount, balance, reference, created_at)
  values (company, nextval('entry_id'), 'adjustment', moved, before.owned + moved, reference_, at);
  return moved;
end;
$$;

-- It runs as its owner, so whoever calls it has to be told that he may.
revoke all on function cell.adjust from public;
