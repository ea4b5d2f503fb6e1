-- Who may call: companies and their tokens. A reference schema, small and read through a cache; no money stands here.
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

create table directory.token (
  id bigint generated always as identity primary key,
  company_id bigint not null references directory.company,
  name text not null check (name <> ''),
  -- A dot parts key and secret in the Bearer form, so neither may hold one.
  api_key text not null unique check (api_key <> '' and api_key !~ '\.'),
  secret_hash bytea not null check (length(secret_hash) = 32),
  permissions text[] not null default '{}',
  addresses text[] not null default '{}',
  expires_at timestamptz,
  state text not null default 'active' check (state in ('active', 'suspended', 'revoked')),
  calls_per_minute int check (calls_per_minute > 0),
  real_lookups boolean not null default false,
  created_at timestamptz not null
);

create index token_of_company on directory.token (company_id);

-- A revoked token stays revoked, whoever asks.
create function directory.refuse_revival() returns trigger
language plpgsql
as $$
begin
  raise exception 'token % is revoked for good', old.id using errcode = 'check_violation', constraint = 'token_revoked_for_good';
end;
$$;

create trigger token_revoked_for_good
before update on directory.token
for each row
when (old.state = 'revoked' and new.state <> 'revoked')
execute function directory.refuse_revival();

-- Every replica drops what it has cached as soon as the change commits.
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

-- What somebody may have to answer for later.
create table directory.audit_event (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  action text not null,
  company_id bigint,
  token_id bigint,
  details jsonb not null
);

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
