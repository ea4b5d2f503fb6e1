-- A cell: a database schema that holds the money of many companies.
--
-- A cell refers to no table outside itself, and every key begins with the company id. So an installation can have
-- several cells on several servers, with each company in one of them. Amounts are in centavos. The caller passes every
-- instant as a parameter; nothing here reads the clock. Ids stay below 2^53, because JSON numbers are exact only up to
-- 2^53.
--
-- The checks, unique indexes and triggers repeat rules of core/domain. If the TypeScript code has a defect, the
-- transaction fails instead of moving money.
--
-- Checks and trigger conditions are kept short in tables that each sale writes to, because Postgres parses them again
-- in each writing statement. Comparing with one array constant is a quarter to a half as long as a list of values.
create sequence transaction_id maxvalue 9007199254740991;
create sequence entry_id maxvalue 9007199254740991;
create sequence reversal_id maxvalue 9007199254740991;
create sequence insurance_id maxvalue 9007199254740991;

-- Default limit of a company, in centavos, if the operator has set no limit. This function is the only place in SQL
-- with these numbers. core/domain/Account.ts has them for TypeScript, and test/postgres/schema compares the two.
create function default_limit(period text) returns bigint
language sql
immutable
as $$
  select case period
    when 'diario' then 5000000
    when 'semanal' then 25000000
    when 'mensual' then 100000000
  end::bigint
$$;

create table balance (
  company_id bigint primary key,
  available bigint not null default 0 check (available >= 0),
  held bigint not null default 0 check (held >= 0),
  owned bigint generated always as (available + held) stored,
  limit_daily bigint not null default default_limit('diario') check (limit_daily >= 0),
  limit_weekly bigint not null default default_limit('semanal') check (limit_weekly >= 0),
  limit_monthly bigint not null default default_limit('mensual') check (limit_monthly >= 0),
  low_balance_alert bigint not null default 0 check (low_balance_alert >= 0),
  sales bigint not null default 0 check (sales >= 0),
  sales_listed bigint not null default 0 check (sales_listed >= 0),
  listed_to bigint not null default 0,
  entries bigint not null default 0 check (entries >= 0),
  entries_listed bigint not null default 0 check (entries_listed >= 0),
  updated_at timestamptz not null,
  constraint balance_owned check (available + held <= 9007199254740991)
)
-- Half of each page stays free. Every group of sales writes new versions of the balance rows. The new versions fit into
-- the same page as the old ones, so no index entry is needed.
with (fillfactor = 50);

comment on table balance is
  'Money, limits and list lengths of each company. The row lock serializes all changes of the company''s money.';
comment on column balance.available is 'Amount that the company may spend (saldo_disponible).';
comment on column balance.held is 'Sum of the amounts of the company''s unresolved sales (saldo_retenido).';
comment on column balance.owned is 'Sum of the company''s ledger entries (saldo_actual).';
comment on column balance.limit_daily is 'Maximum consumption in a local day. 0: no limit.';
comment on column balance.limit_weekly is 'Maximum consumption in a local week. 0: no limit.';
comment on column balance.limit_monthly is 'Maximum consumption in a local month. 0: no limit.';
comment on column balance.low_balance_alert is
  'If the available amount is below this value, the account is reported as low. 0: never reported.';
comment on column balance.sales is 'Number of sales. It is stored here because each sale writes this row anyway.';
comment on column balance.sales_listed is 'Number of sales that are in blocks.';
comment on column balance.listed_to is 'Highest id of a sale that is in a block.';
comment on column balance.entries is 'Number of ledger entries.';
comment on column balance.entries_listed is 'Number of ledger entries that are in blocks.';

create table consumption (
  company_id bigint not null,
  day date not null,
  total bigint not null check (total >= 0),
  primary key (company_id, day)
)
-- Half of each page stays free, for the reason given at balance.
with (fillfactor = 50);

comment on table consumption is
  'Consumption of each company in each local day: the sum of its sales that are unresolved or successful.';

create table transaction (
  company_id bigint not null,
  id bigint not null,
  service_id bigint not null,
  amount bigint not null check (amount > 0),
  created_at timestamptz not null,
  processed_at timestamptz,
  day date not null,
  reversible boolean not null,
  status text not null check (status = any ('{PROCESSING,PENDING,SUCCESS,FAILED,REVERSED}')),
  environment text not null,
  xid text not null,
  idempotency_key text not null,
  service_name text not null,
  service_type text not null,
  product text,
  identifier text not null,
  terminal_id text,
  option_id text,
  option_reference text,
  bill_id text,
  auth_code text,
  recharge_token text,
  refusal text,
  insurance_id bigint,
  ask_at timestamptz,
  asked_at timestamptz,
  leased_until timestamptz,
  not_found int not null default 0,
  primary key (company_id, id),
  constraint transaction_processed_at check ((status = any ('{PROCESSING,PENDING}')) = (processed_at is null)),
  constraint transaction_auth_code check ((status = any ('{SUCCESS,REVERSED}')) = (auth_code is not null))
);

-- An xid names at most one sale that has not failed.
create unique index transaction_xid on transaction (company_id, xid) where status <> 'FAILED';

-- A bill has at most one sale that is unresolved or successful, so it is paid once.
create unique index transaction_bill on transaction (company_id, bill_id)
where bill_id is not null and status in ('PROCESSING', 'PENDING', 'SUCCESS');

-- An insurance has at most one sale that is unresolved or successful, so its policy is sold once.
create unique index transaction_insurance on transaction (company_id, insurance_id)
where insurance_id is not null and status in ('PROCESSING', 'PENDING', 'SUCCESS');

-- Finds failed sales by xid. The index transaction_xid does not contain failed sales.
create index transaction_xid_failed on transaction (company_id, xid) where status = 'FAILED';

-- Lists the sales that have a rare status. With the primary key, Postgres would read whole blocks to find a few of
-- these sales. PROCESSING is left out, so a sale that succeeds immediately never enters this index.
create index transaction_rare on transaction (company_id, status, id)
where status in ('PENDING', 'FAILED', 'REVERSED');

-- Finds sales by identifier, except sales in PROCESSING. A sale therefore enters this index once, when it leaves
-- PROCESSING, and not twice.
--
-- The company is not the first column. While a new table has no statistics, the planner cannot tell an index that
-- begins with the company from the primary key. It might then read all sales of the company.
create index transaction_identifier on transaction (identifier, company_id, id) where status <> 'PROCESSING';

-- Finds sales in PROCESSING by identifier. Entries of settled sales stay in an index until the next vacuum, perhaps a
-- million sales later. Because this index begins with the identifier, a search does not read these old entries.
create index transaction_under_way on transaction (identifier, company_id) where status = 'PROCESSING';

-- Finds unresolved sales in the order in which recovery asks about them.
create index transaction_unresolved on transaction (ask_at) where status in ('PROCESSING', 'PENDING');

comment on table transaction is
  'Sales. The amount is held while a sale is PROCESSING or PENDING. Contract, 2.5 and 3.1.';
comment on column transaction.id is 'Assigned before any row is locked, so refused sales leave gaps in the ids.';
comment on column transaction.processed_at is 'When the sale was settled. Null: the sale is unresolved.';
comment on column transaction.day is 'Local day. The consumption of this day includes the sale.';
comment on column transaction.reversible is 'Whether the service accepted reversals at the time of the sale.';
comment on column transaction.environment is 'The company''s environment at the time of the sale.';
comment on column transaction.xid is 'Name of the operation at the provider.';
comment on column transaction.service_name is
  'Copied from the catalogue at the time of the sale. So are service_type and product.';
comment on column transaction.product is
  'The provider''s name for the service. Null: the provider has no name for it.';
comment on column transaction.identifier is 'Phone, contract, plate or account for which the sale was made.';
comment on column transaction.option_id is
  'The option that was bought (opcion_id). Null: the customer chose the amount.';
comment on column transaction.option_reference is
  'The provider''s name for the option. Null: the provider has no name for it.';
comment on column transaction.bill_id is 'The option that was bought, if it is a bill. A bill is paid once.';
comment on column transaction.auth_code is 'Authorization code of the provider. Null until the sale succeeds.';
comment on column transaction.recharge_token is
  'Electricity only: the code that the customer types into the meter.';
comment on column transaction.refusal is 'Error code of the refusal. Null: the sale was not refused.';
comment on column transaction.insurance_id is
  'The insurance that was bought by this sale. Null: the sale is not an insurance.';
comment on column transaction.ask_at is
  'When recovery next asks the provider about the sale. Null: the sale is settled.';
comment on column transaction.asked_at is 'When recovery last claimed the sale. Null: never.';
comment on column transaction.leased_until is
  'When the lease of the last claim ends. Before that, no other recovery may claim the sale.';
comment on column transaction.not_found is
  'Number of consecutive firm answers of the provider that it does not know the xid.';

create function refuse_transition() returns trigger
language plpgsql
as $$
begin
  raise exception 'transaction % cannot go from % to %', old.id, old.status, new.status
    using errcode = 'check_violation', constraint = 'transaction_transition';
end;
$$;

-- Enforces the status transitions of a sale (contract, 3.1). Its amount and xid never change.
create trigger transaction_transition
before update on transaction
for each row
when (
  old.amount <> new.amount
  or old.xid <> new.xid
  or (
    old.status <> new.status
    and (old.status || ' ' || new.status) <> all (
      '{PROCESSING PENDING,PROCESSING SUCCESS,PROCESSING FAILED,PENDING SUCCESS,PENDING FAILED,SUCCESS REVERSED}'
    )
  )
)
execute function refuse_transition();

create table idempotency (
  company_id bigint not null,
  key text not null check (length(key) between 1 and 128),
  owner uuid not null,
  fingerprint bytea not null,
  transaction_id bigint not null,
  claimed_at timestamptz not null,
  completed_at timestamptz,
  settled_at timestamptz,
  outcome jsonb,
  primary key (company_id, key),
  constraint idempotency_outcome check ((completed_at is null) = (outcome is null)),
  constraint idempotency_settled_at check (settled_at is null or completed_at is not null)
)
-- Leaves most of each page free. The row of a key is short when the key is claimed, and three times as long once the
-- response is stored. With 18 % filled at first, the longer row still fits into its page, so no new index entry is
-- needed. With 30 %, a quarter of the responses moved to another page.
with (fillfactor = 18);

comment on table idempotency is 'Idempotency keys of sales and reversals. Contract, 2.8 and 3.2.';
comment on column idempotency.owner is
  'Id of the call that claimed the key. With it, a call that lost its connection recognizes its own commit.';
comment on column idempotency.fingerprint is
  'SHA-256 of method, path template and body. A request with another body may not use the key.';
comment on column idempotency.transaction_id is
  'The sale that was made with this key, or the sale that a reversal with this key reverses.';
comment on column idempotency.completed_at is
  'When the call received its response. Null: the call is in progress.';
comment on column idempotency.settled_at is
  'When the operation was settled. The key replays its response for 24 hours from then. '
  'A pending sale has a response before it is settled.';
comment on column idempotency.outcome is 'The response that a retry receives. Null: the call is in progress.';

create table entry (
  company_id bigint not null,
  id bigint not null,
  type text not null check (type = any ('{deposit,sale,reversal,adjustment}')),
  amount bigint not null,
  balance bigint not null check (balance >= 0),
  transaction_id bigint,
  reference text,
  created_at timestamptz not null,
  primary key (company_id, id),
  constraint entry_amount check (amount <> 0 and (type = 'adjustment' or (type = 'sale') = (amount < 0))),
  constraint entry_of_sale check ((type = any ('{sale,reversal}')) = (transaction_id is not null)),
  constraint entry_by_hand check ((type = any ('{deposit,adjustment}')) = (reference is not null))
);

-- A reference of a company is used once for each type of entry.
create unique index entry_reference on entry (company_id, type, reference) where reference is not null;

-- A sale has at most one entry for its charge and one for its reversal.
create unique index entry_transaction on entry (company_id, transaction_id, type) where transaction_id is not null;

comment on table entry is
  'The ledger. Rows are never changed or deleted. The sum of a company''s rows is the amount that it owns.';
comment on column entry.amount is
  'Negative for a sale, positive for a deposit or a reversal, positive or negative for an adjustment.';
comment on column entry.balance is 'Amount that the company owned after this entry.';
comment on column entry.transaction_id is
  'The sale that was charged or reversed. Null: the money was moved by hand.';
comment on column entry.reference is
  'The operator''s name for a movement by hand. Null: the entry is a sale or a reversal.';

create function refuse_change() returns trigger
language plpgsql
as $$
begin
  raise exception 'the ledger is append-only' using errcode = 'check_violation', constraint = 'entry_append_only';
end;
$$;

create trigger entry_append_only
before update or delete or truncate on entry
for each statement
execute function refuse_change();

create table adjustment (
  company_id bigint not null,
  reference text not null check (reference <> ''),
  created_at timestamptz not null,
  primary key (company_id, reference)
);

comment on table adjustment is
  'References of all completed adjustments. '
  'An adjustment of 0 has no ledger entry, but its reference is stored here too.';

create table block (
  company_id bigint not null,
  list text not null check (list in ('sale', 'entry')),
  first_id bigint not null,
  last_id bigint not null,
  earliest timestamptz not null,
  latest timestamptz not null,
  members int not null check (members > 0),
  pending int not null default 0,
  success int not null default 0,
  failed int not null default 0,
  reversed int not null default 0,
  primary key (company_id, list, first_id),
  constraint block_ids check (last_id >= first_id)
)
-- Half of each page stays free, for the reason given at balance.
with (fillfactor = 50);

comment on table block is
  'Blocks of about 1,000 sales or ledger entries of one company. '
  'With them, long lists are counted and paged without reading every row. '
  'No check constraint guards the counts, because a wrong count must not stop a settlement. '
  'The audit finds a wrong count.';
comment on column block.list is 'The list that the block belongs to: sales or ledger entries.';
comment on column block.first_id is 'Lowest id in the block.';
comment on column block.last_id is 'Highest id in the block.';
comment on column block.earliest is 'Earliest created_at in the block.';
comment on column block.latest is 'Latest created_at in the block.';
comment on column block.members is 'Number of rows in the block.';
comment on column block.pending is
  'Number of sales in the block that are PENDING. The next three columns count the other statuses. '
  'Sales that no column counts are PROCESSING.';

create table option (
  company_id bigint not null,
  id text not null,
  service_id bigint not null,
  identifier text not null,
  reference text not null,
  name text not null,
  price bigint not null check (price > 0),
  validity text,
  data text,
  expires_at timestamptz not null,
  primary key (company_id, id)
);

create index option_expiry on option (company_id, expires_at);

comment on table option is
  'Options that lookups offered. An option can be bought at this price until it expires. '
  'If a lookup offers the same option again, its row is reused.';
comment on column option.id is 'The opcion_id of the API.';
comment on column option.identifier is 'Phone or contract for which the option was offered.';
comment on column option.reference is 'The provider''s name for the option.';
comment on column option.price is 'Price in centavos.';

create table insurance (
  company_id bigint not null,
  id bigint not null,
  service_id bigint not null,
  environment text not null,
  state text not null,
  plate text not null,
  insured bytea not null,
  terminal_id text,
  renewal boolean not null,
  reference text not null,
  versions jsonb not null,
  version jsonb,
  plan jsonb,
  offered_extras jsonb not null,
  code_hash text not null,
  code_expires_at timestamptz not null,
  attempts int not null default 0 check (attempts between 0 and 5),
  resends int not null default 0 check (resends between 0 and 5),
  quote_reference text,
  quote_total bigint check (quote_total > 0),
  quote_extras jsonb,
  quote_expires_at timestamptz,
  transaction_id bigint,
  policy_number text,
  valid_from date,
  valid_until date,
  created_at timestamptz not null,
  issued_at timestamptz,
  primary key (company_id, id),
  constraint insurance_state check (
    state in (
      'iniciada', 'otp_enviado', 'otp_validado', 'plan_confirmado', 'cotizado', 'cobrando', 'emitiendo', 'emitida',
      'fallida'
    )
  ),
  constraint insurance_plan check ((plan is null) = (version is null)),
  constraint insurance_quote check (num_nonnulls(quote_total, quote_reference, quote_extras, quote_expires_at) in (0, 4)),
  constraint insurance_quoted check (
    state not in ('cotizado', 'cobrando', 'emitiendo', 'emitida', 'fallida') or quote_total is not null
  ),
  constraint insurance_sale check (
    (state in ('cobrando', 'emitiendo', 'emitida', 'fallida')) = (transaction_id is not null)
  ),
  constraint insurance_policy check (
    num_nonnulls(policy_number, valid_from, valid_until, issued_at) = case state when 'emitida' then 4 else 0 end
  )
);

comment on table insurance is
  'Insurances, from the first request for a plate to the issued policy. Personal data is encrypted. '
  'Price and state are not encrypted, because a sale checks them.';
comment on column insurance.state is 'State of the insurance. Contract, 3.3.';
comment on column insurance.insured is 'Encrypted JSON: identity card, phone, owner, vehicle.';
comment on column insurance.renewal is 'Whether the vehicle already had a policy.';
comment on column insurance.reference is 'The insurer''s name for the case.';
comment on column insurance.versions is 'Versions of the vehicle that the insurer offered.';
comment on column insurance.version is 'The version that was chosen.';
comment on column insurance.plan is 'The plan that was chosen.';
comment on column insurance.offered_extras is 'Extras that the buyer may add to the plan.';
comment on column insurance.code_hash is 'Keyed hash of the last one-time code that was sent.';
comment on column insurance.attempts is
  'Number of wrong codes entered for the whole insurance, not only since the last code was sent.';
comment on column insurance.resends is 'Number of codes sent after the first one, for the whole insurance.';
comment on column insurance.quote_reference is 'The insurer''s name for the quote.';
comment on column insurance.quote_total is 'Price in centavos.';
comment on column insurance.transaction_id is 'The sale that buys the quote.';
comment on column insurance.issued_at is 'When the policy was issued.';

create function refuse_insurance_transition() returns trigger
language plpgsql
as $$
begin
  raise exception 'insurance % cannot go from % to %', old.id, old.state, new.state
    using errcode = 'check_violation', constraint = 'insurance_transition';
end;
$$;

-- Enforces the state transitions of an insurance (contract, 3.3). test/postgres/schema compares every pair of states
-- with core/domain.
create trigger insurance_transition
before update on insurance
for each row
when (
  old.state <> new.state
  and (old.state, new.state) not in (
    ('iniciada', 'otp_enviado'), ('iniciada', 'otp_validado'),
    ('otp_enviado', 'otp_validado'),
    ('otp_validado', 'plan_confirmado'),
    ('plan_confirmado', 'cotizado'),
    ('cotizado', 'plan_confirmado'), ('cotizado', 'cobrando'),
    ('cobrando', 'emitiendo'), ('cobrando', 'emitida'), ('cobrando', 'fallida'), ('cobrando', 'cotizado'),
    ('emitiendo', 'emitida'), ('emitiendo', 'fallida'), ('emitiendo', 'cotizado')
  )
)
execute function refuse_insurance_transition();

create table sms (
  company_id bigint not null,
  id uuid not null,
  insurance_id bigint not null,
  environment text not null,
  status text not null check (status in ('staged', 'sent', 'failed', 'unknown')),
  sealed bytea,
  detail text,
  tries int not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  send_at timestamptz not null,
  leased_until timestamptz,
  settled_at timestamptz,
  primary key (company_id, id),
  foreign key (company_id, insurance_id) references insurance,
  constraint sms_sealed check ((status = 'staged') = (sealed is not null)),
  constraint sms_settled_at check ((status = 'staged') = (settled_at is null))
);

create index sms_staged on sms (send_at) where status = 'staged';
create index sms_of_insurance on sms (company_id, insurance_id) where status = 'staged';
create index sms_failed on sms (created_at) where status in ('failed', 'unknown');

comment on table sms is
  'SMS to vehicle owners. '
  'A message is stored in the transaction that changes the insurance, and sent after that transaction commits.';
comment on column sms.id is
  'Also passed to the gateway. A gateway that supports it uses the id to avoid sending the message twice.';
comment on column sms.status is 'unknown: the message may have been sent, so it is not sent again.';
comment on column sms.sealed is 'Encrypted JSON: phone and text. Erased when the message is settled.';
comment on column sms.detail is 'The gateway''s name for the message, or why it was not sent.';
comment on column sms.expires_at is 'After this instant the message is useless and is not sent.';
comment on column sms.send_at is 'When the next attempt to send the message is due.';
comment on column sms.leased_until is
  'When the lease of the current sender ends. Before that, no other process may send the message.';
comment on column sms.settled_at is 'When the message was sent, or when sending it was given up.';

create table reversal (
  company_id bigint not null,
  id bigint not null,
  transaction_id bigint not null,
  xid text not null,
  idempotency_key text not null,
  status text not null check (status in ('PROCESSING', 'PENDING', 'CONFIRMED', 'DENIED')),
  created_at timestamptz not null,
  processed_at timestamptz,
  ask_at timestamptz,
  asked_at timestamptz,
  leased_until timestamptz,
  not_found int not null default 0,
  primary key (company_id, id),
  foreign key (company_id, transaction_id) references transaction,
  constraint reversal_processed_at check ((status in ('PROCESSING', 'PENDING')) = (processed_at is null))
);

-- A sale has at most one reversal that was not denied.
create unique index reversal_live on reversal (company_id, transaction_id) where status <> 'DENIED';

-- An xid names at most one reversal that was not denied.
create unique index reversal_xid on reversal (company_id, xid) where status <> 'DENIED';

create index reversal_unresolved on reversal (ask_at) where status in ('PROCESSING', 'PENDING');

comment on table reversal is
  'Reversals of sales. A reversal holds no money. '
  'The amount returns to the company when the provider has confirmed the reversal. Contract, 4.5.';
comment on column reversal.transaction_id is 'The sale to reverse.';
comment on column reversal.xid is 'Name of the reversal at the provider. It differs from the xid of the sale.';
comment on column reversal.processed_at is 'When the reversal was settled. Null: the reversal is unresolved.';
comment on column reversal.ask_at is
  'State of the recovery. This column and the next three have the same meaning as in transaction.';

create function refuse_reversal_transition() returns trigger
language plpgsql
as $$
begin
  raise exception 'reversal % cannot go from % to %', old.id, old.status, new.status
    using errcode = 'check_violation', constraint = 'reversal_transition';
end;
$$;

-- A reversal that is confirmed or denied keeps its status for ever.
create trigger reversal_transition
before update on reversal
for each row
when (
  old.status <> new.status
  and (old.status not in ('PROCESSING', 'PENDING') or new.status = 'PROCESSING')
)
execute function refuse_reversal_transition();

create table resolution (
  company_id bigint not null,
  transaction_id bigint not null,
  reversal_id bigint,
  number int not null default 1 check (number > 0),
  verdict text not null check (verdict in ('success', 'failed', 'reversed', 'stands')),
  reason text not null check (reason <> ''),
  auth_code text,
  recharge_token text,
  valid_from date,
  valid_until date,
  proposed_by text not null check (proposed_by <> ''),
  proposed_at timestamptz not null,
  confirmed_by text,
  confirmed_at timestamptz,
  primary key (company_id, transaction_id),
  foreign key (company_id, transaction_id) references transaction,
  foreign key (company_id, reversal_id) references reversal,
  constraint resolution_reversal check ((verdict in ('reversed', 'stands')) = (reversal_id is not null)),
  constraint resolution_auth_code check ((verdict = 'success') = (auth_code is not null)),
  constraint resolution_validity check ((valid_from is null) = (valid_until is null)),
  constraint resolution_second_operator check (confirmed_by <> proposed_by),
  constraint resolution_confirmed check ((confirmed_by is null) = (confirmed_at is null))
);

comment on table resolution is
  'Proposals of one operator to settle a sale, or its reversal, by hand. Another operator must confirm the proposal. '
  'A sale has one proposal at a time. A new proposal replaces an old one that is settled. '
  'The audit log keeps all proposals.';
comment on column resolution.reversal_id is
  'The reversal that the proposal would settle. Null: the proposal would settle the sale.';
comment on column resolution.number is
  'Number of the proposal for its sale: 1, 2, 3. '
  'The confirming operator repeats this number, so that only the proposal that the operator saw is confirmed.';
comment on column resolution.auth_code is 'Authorization code of the provider, or the number of the policy.';
comment on column resolution.recharge_token is
  'Electricity only: the code that the customer types into the meter.';
comment on column resolution.valid_from is 'Insurance only: the first day of the policy.';
comment on column resolution.valid_until is 'Insurance only: the last day of the policy.';

create table question (
  company_id bigint not null,
  transaction_id bigint not null,
  n int not null check (n > 0),
  about text not null check (about in ('sale', 'reversal')),
  answer text not null check (answer <> ''),
  times int not null default 1 check (times > 0),
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (company_id, transaction_id, n),
  foreign key (company_id, transaction_id) references transaction,
  constraint question_last_at check (last_at >= first_at)
);

comment on table question is
  'Questions of recovery to the provider about a sale, with the answers. Consecutive equal answers share one row.';
comment on column question.n is 'Position of the row among the rows of a sale.';
comment on column question.times is 'Number of consecutive equal answers.';
comment on column question.first_at is 'When the first of these answers arrived.';
comment on column question.last_at is 'When the last of these answers arrived.';

create table replay (
  company_id bigint not null,
  transaction_id bigint not null,
  about text not null check (about in ('sale', 'reversal')),
  times int not null check (times > 0),
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (company_id, transaction_id, about),
  foreign key (company_id, transaction_id) references transaction,
  constraint replay_last_at check (last_at >= first_at)
)
-- Half of each page stays free, for the reason given at balance.
with (fillfactor = 50);

comment on table replay is
  'How often the response to a sale, or to its reversal, was replayed. Only support staff uses this.';
