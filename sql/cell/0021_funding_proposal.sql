-- Deposits and adjustments that one operator proposes and another operator confirms.

create sequence funding_proposal_number maxvalue 9007199254740991;

create table funding_proposal (
  company_id bigint not null,
  number bigint not null,
  kind text not null check (kind = any ('{deposit,adjustment}')),
  amount bigint not null,
  reference text not null,
  folded text not null generated always as (folded_text(reference)) stored check (folded <> ''),
  is_repeated boolean not null,
  reason text check (reason <> ''),
  proposed_by text not null check (proposed_by <> ''),
  proposed_at timestamptz not null,
  expires_at timestamptz not null,
  state text not null default 'pending' check (state = any ('{pending,confirmed,rejected,expired}')),
  decided_by text check (decided_by <> ''),
  decided_at timestamptz,
  decision_reason text check (decision_reason <> ''),
  entry_id bigint,
  primary key (company_id, number),
  constraint funding_proposal_amount check (amount <> 0 and (kind = 'adjustment' or amount > 0)),
  constraint funding_proposal_explained check ((kind = 'adjustment') = (reason is not null)),
  constraint funding_proposal_expiry check (expires_at > proposed_at),
  constraint funding_proposal_decided_at check ((state = 'pending') = (decided_at is null)),
  constraint funding_proposal_decided_by check ((state = any ('{confirmed,rejected}')) = (decided_by is not null)),
  constraint funding_proposal_rejected check ((state = 'rejected') = (decision_reason is not null)),
  constraint funding_proposal_confirmed check ((state = 'confirmed') = (entry_id is not null)),
  constraint funding_proposal_in_time check (state <> 'confirmed' or decided_at < expires_at),
  constraint funding_proposal_second_operator check (
    state <> 'confirmed' or folded_text(decided_by) <> folded_text(proposed_by)
  )
);

-- A reference of a company has at most one proposal that is pending or confirmed, for each kind.
create unique index funding_proposal_reference on funding_proposal (company_id, kind, folded)
where state in ('pending', 'confirmed');

-- An entry belongs to at most one proposal.
create unique index funding_proposal_entry on funding_proposal (company_id, entry_id) where entry_id is not null;

-- Finds a proposal by its number, and lists the newest proposals of all companies.
create index funding_proposal_number_all on funding_proposal (number);

comment on table funding_proposal is
  'Deposits and adjustments that one operator proposes and another operator confirms or rejects. '
  'The confirmation and the ledger entry are one transaction.';
comment on column funding_proposal.number is 'Number of the proposal, unique over all companies of the cell.';
comment on column funding_proposal.amount is 'Centavos. Negative if an adjustment takes money away.';
comment on column funding_proposal.folded is 'The reference, as folded_text returns it.';
comment on column funding_proposal.is_repeated is
  'Whether a deposit of another company may have the same reference.';
comment on column funding_proposal.reason is 'Why the balance is adjusted. Null for a deposit.';
comment on column funding_proposal.expires_at is 'From this instant, the proposal cannot be decided any more.';
comment on column funding_proposal.state is
  'pending: no operator has decided. confirmed and rejected: an operator has decided. '
  'expired: the proposal was replaced after it had expired.';
comment on column funding_proposal.decided_by is 'The operator who confirmed or rejected the proposal.';
comment on column funding_proposal.decision_reason is 'Why the proposal was rejected.';
comment on column funding_proposal.entry_id is 'The ledger entry. Null: the proposal is not confirmed.';

create function refuse_funding_change() returns trigger
language plpgsql
as $$
begin
  raise exception 'a decided proposal never changes, and no proposal is deleted'
    using errcode = 'check_violation', constraint = 'funding_proposal_final';
end;
$$;

-- A decided proposal never changes. Of a pending proposal, only the decision changes.
create trigger funding_proposal_final
before update on funding_proposal
for each row
when (
  old.state <> 'pending'
  or (
    old.company_id, old.number, old.kind, old.amount, old.reference, old.is_repeated, old.reason, old.proposed_by,
    old.proposed_at, old.expires_at
  ) is distinct from (
    new.company_id, new.number, new.kind, new.amount, new.reference, new.is_repeated, new.reason, new.proposed_by,
    new.proposed_at, new.expires_at
  )
)
execute function refuse_funding_change();

create trigger funding_proposal_kept
before delete or truncate on funding_proposal
for each statement
execute function refuse_funding_change();
