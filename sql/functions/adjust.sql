-- Ledger entries of type adjustment. adjust makes the daily reset of the shared sandbox's balance. Corrections by
-- operators are in proposal.sql.

drop function if exists adjust;
drop function if exists post_adjustment;

-- Adds signed centavos to the available amount of a company, with a ledger entry and an event. Returns the entry.
-- The caller has locked the balance.
create function post_adjustment(company bigint, centavos bigint, reference_ text, at timestamptz) returns bigint
language plpgsql
set search_path from current
as $$
-- If a name is both a column and a variable, it means the column.
#variable_conflict use_column
declare
  after bigint;
  entry_ bigint;
begin
  update balance as b
  set available = b.available + centavos,
    entries = b.entries + 1,
    -- An adjustment gets no time in a day that has ended (closing.sql).
    updated_at = greatest(at, b.open_from)
  where b.company_id = company
  returning b.owned, b.updated_at into after, at;

  insert into entry (company_id, id, type, amount, balance, reference, created_at)
  values (company, nextval('entry_id'), 'adjustment', centavos, after, reference_, at)
  returning id into entry_;

  perform record_events(
    array[event_fact(company_id => company, type => 'balance.adjusted', at => at, entry_id => entry_)],
    array[company],
    at
  );
  return entry_;
end;
$$;

-- Sets the available amount of a company to `goal`. Each reference is applied once. Held amounts stay held.
--
-- A company without a ledger entry older than `since` is new and keeps its available amount.
--
-- Returns the signed difference, or null if the reference was used before.
create function adjust(company bigint, goal bigint, reference_ text, since timestamptz, at timestamptz)
returns bigint
language plpgsql
-- Runs as its owner. directory.adjust checks the caller's permission.
security definer
set search_path from current
-- reserve.sql explains these planner settings.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
-- If a name is both a column and a variable, it means the column.
#variable_conflict use_column
declare
  before balance;
  begun_at timestamptz;
  moved bigint;
begin
  -- Locks the balance. An adjustment waits here for other adjustments and for sales of the same company.
  select * into before from balance as b where b.company_id = company for update;
  perform refuse_if_closed(company);

  insert into adjustment (company_id, reference, created_at) values (company, reference_, at) on conflict do nothing;
  if not found or exists (select from recorded_adjustment(company, reference_)) then
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

  perform post_adjustment(company, moved, reference_, at);
  return moved;
end;
$$;

-- The function runs as its owner, so no role except its owner may call it directly. directory.adjust calls it.
revoke all on function adjust, post_adjustment from public;
