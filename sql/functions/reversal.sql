-- cell.begin_reversal and cell.settle_reversal: give the amount of a sale back, once.

drop function if exists cell.begin_reversal;
drop function if exists cell.settle_reversal;

-- Claims the key and the sale for one reversal. Answers {tag, ...} as cell.reserve does; a refusal leaves nothing
-- behind. `expired_before` and `stuck_before` are those of cell.key_answer.
create function cell.begin_reversal(
  company bigint,
  sale bigint,
  key_ text,
  owner_ uuid,
  fingerprint_ bytea,
  xid_ text,
  at timestamptz,
  ask_first_at timestamptz,
  expired_before timestamptz,
  stuck_before timestamptz
) returns jsonb
language plpgsql
-- The server's login may not write these tables by itself.
security definer
set search_path = cell, pg_temp
-- Plans: see reserve.sql.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
-- A name that is both a column and a variable means the column.
#variable_conflict use_column
declare
  known idempotency;
  sold transaction;
  other reversal;
  fresh bigint;
begin
  -- 1. Claim the key. Locks it: a call that meets an uncommitted key waits here.
  insert into idempotency (company_id, key, owner, fingerprint, transaction_id, claimed_at)
  values (company, key_, owner_, fingerprint_, sale, at)
  on conflict do nothing;

  if not found then
    select * into known from idempotency as k where k.company_id = company and k.key = key_;
    select * into sold from transaction as t where t.company_id = company and t.id = known.transaction_id;
    return case
      when known.key is null then
        jsonb_build_object('tag', 'Vanished')
      -- The call's own earlier commit, whose answer was lost, whatever recovery has made of the reversal since.
      when known.owner = owner_ then
        (
          select jsonb_build_object('tag', 'Begun', 'id', max(v.id))
          from reversal as v
          where v.company_id = company and v.transaction_id = sale and v.xid = xid_
        )
      else
        key_answer(known, sold.status, fingerprint_, expired_before, stuck_before)
    end;
  end if;

  -- 2. Lock the sale. Two reversals of one sale, under two keys, wait for each other here; the second then reads what
  -- the first did.
  select * into sold from transaction as t where t.company_id = company and t.id = sale for no key update;

  -- 3. Judge and write.
  select * into other
  from reversal as v
  where v.company_id = company and v.transaction_id = sale and v.status <> 'DENIED';

  if sold.status = 'SUCCESS' and sold.reversible and other.id is null then
    insert into reversal (company_id, id, transaction_id, xid, idempotency_key, status, created_at, ask_at)
    values (company, nextval('reversal_id'), sale, xid_, key_, 'PROCESSING', at, ask_first_at)
    returning id into fresh;
    return jsonb_build_object('tag', 'Begun', 'id', fresh);
  end if;

  delete from idempotency as k where k.company_id = company and k.key = key_;
  return case
    when sold.id is null then jsonb_build_object('tag', 'NotFound')
    when not sold.reversible then jsonb_build_object('tag', 'NotSupported')
    when sold.status <> 'SUCCESS' then jsonb_build_object('tag', 'NotReversible')
    else jsonb_build_object('tag', 'InProgress', 'transaction_id', sale)
  end;
end;
$$;

-- Settles a reversal once. `verdict` is Confirm (the amount returns), Deny or Free (the sale stands), or Hold. Answers
-- {won, status, outcome}: whether this call settled it, how it now stands, and what its key replays. `not_found_` and
-- `claimed_at_` are those of cell.settle.
create function cell.settle_reversal(
  company bigint,
  reversal_ bigint,
  verdict text,
  answer jsonb,
  at timestamptz,
  ask_next_at timestamptz,
  not_found_ int,
  claimed_at_ timestamptz default null
) returns jsonb
language plpgsql
-- The server's login may not write these tables by itself.
security definer
set search_path = cell, pg_temp
-- Plans: see reserve.sql.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
-- A name that is both a column and a variable means the column.
#variable_conflict use_column
declare
  given reversal;
  sold transaction;
  after bigint;
  won boolean;
begin
  -- 1. Lock in the order of cell.reserve: key, balance, transaction; the reversal last. The key and the sale of a
  -- reversal never change, so they may be read before.
  select * into strict given from reversal as v where v.company_id = company and v.id = reversal_;
  perform 1 from idempotency as k where k.company_id = company and k.key = given.idempotency_key for update;
  perform 1 from balance as b where b.company_id = company for update;
  select * into sold from transaction as t where t.company_id = company and t.id = given.transaction_id for no key update;
  select * into given from reversal as v where v.company_id = company and v.id = reversal_ for update;

  -- 2. Judge. A conclusion from not-founds is late if the reversal was counted or claimed again since, as in cell.settle.
  won := given.status in ('PROCESSING', 'PENDING');
  if
    not_found_ > 0
    and verdict in ('Deny', 'Hold')
    and (not_found_ <> given.not_found + 1 or (claimed_at_ is not null and claimed_at_ is distinct from given.asked_at))
  then
    won := false;
  end if;

  -- 3. Write.
  if won then
    if verdict = 'Confirm' then
      update balance as b
      set available = b.available + sold.amount,
        entries = b.entries + 1,
        updated_at = at
      where b.company_id = company
      returning b.owned into after;

      insert into entry (company_id, id, type, amount, balance, transaction_id, created_at)
      values (company, nextval('entry_id'), 'reversal', sold.amount, after, sold.id, at);

      -- The consumption goes back to the day of the sale.
      update consumption as c set total = c.total - sold.amount where c.company_id = company and c.day = sold.day;

      update transaction as t set status = 'REVERSED' where t.company_id = company and t.id = sold.id;
      perform recount_blocks(
        array[
          status_change(
            company_id => company,
            transaction_id => sold.id,
            old_status => sold.status,
            new_status => 'REVERSED'
          )
        ]
      );
    end if;

    update reversal as v
    -- Null for anything that is no verdict, which no reversal accepts.
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

    -- A key that has answered keeps its answer, also when the reversal was never sent. A freed key that has not answered
    -- may be used again.
    if verdict = 'Free' then
      delete from idempotency as k
      where k.company_id = company and k.key = given.idempotency_key and k.outcome is null;
    end if;
    if not (verdict = 'Free' and found) then
      update idempotency as k
      set outcome = coalesce(k.outcome, answer),
        completed_at = coalesce(k.completed_at, at),
        settled_at = case when verdict <> 'Hold' then at end
      where k.company_id = company and k.key = given.idempotency_key;
    end if;
  end if;

  return jsonb_build_object(
    'won', won,
    'status', given.status,
    'outcome', (
      select k.outcome
      from idempotency as k
      where k.company_id = company and k.key = given.idempotency_key and k.transaction_id = given.transaction_id
    )
  );
end;
$$;

-- They run as their owner, so they belong to nobody until roles.sql grants them.
revoke all on function cell.begin_reversal, cell.settle_reversal from public;
