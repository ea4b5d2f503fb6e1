-- The directory: companies, their tokens, the audit log, and the versions of the schema in this database.
--
-- There is one directory database for the whole installation. It holds no money. Servers cache companies and tokens. A
-- trigger announces every change, so each server empties its cache.
create schema directory;

create table directory.company (
  id bigint generated always as identity primary key,
  legal_name text not null check (legal_name <> ''),
  code text not null unique check (code <> ''),
  environment text not null check (environment in ('development', 'production')),
  state text not null default 'activa' check (state in ('activa', 'vip', 'suspendida')),
  api_enabled boolean not null default true,
  insurance_enabled boolean not null default false,
  created_at timestamptz not null
);

comment on table directory.company is 'Companies that sell through Saldo. Contract, 2.2.';
comment on column directory.company.code is 'Short unique name that operators type in commands.';
comment on column directory.company.environment is
  'In development, sales go to the simulated provider. In production, sales go to the configured provider.';
comment on column directory.company.api_enabled is 'False: calls of this company are refused with 403.';
comment on column directory.company.insurance_enabled is 'Whether the company may sell insurance.';

create table directory.token (
  id bigint generated always as identity primary key,
  company_id bigint not null references directory.company,
  name text not null check (name <> ''),
  api_key text not null unique check (api_key <> '' and api_key !~ '\.'),
  secret_hash bytea not null check (length(secret_hash) = 32),
  secret_pepper text check (secret_pepper <> ''),
  previous_hash bytea check (length(previous_hash) = 32),
  previous_pepper text check (previous_pepper <> ''),
  previous_until timestamptz,
  permissions text[] not null default '{}',
  addresses text[] not null default '{}',
  expires_at timestamptz,
  state text not null default 'active' check (state in ('active', 'suspended', 'revoked')),
  calls_per_minute int check (calls_per_minute > 0),
  real_lookups boolean not null default false,
  created_at timestamptz not null,
  constraint token_previous_secret check ((previous_hash is null) = (previous_until is null)),
  constraint token_previous_pepper check (previous_pepper is null or previous_hash is not null)
);

create index token_of_company on directory.token (company_id);

comment on table directory.token is
  'API tokens. After a rotation the new secret is valid. The previous secret is valid too, until previous_until.';
comment on column directory.token.api_key is
  'Public half of the credentials. It contains no dot, '
  'because in the Bearer header a dot separates key and secret.';
comment on column directory.token.secret_hash is
  'HMAC-SHA-256 of the secret with the pepper that secret_pepper names. Without a pepper: SHA-256 of the secret.';
comment on column directory.token.secret_pepper is
  'Name of the pepper that secret_hash was computed with. Null: no pepper, plain SHA-256.';
comment on column directory.token.previous_hash is
  'Digest of the secret before the last rotation. Null: the token has no previous secret.';
comment on column directory.token.previous_pepper is 'Name of the pepper that previous_hash was computed with.';
comment on column directory.token.previous_until is 'Instant until which the previous secret is accepted.';
comment on column directory.token.permissions is 'Permissions of the token. Empty: all permissions.';
comment on column directory.token.addresses is 'Addresses and CIDR ranges that may use the token. Empty: any address.';
comment on column directory.token.expires_at is 'When the token expires. Null: the token never expires.';
comment on column directory.token.calls_per_minute is 'Rate limit of this token. Null: the configured default.';
comment on column directory.token.real_lookups is
  'Whether lookups ask the provider, within a quota. False: the simulator answers them.';

create function directory.refuse_revival() returns trigger
language plpgsql
as $$
begin
  raise exception 'token % is revoked for good', old.id using errcode = 'check_violation', constraint = 'token_revoked_for_good';
end;
$$;

-- A revoked token stays revoked for ever.
create trigger token_revoked_for_good
before update on directory.token
for each row
when (old.state = 'revoked' and new.state <> 'revoked')
execute function directory.refuse_revival();

create table directory.token_use (
  token_id bigint primary key references directory.token,
  used_at timestamptz not null
)
-- Half of each page stays free. A new version of a row fits into the same page as the old one, so no index entry is
-- needed.
with (fillfactor = 50);

comment on table directory.token_use is
  'Last use of each token. It is a separate table, '
  'because every change of directory.token empties the caches of all servers.';

-- Tells all servers to empty their caches when the transaction that changed a company or token commits.
create function directory.announce_change() returns trigger
language plpgsql
as $$
begin
  perform pg_notify('directory_changed', '');
  return null;
end;
$$;

create trigger company_announced
after insert or update or delete on directory.company
for each statement
execute function directory.announce_change();

create trigger token_announced
after insert or update or delete on directory.token
for each statement
execute function directory.announce_change();

create table directory.audit_event (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  action text not null,
  company_id bigint,
  token_id bigint,
  details jsonb not null
);

-- Finds the audit events of one sale.
create index audit_event_transaction on directory.audit_event (((details ->> 'transactionId')::bigint))
where details ? 'transactionId';

-- Finds the provider answers that contradict a settled sale. The server counts the contradictions of the last hour.
create index audit_event_late on directory.audit_event (at, action)
where action in ('late_success', 'late_refusal', 'late_reversal', 'late_reversal_refusal');

comment on table directory.audit_event is
  'Audit log: what operators did, refused access, and late provider answers. Rows are never changed or deleted.';
comment on column directory.audit_event.action is 'Kind of event, such as late_success.';
comment on column directory.audit_event.company_id is
  'The company that the event is about. Null: the event concerns no company.';
comment on column directory.audit_event.token_id is
  'The token that the event is about. Null: the event concerns no token.';
comment on column directory.audit_event.details is 'Facts of the event. Which facts are present depends on the action.';

create function directory.refuse_change() returns trigger
language plpgsql
as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'check_violation';
end;
$$;

create trigger audit_event_append_only
before update or delete or truncate on directory.audit_event
for each statement
execute function directory.refuse_change();

create table directory.data_key (
  id int primary key check (id = 1),
  wrapped bytea not null,
  protected boolean not null,
  created_at timestamptz not null
);

comment on table directory.data_key is 'The key that encrypts personal data. One row at most.';
comment on column directory.data_key.wrapped is 'The key. If protected is true, it is encrypted with DATA_KEY.';
comment on column directory.data_key.protected is 'Whether DATA_KEY is needed to read the key.';

create table directory.schema_version (
  version int primary key
);

comment on table directory.schema_version is
  'Versions of the schema that this database has had. '
  'A server that knows only an earlier version does not change the schema.';

create table directory.schema_file (
  name text primary key,
  digest text not null
);

comment on table directory.schema_file is 'The files of sql/ that created this schema.';
comment on column directory.schema_file.digest is
  'Digest of the file when it ran. For roles.sql: digest of all files. '
  'Function files and roles.sql run again when their digest differs.';
