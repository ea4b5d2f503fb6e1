create sequence cell.insurance_id maxvalue 9007199254740991;

-- An insurance on its way from a plate to a policy. Whom it is for stands here encrypted; what it costs and how far it
-- has come stand in the open, because a sale is guarded by them.
create table cell.insurance (
  company_id bigint not null,
  id bigint not null,
  service_id bigint not null,
  environment text not null,
  state text not null,
  plate text not null,
  -- Encrypted JSON: identity card, phone, owner, vehicle.
  insured bytea not null,
  terminal_id text,
  renewal boolean not null,
  -- The insurer's own name for the case.
  reference text not null,
  versions jsonb not null,
  version jsonb,
  plan jsonb,
  offered_extras jsonb not null,
  -- A keyed hash of the code that was sent last.
  code_hash text not null,
  code_expires_at timestamptz not null,
  -- Of the whole process, not of one code.
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
  check (
    state in (
      'iniciada', 'otp_enviado', 'otp_validado', 'plan_confirmado', 'cotizado', 'cobrando', 'emitiendo', 'emitida',
      'fallida'
    )
  ),
  check ((plan is null) = (version is null)),
  check ((quote_total is null) = (quote_reference is null)),
  check ((quote_total is null) = (quote_extras is null)),
  check ((quote_total is null) = (quote_expires_at is null)),
  check (state not in ('cotizado', 'cobrando', 'emitiendo', 'emitida', 'fallida') or quote_total is not null),
  constraint insurance_sale check ((state in ('cobrando', 'emitiendo', 'emitida', 'fallida')) = (transaction_id is not null)),
  check (
    (state = 'emitida') = (num_nonnulls(policy_number, valid_from, valid_until, issued_at) = 4)
    and num_nonnulls(policy_number, valid_from, valid_until, issued_at) in (0, 4)
  )
);

create function cell.refuse_insurance_transition() returns trigger
language plpgsql
as $$
begin
  raise exception 'insurance % cannot go from % to %', old.id, old.state, new.state
    using errcode = 'check_violation', constraint = 'insurance_transition';
end;
$$;

-- Section 3.3 of the contract, once more; a test compares it with the table of the code, pair by pair.
create trigger insurance_transition
before update on cell.insurance
for each row
when (
  old.state <> new.state
  and (old.state, new.state) not in (
    ('iniciada', 'otp_enviado'), ('iniciada', 'otp_validado'), ('otp_enviado', 'otp_validado'),
    ('otp_validado', 'plan_confirmado'), ('plan_confirmado', 'cotizado'), ('cotizado', 'plan_confirmado'),
    ('cotizado', 'cobrando'), ('cobrando', 'emitiendo'),
    ('cobrando', 'emitida'), ('emitiendo', 'emitida'), ('cobrando', 'fallida'), ('emitiendo', 'fallida'),
    ('cobrando', 'cotizado'), ('emitiendo', 'cotizado')
  )
)
execute function cell.refuse_insurance_transition();

-- The sale that bought a quote.
alter table cell.transaction add column insurance_id bigint;

-- A policy is sold once.
create unique index transaction_insurance on cell.transaction (company_id, insurance_id)
where insurance_id is not null and status in ('PROCESSING', 'PENDING', 'SUCCESS');

-- Messages to owners, staged with the state that they belong to and sent once that is committed.
create table cell.sms (
  company_id bigint not null,
  -- Which message it is: the gateway hears it, so that one that can will not send it twice.
  id uuid not null,
  insurance_id bigint not null,
  environment text not null,
  status text not null check (status in ('staged', 'sent', 'failed', 'unknown')),
  -- Encrypted JSON, phone and text; gone as soon as nobody needs it.
  sealed bytea,
  -- The gateway's own name for it, or why it did not go.
  detail text,
  tries int not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  send_at timestamptz not null,
  leased_until timestamptz,
  settled_at timestamptz,
  primary key (company_id, id),
  foreign key (company_id, insurance_id) references cell.insurance,
  check ((status = 'staged') = (sealed is not null)),
  check ((status = 'staged') = (settled_at is null))
);

create index sms_staged on cell.sms (send_at) where status = 'staged';
create index sms_of_insurance on cell.sms (company_id, insurance_id) where status = 'staged';
create index sms_failed on cell.sms (created_at) where status in ('failed', 'unknown');

-- The key by which personal data is encrypted, itself encrypted by the operator's when there is one.
create table directory.data_key (
  id int primary key check (id = 1),
  wrapped bytea not null,
  -- Whether the operator's key is needed to read it.
  protected boolean not null,
  created_at timestamptz not null
);
