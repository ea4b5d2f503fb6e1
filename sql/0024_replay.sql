-- How often the answer of a sale, or of a reversal of it, was heard again. Nothing is decided by it.
create table cell.replay (
  company_id bigint not null,
  transaction_id bigint not null,
  about text not null check (about in ('sale', 'reversal')),
  times int not null check (times > 0),
  first_at timestamptz not null,
  last_at timestamptz not null check (last_at >= first_at),
  primary key (company_id, transaction_id, about),
  foreign key (company_id, transaction_id) references cell.transaction
) with (fillfactor = 50);
