-- What recovery has asked suppliers about a sale, and what they said: of like answers in a row the first, the last, and
-- how many they were. A sale that nobody resolves has one row, however long it is asked for.
create table cell.question (
  company_id bigint not null,
  transaction_id bigint not null,
  n int not null check (n > 0),
  about text not null check (about in ('sale', 'reversal')),
  answer text not null check (answer <> ''),
  times int not null default 1 check (times > 0),
  first_at timestamptz not null,
  last_at timestamptz not null check (last_at >= first_at),
  primary key (company_id, transaction_id, n),
  foreign key (company_id, transaction_id) references cell.transaction
);

-- What the audit log says of one sale.
create index audit_event_transaction on directory.audit_event (((details ->> 'transactionId')::bigint))
where details ? 'transactionId';
