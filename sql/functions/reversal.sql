-- begin_reversal and settle_reversal: return the amount of a sale to its company, once.

drop function if exists begin_reversal;
drop function if exists settle_reversal;

-- Claims the key and the sale for one reversal. Returns {tag, ...}, as reserve does. A refusal leaves no rows.
-- key_state explains `expired_before` and `stuck_before`.
create function begin_reversal(
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
-- Runs as its owner, because the server's login may not write these tables.
security definer
set search_path from current
-- reserve.sql explains these planner settings.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
-- If a name is both a column and a variable, it means the column.
#variable_conflict use_column
declare
  known idempotency;
  sold transaction;
  other reversal;
  fresh bigint;
begin
  -- 1. Claim the key. The insert locks the key: if another call has inserted it and not yet committed, this call waits
  --   here.
  insert into idempotency (company_id, key, owner, fingerprint, transaction_id, claimed_at)
  values (company, key_, owner_, fingerprint_, sale, at)
  on conflict do nothing;

  if not found then
    select * into known from idempotency as k where k.company_id = company and k.key = key_;
    select * into sold from transaction as t where t.company_id = company and t.id = known.transaction_id;
    return case
      when known.key is null then
        jsonb_build_object('tag', 'Vanished')
      -- The same call has committed this reversal before, but lost the answer. Recovery may have settled the reversal
      -- since.
      when known.owner = owner_ then
        (
          select jsonb_build_object('tag', 'Begun', 'id', max(v.id))
          from reversal as v
          where v.company_id = company and v.transaction_id = sale and v.xid = xid_
        )
      else
        jsonb_build_object(
          'tag', key_state(
            known_fingerprint => known.fingerprint,
            claimed_at => known.claimed_at,
            completed_at => known.completed_at,
            settled_at => known.settled_at,
            fingerprint => fingerprint_,
            expired_before => expired_before,
            stuck_before => stuck_before
          ),
          'transaction_id', known.transaction_id,
          'status', sold.status,
          'outcome', known.outcome
        )
    end;
  end if;

  -- 2. Lock the balance, so that the company stays open until the reversal has begun. Then lock the sale. If two reversals of one sale run under two keys, the second waits here and then reads the result
  --   of the first.
  perform 1 from balance as b where b.company_id = company for update;
  perform refuse_if_closed(company);
  select * into sold from transaction as t where t.company_id = company and t.id = sale for no key update;

  -- 3. Judge the reversal and write it.
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

-- Settles a reversal once. `verdict` is Confirm (the amount returns to the company), Deny or Free (the sale stays
-- charged), or Hold.
--
-- Returns {won, status, repeated, outcome}: whether this call settled the reversal, the status of the reversal now, whether
-- it was denied and a later one with the same xid was not, and the response that its key replays. settle explains `not_found_` and `claimed_at_`.
create function settle_reversal(
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
-- Runs as its owner, because the server's login may not write these tables.
security definer
set search_path from current
-- reserve.sql explains these planner settings.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  given reversal;
  sold transaction;
  after bigint;
  won boolean;
  events_on_ boolean;
  open_from_ timestamptz;
begin
  -- 1. Lock in the order of reserve (key, balance, transaction) and then the reversal. The key and the sale of a
  --   reversal never change, so reading them before the lock is safe.
  select * into strict given from reversal as v where v.company_id = company and v.id = reversal_;
  perform 1 from idempotency as k where k.company_id = company and k.key = given.idempotency_key for update;
  select b.events_on, b.open_from into events_on_, open_from_ from balance as b where b.company_id = company for update;
  select * into sold from transaction as t where t.company_id = company and t.id = given.transaction_id for no key update;
  -- Fails if the company has left this cell during a wait for a lock, so that the caller writes in the new cell instead.
  select * into strict given from reversal as v where v.company_id = company and v.id = reversal_ for update;

  -- A reversal gets no time in a day that has ended (closing.sql), so it counts in the first open day.
  at := greatest(at, open_from_);

  -- 2. Judge. A conclusion from "not found" answers is too late if another recovery has counted or claimed the reversal
  --   in the meantime, as in settle.
  won := given.status in ('PROCESSING', 'PENDING');
  if
    not_found_ > 0
    and verdict in ('Deny', 'Hold')
    and (not_found_ <> given.not_found + 1 or (claimed_at_ is not null and claimed_at_ is distinct from given.asked_at))
  then
    won := false;
  end if;

  -- 3. Write the outcome.
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

      -- The amount is subtracted from the consumption of the day of the sale.
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
    -- An unknown verdict gives null, which the status column does not accept.
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

    -- A key with a response keeps it, even if the reversal was never sent. A freed key without a response may be used
    -- again.
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

    if events_on_ and verdict <> 'Hold' then
      perform record_events(
        array[
          event_fact(
            company_id => company,
            type => case when verdict = 'Confirm' then 'transaction.reversed' else 'reversal.failed' end,
            at => at,
            transaction_id => sold.id,
            reversal_id => reversal_
          )
        ],
        array[company],
        at
      );
    end if;
  end if;

  return jsonb_build_object(
    'won', won,
    'status', given.status,
    'repeated', not won and given.status = 'DENIED' and exists (
      select
      from reversal as later
      where later.company_id = company
        and later.transaction_id = given.transaction_id
        and later.xid = given.xid
        and later.id > reversal_
        and later.status <> 'DENIED'
    ),
    'outcome', (
      select k.outcome
      from idempotency as k
      where k.company_id = company and k.key = given.idempotency_key and k.transaction_id = given.transaction_id
    )
  );
end;
$$;

-- These functions run as their owner, so no other role may call them until roles.sql grants it.
revoke all on function begin_reversal, settle_reversal from public;
