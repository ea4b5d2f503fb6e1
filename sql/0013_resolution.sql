-- What one operator proposes for a sale that no provider settles, until another confirms it.
create table cell.resolution (
  company_id bigint not null,
  transaction_id bigint not null,
  verdict text not null check (verdict in ('success', 'failed')),
  reason text not null check (reason <> ''),
  auth_code text,
  valid_from date,
  valid_until date,
  proposed_by text not null check (proposed_by <> ''),
  proposed_at timestamptz not null,
  confirmed_by text check (confirmed_by <> proposed_by),
  confirmed_at timestamptz,
  primary key (company_id, transaction_id),
  foreign key (company_id, transaction_id) references cell.transaction,
  check ((verdict = 'success') = (auth_code is not null)),
  check ((valid_from is null) = (valid_until is null)),
  check ((confirmed_by is null) = (confirmed_at is null))
);
