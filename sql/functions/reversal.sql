drop function if exists cell.begin_reversal;
drop function if exists cell.settle_reversal;

-- Claims the key and the sale for one reversal. Answers {tag, ...} as cell.reserve does; a refusal leaves nothing behind.
create function cell.begin_reversal(
  company bigint,
  sale bigint,
  key_ text,
  owner_ uuid,
  fingerprint_ bytea,
  xid_ text,
  at timestamptz,
  ask_first_at timestamptz,
  expired timestamptz,
  stuck timestamptz
) returns jsonb
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
  known idempotency;
  sold transaction;
  other reversal;
  fresh bigint;
begin
  insert into idempotency (company_id, key, owner, fingerprint, transaction_id, claimed_at)
  values (company, key_, owner_, fingerprint_, sale, at)
  on conflict do nothing;

  if not found then
    select * into known from idempotency as r where r.company_id = company and r.key = key_;
    select * into sold from transaction as t where t.company_id = company and t.id = known.transaction_id;
    return case
      when known.key is null then jsonb_build_object('tag', 'Vanished')
      when known.owner = owner_ then
        (
          -- Its own earlier commit, whatever recovery may have made of it since.
          select jsonb_build_object('tag', 'Begun', 'id', max(v.id))
          from reversal as v
          where v.company_id = company and v.transaction_id = sale and v.xid = xid_
        )
      when known.settled_at < expired then
        jsonb_build_object('tag', 'Conflict', 'transaction_id', known.transaction_id, 'status', sold.status)
      when known.fingerprint <> fingerprint_ then jsonb_build_object('tag', 'KeyReused')
      when known.completed_at is not null then jsonb_build_object('tag', 'Replay', 'outcome', known.outcome)
      when known.claimed_at < stuck then
        jsonb_build_object('tag', 'Conflict', 'transaction_id', known.transaction_id, 'status', sold.status)
      else jsonb_build_object('tag', 'InProgress', 'transaction_id', known.transaction_id)
    end;
  end if;

  -- Two reversals of one sale, under two keys, wait for each other here; the second then reads what the first did.
  select * into sold from transaction as t where t.company_id = company and t.id = sale for no key update;
  select * into other from reversal as v where v.company_id = company and v.transaction_id = sale and v.status <> 'DENIED';

  if sold.status = 'SUCCESS' and sold.reversible and other.id is null then
    insert into reversal (company_id, id, transaction_id, xid, idempotency_key, status, created_at, ask_at)
    values (company, nextval('reversal_id'), sale, xid_, key_, 'PROCESSING', at, ask_first_at)
    returning id into fresh;
    return jsonb_build_object('tag', 'Begun', 'id', fresh);
  end if;

  delete from idempotency as r where r.company_id = company and r.key = key_;
  return case
    when sold.id is null then jsonb_build_object('tag', 'NotFound')
    when not sold.reversible then jsonb_build_object('tag', 'NotSupported')
    when sold.status <> 'SUCCESS' then jsonb_build_object('tag', 'NotReversible')
    else jsonb_build_object('tag', 'InProgress', 'transaction_id', sale)
  end;
end;
$$;

-- Gives the money of a reversed sale back, or lets the sale stand, once. `verdict` is Confirm, Deny, Free or Hold.
-- Answers {won, status, outcome}: whether this call settled it, how it now stands, and what its key replays.
create function cell.settle_reversal(
  company bigint,
  reversal_ bigint,
  verdict text,
  answer jsonb,
  at timestamptz,
  ask_next_at timestamptz,
  not_found_ int,
  -- Servers of earlier versions do not tell when they claimed it.
  claimed_at_ timestamptz default null
) returns jsonb
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
  given reversal;
  sold transaction;
  after bigint;
  won boolean;
begin
  -- Locks in the order of cell.reserve: key, balance, transaction; the reversal's own row comes last.
  select * into strict given from reversal as v where v.company_id = company and v.id = reversal_;
  perform 1 from idempotency as r where r.company_id = company and r.key = given.idempotency_key for update;
  perform 1 from balance as b where b.company_id = company for update;
  select * into sold from transaction as t where t.company_id = company and t.id = given.transaction_id for no key update;
  select * into given from reversal as v where v.company_id = company and v.id = reversal_ for update;

  won := given.status in ('PROCESSING', 'PENDING');
  -- As of a sale: a not-found concludes nothing when somebody has counted anew since it was claimed, or claimed it.
  if
    not_found_ > 0
    and verdict in ('Deny', 'Hold')
    and (not_found_ <> given.not_found + 1 or (claimed_at_ is not null and claimed_at_ is distinct from given.asked_at))
  then
    won := false;
  end if;
  if won then
    if verdict = 'Confirm' then
      update balance as b
      set available = b.available + sold.amount, entries = b.entries + 1, updated_at = at
      where b.company_id = company
      returning b.owned into after;

      insert into entry (company_id, id, type, amount, balance, transaction_id, created_at)
      values (company, nextval('entry_id'), 'reversal', sold.amount, after, sold.id, at);

      -- The day of the sale gets its consumption back.
      update consumption as c set total = c.total - sold.amount where c.company_id = company and c.day = sold.day;

      update transaction as t set status = 'REVERSED' where t.company_id = company and t.id = sold.id;
      perform recount_blocks(array[row(company, sold.id, sold.status, 'REVERSED')::change]);
    end if;

    update reversal as v
    -- No reversal takes what is no verdict: a status is never null.
    set status = case
        when verdict = 'Confirm' then 'CONFIRMED'
        when verdict in ('Deny', 'Free') then 'DENIED'
        when verdict = 'Hold' then 'PENDING'
      end,
      processed_at = case when verdict <> 'Hold' then at end,
      ask_at = case when verdict = 'Hold' then ask_next_at end,
      not_found = not_found_,
      leased_until = null
    where v.company_id = company and v.id = reversal_
    returning * into given;

    -- A key that has answered keeps its answer, also when nothing was sent after all.
    if verdict = 'Free' then
      delete from idempotency as r
      where r.company_id = company and r.key = given.idempotency_key and r.outcome is null;
    end if;
    if not (verdict = 'Free' and found) then
      update idempotency as r
      set outcome = coalesce(r.outcome, answer),
        completed_at = coalesce(r.completed_at, at),
        settled_at = case when verdict <> 'Hold' then at end
      where r.company_id = company and r.key = given.idempotency_key;
    end if;
  end if;

  return jsonb_build_object(
    'won', won,
    'status', given.status,
    'outcome', (
      select r.outcome
      from idempotency as r
      where r.company_id = company and r.key = given.idempotency_key and r.transaction_id = given.transaction_id
    )
  );
end;
$$;

-- They run as their owner, so whoever calls them has to be told that he may.
revoke all on function cell.begin_reversal, cell.settle_reversal from public;
