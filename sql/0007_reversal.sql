-- Sales given back on request. A reversal holds nothing: the amount returns when the provider has confirmed it.
create sequence cell.reversal_id maxvalue 9007199254740991;

create table cell.reversal (
  company_id bigint not null,
  id bigint not null,
  transaction_id bigint not null,
  -- The provider-facing name of the reversal, not of the sale.
  xid text not null,
  idempotency_key text not null,
  status text not null check (status in ('PROCESSING', 'PENDING', 'CONFIRMED', 'DENIED')),
  created_at timestamptz not null,
  processed_at timestamptz,
  -- Recovery, as of a sale.
  ask_at timestamptz,
  asked_at timestamptz,
  leased_until timestamptz,
  not_found int not null default 0,
  primary key (company_id, id),
  foreign key (company_id, transaction_id) references cell.transaction (company_id, id),
  check ((status in ('PROCESSING', 'PENDING')) = (processed_at is null))
);

-- One reversal of a sale at a time, and one confirmed for ever; one reversal an xid, but for those that were denied.
create unique index reversal_live on cell.reversal (company_id, transaction_id) where status <> 'DENIED';
create unique index reversal_xid on cell.reversal (company_id, xid) where status <> 'DENIED';
create index reversal_unresolved on cell.reversal (ask_at) where status in ('PROCESSING', 'PENDING');

create function cell.refuse_reversal_transition() returns trigger
language plpgsql
as $$
begin
  raise exception 'reversal % cannot go from % to %', old.id, old.status, new.status
    using errcode = 'check_violation', constraint = 'reversal_transition';
end;
$$;

create trigger reversal_transition
before update on cell.reversal
for each row
when (
  old.status <> new.status
  and (old.status not in ('PROCESSING', 'PENDING') or new.status = 'PROCESSING')
)
execute function cell.refuse_reversal_transition();
