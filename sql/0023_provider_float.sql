-- What is left with each provider.

create table directory.provider_float (
  provider text primary key check (provider = any ('{dtone,http,simulador}')),
  balances jsonb not null default '[]' check (jsonb_typeof(balances) = 'array'),
  read_at timestamptz,
  failed_at timestamptz,
  constraint provider_float_asked check (read_at is not null or failed_at is not null)
);

comment on table directory.provider_float is 'What is left with each provider, as the servers last read it.';
comment on column directory.provider_float.balances is
  'A list of {unit, available, held}. Empty: the provider does not report its balance.';
comment on column directory.provider_float.read_at is 'When the provider last answered. Null: never.';
comment on column directory.provider_float.failed_at is 'When a question last had no answer. Null: never.';
