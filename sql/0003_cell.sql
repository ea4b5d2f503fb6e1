-- The money of many companies. A cell refers to nothing outside itself and the company id leads every key, so that a
-- larger installation can place several cells on several servers. All money is in centavos; every instant is given.
create schema cell;

create sequence cell.transaction_id maxvalue 9007199254740991;
create sequence cell.entry_id maxvalue 9007199254740991;

create table cell.balance (
  company_id bigint primary key,
  available bigint not null default 0 check (available >= 0),
  held bigint not null default 0 check (held >= 0),
  owned bigint generated always as (available + held) stored,
  -- 0 means no limit.
  limit_daily bigint not null default 5000000 check (limit_daily >= 0),
  limit_weekly bigint not null default 25000000 check (limit_weekly >= 0),
  limit_monthly bigint not null default 100000000 check (limit_monthly >= 0),
  low_balance_alert bigint not null default 0 check (low_balance_alert >= 0),
  updated_at timestamptz not null,
  -- What JSON carries exactly.
  check (available + held <= 9007199254740991)
);

create table cell.consumption (
  company_id bigint not null,
  day date not null,
  total bigint not null check (total >= 0),
  primary key (company_id, day)
);

create table cell.transaction (
  company_id bigint not null,
  id bigint not null,
  xid text not null,
  idempotency_key text not null,
  status text not null check (status in ('PROCESSING', 'PENDING', 'SUCCESS', 'FAILED', 'REVERSED')),
  environment text not null,
  service_id bigint not null,
  service_name text not null,
  service_type text not null,
  identifier text not null,
  amount bigint not null check (amount > 0),
  terminal_id text,
  option_id text,
  -- Of a bill alone: it is paid once.
  bill_id text,
  reversible boolean not null,
  auth_code text,
  recharge_token text,
  refusal text,
  -- The local day whose consumption it counts in.
  day date not null,
  created_at timestamptz not null,
  processed_at timestamptz,
  -- Recovery: when to ask next, who is asking until when, and how often in a row nobody knew the sale.
  ask_at timestamptz,
  asked_at timestamptz,
  leased_until timestamptz,
  not_found int not null default 0,
  primary key (company_id, id),
  check ((status in ('PROCESSING', 'PENDING')) = (processed_at is null)),
  check ((status in ('SUCCESS', 'REVERSED')) = (auth_code is not null))
);

-- One live sale an xid, for ever.
create unique index transaction_xid on cell.transaction (company_id, xid) where status <> 'FAILED';
create unique index transaction_bill on cell.transaction (company_id, bill_id)
where bill_id is not null and status in ('PROCESSING', 'PENDING', 'SUCCESS');
create index transaction_xid_failed on cell.transaction (company_id, xid) where status = 'FAILED';
create index transaction_unresolved on cell.transaction (ask_at) where status in ('PROCESSING', 'PENDING');

create function cell.refuse_transition() returns trigger
language plpgsql
as $$
begin
  raise exception 'transaction % cannot go from % to %', old.id, old.status, new.status
    using errcode = 'check_violation', constraint = 'transaction_transition';
end;
$$;

-- Section 3.1 of the contract, once more: code that gets it wrong moves no money.
create trigger transaction_transition
before update on cell.transaction
for each row
when (
  old.amount <> new.amount
  or old.xid <> new.xid
  or (
    old.status <> new.status
    and (old.status, new.status) not in (
      ('PROCESSING', 'PENDING'), ('PROCESSING', 'SUCCESS'), ('PROCESSING', 'FAILED'),
      ('PENDING', 'SUCCESS'), ('PENDING', 'FAILED'),
      ('SUCCESS', 'REVERSED')
    )
  )
)
execute function cell.refuse_transition();

create table cell.idempotency (
  company_id bigint not null,
  key text not null check (length(key) between 1 and 128),
  -- Which call claimed it: a call that lost its connection recognizes its own commit.
  owner uuid not null,
  fingerprint bytea not null,
  transaction_id bigint not null,
  claimed_at timestamptz not null,
  -- When the call was answered, and when its operation was over: a pending sale is answered long before it is over.
  completed_at timestamptz,
  settled_at timestamptz,
  outcome jsonb,
  primary key (company_id, key),
  check ((completed_at is null) = (outcome is null)),
  check (settled_at is null or completed_at is not null)
);

create table cell.entry (
  company_id bigint not null,
  id bigint not null,
  type text not null check (type in ('deposit', 'sale', 'reversal', 'adjustment')),
  amount bigint not null check (
    case type when 'sale' then amount < 0 when 'adjustment' then amount <> 0 else amount > 0 end
  ),
  -- What the company owned once this entry was made.
  balance bigint not null check (balance >= 0),
  transaction_id bigint,
  reference text,
  created_at timestamptz not null,
  primary key (company_id, id),
  check ((type in ('sale', 'reversal')) = (transaction_id is not null)),
  check ((type in ('deposit', 'adjustment')) = (reference is not null))
);

-- A deposit is known by its reference, and a sale is charged, and given back, once.
create unique index entry_reference on cell.entry (company_id, type, reference) where reference is not null;
create unique index entry_transaction on cell.entry (company_id, transaction_id, type) where transaction_id is not null;

create function cell.refuse_change() returns trigger
language plpgsql
as $$
begin
  raise exception 'the ledger is append-only' using errcode = 'check_violation', constraint = 'entry_append_only';
end;
$$;

create trigger entry_append_only
before update or delete or truncate on cell.entry
for each statement
execute function cell.refuse_change();
