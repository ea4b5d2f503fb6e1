-- Proposals of deposits and adjustments: one operator proposes, another operator confirms or rejects.
--
-- Locks are taken in this order: the reference, the proposal, the balance. The lock of the reference is the one of
-- deposit.

drop function if exists propose_funding;
drop function if exists confirm_funding;
drop function if exists reject_funding;
drop function if exists recorded_adjustment;

-- The adjustment of a company with this reference, if there is one.
create function recorded_adjustment(company bigint, reference_ text)
returns table (entry_id bigint, amount bigint)
language sql
stable
set search_path from current
as $$
  select e.id, e.amount
  from entry as e
  where e.company_id = company and e.type = 'adjustment' and e.reference = reference_
  union
  select e.id, e.amount
  from funding_proposal as p
  join entry as e on e.company_id = p.company_id and e.id = p.entry_id
  where p.company_id = company
    and p.kind = 'adjustment'
    and p.state = 'confirmed'
    and p.folded = folded_text(reference_)
  limit 1
$$;

-- Stores a proposal and returns Proposed with its number. Moves no money.
--
-- Stores nothing if the reference is in use. Then it returns AlreadyRecorded with the entry, UsedElsewhere with the
-- other company, or AlreadyProposed with the number of the pending proposal. Also stores nothing, and returns
-- Insufficient, if an adjustment would take more than the available amount.
create function propose_funding(
  company bigint,
  kind_ text,
  centavos bigint,
  reference_ text,
  is_repeated_ boolean,
  reason_ text,
  operator text,
  at timestamptz,
  expires_at_ timestamptz
) returns jsonb
language plpgsql
security definer
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
-- If a name is both a column and a variable, it means the column.
#variable_conflict use_column
declare
  recorded record;
  other bigint;
  pending funding_proposal;
  available_ bigint;
  number_ bigint;
begin
  -- Serializes the deposits and proposals with this reference.
  perform pg_advisory_xact_lock(7249016, hashtext(folded_text(reference_)));

  if kind_ = 'deposit' then
    select * into recorded from recorded_deposit(company, reference_);
  else
    select * into recorded from recorded_adjustment(company, reference_);
  end if;
  if found then
    return jsonb_build_object('tag', 'AlreadyRecorded', 'entry_id', recorded.entry_id, 'amount', recorded.amount);
  end if;

  if kind_ = 'deposit' and not is_repeated_ then
    other := deposit_elsewhere(company, reference_);
    if other is not null then
      return jsonb_build_object('tag', 'UsedElsewhere', 'company_id', other);
    end if;
  end if;

  select p.*
  into pending
  from funding_proposal as p
  where p.company_id = company
    and p.kind = kind_
    and p.folded = folded_text(reference_)
    and p.state = 'pending'
  for update;
  if pending.expires_at > at then
    return jsonb_build_object('tag', 'AlreadyProposed', 'number', pending.number);
  end if;

  -- Without a lock, because the confirmation decides. This check only finds mistakes early.
  select coalesce(sum(b.available), 0) into available_ from balance as b where b.company_id = company;
  if available_ + centavos < 0 then
    return jsonb_build_object('tag', 'Insufficient', 'available', available_);
  end if;

  -- The share lock keeps the company open until the proposal is stored.
  perform 1 from balance as b where b.company_id = company for share;
  perform refuse_if_closed(company);

  -- An expired proposal makes room for the new one.
  update funding_proposal as p
  set state = 'expired', decided_at = at
  where p.company_id = company and p.number = pending.number;

  insert into funding_proposal (
    company_id, number, kind, amount, reference, is_repeated, reason, proposed_by, proposed_at, expires_at
  )
  values (
    company, nextval('funding_proposal_number'), kind_, centavos, reference_, is_repeated_, reason_, operator, at,
    expires_at_
  )
  returning number into number_;
  return jsonb_build_object('tag', 'Proposed', 'number', number_);
end;
$$;

-- Confirms a proposal and writes its ledger entry. Returns Recorded with the entry and the amount that the company then
-- owns.
--
-- Otherwise changes nothing, and returns NotPending, AlreadyRecorded, UsedElsewhere, Insufficient or BeyondRange.
-- `confirmable` in core/domain/FundingProposal.ts and `adjust` in core/domain/Account.ts state the same rules for the
-- ledger in memory. test/postgres/model compares the two.
create function confirm_funding(company bigint, number_ bigint, operator text, owned_max bigint, at timestamptz)
returns jsonb
language plpgsql
security definer
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
-- If a name is both a column and a variable, it means the column.
#variable_conflict use_column
declare
  proposal funding_proposal;
  recorded record;
  before balance;
  entry_ bigint;
begin
  -- Serializes the deposits and proposals with this reference. The reference of a proposal never changes.
  perform pg_advisory_xact_lock(7249016, hashtext(p.folded))
  from funding_proposal as p
  where p.company_id = company and p.number = number_;

  -- Refuses a company that has moved to another cell, with its proposals. The balance is checked again under its lock.
  perform refuse_if_closed(company);

  -- Locks the proposal. Another decision on it waits here, and then finds this one.
  select * into strict proposal from funding_proposal as p where p.company_id = company and p.number = number_ for update;

  if proposal.state <> 'pending'
    or at >= proposal.expires_at
    or folded_text(operator) = folded_text(proposal.proposed_by)
  then
    return jsonb_build_object('tag', 'NotPending');
  end if;

  if proposal.kind = 'deposit' then
    select *
    into recorded
    from deposit(company, proposal.amount, owned_max, proposal.reference, at, not proposal.is_repeated);
    if not found then
      return jsonb_build_object('tag', 'BeyondRange');
    end if;
    if recorded.other_company is not null then
      return jsonb_build_object('tag', 'UsedElsewhere', 'company_id', recorded.other_company);
    end if;
    if not recorded.recorded then
      return jsonb_build_object('tag', 'AlreadyRecorded', 'entry_id', recorded.entry_id, 'amount', recorded.amount);
    end if;
    entry_ := recorded.entry_id;
  else
    select * into recorded from recorded_adjustment(company, proposal.reference);
    if found then
      return jsonb_build_object('tag', 'AlreadyRecorded', 'entry_id', recorded.entry_id, 'amount', recorded.amount);
    end if;
    if proposal.amount > 0 then
      insert into balance (company_id, updated_at) values (company, at) on conflict do nothing;
    end if;

    -- Locks the balance. The adjustment waits here for sales and deposits of the company, and for its closing.
    select * into before from balance as b where b.company_id = company for update;
    perform refuse_if_closed(company);
    if coalesce(before.available, 0) + proposal.amount < 0 then
      return jsonb_build_object('tag', 'Insufficient', 'available', coalesce(before.available, 0));
    end if;
    if before.owned > owned_max - proposal.amount then
      return jsonb_build_object('tag', 'BeyondRange');
    end if;
    entry_ := post_adjustment(company, proposal.amount, proposal.reference, at);
  end if;

  update funding_proposal as p
  set state = 'confirmed', decided_by = operator, decided_at = at, entry_id = entry_
  where p.company_id = company and p.number = number_;
  return jsonb_build_object(
    'tag', 'Recorded',
    'entry_id', entry_,
    'balance', (select e.balance from entry as e where e.company_id = company and e.id = entry_)
  );
end;
$$;

-- Rejects a proposal. Returns false, and changes nothing, if the proposal is decided or expired.
create function reject_funding(company bigint, number_ bigint, operator text, reason_ text, at timestamptz)
returns boolean
language plpgsql
security definer
set search_path from current
as $$
begin
  -- Locks the proposal before the balance, as confirm_funding does. The share lock keeps the company open.
  perform 1 from funding_proposal as p where p.company_id = company and p.number = number_ for update;
  perform 1 from balance as b where b.company_id = company for share;
  perform refuse_if_closed(company);
  update funding_proposal as p
  set state = 'rejected', decided_by = operator, decided_at = at, decision_reason = reason_
  where p.company_id = company and p.number = number_ and p.state = 'pending' and at < p.expires_at;
  return found;
end;
$$;

-- These functions run as their owner, so no other role may call them until roles.sql grants it.
revoke all on function propose_funding, confirm_funding, reject_funding, recorded_adjustment from public;
