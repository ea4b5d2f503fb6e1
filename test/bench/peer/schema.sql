-- A conventional schema: one row for each balance, sale, key and ledger entry.
create schema shop;

create table shop.balance (
  company_id int primary key,
  available bigint not null check (available >= 0),
  held bigint not null default 0 check (held >= 0)
);

create table shop.spent (
  company_id int not null,
  day date not null,
  amount bigint not null,
  primary key (company_id, day)
);

create table shop.sale (
  company_id int not null,
  id bigint generated always as identity,
  reference text not null,
  state text not null,
  service_id int not null,
  identifier text not null,
  amount bigint not null,
  auth_code text,
  created_at timestamptz not null default now(),
  processed_at timestamptz,
  primary key (company_id, id),
  unique (company_id, reference)
);

create index on shop.sale (company_id, created_at desc, id desc);

create table shop.key (
  company_id int not null,
  key text not null,
  body_hash bytea not null,
  answer jsonb,
  created_at timestamptz not null default now(),
  primary key (company_id, key)
);

create table shop.movement (
  company_id int not null,
  id bigint generated always as identity,
  sale_id bigint not null,
  amount bigint not null,
  balance_after bigint not null,
  created_at timestamptz not null default now(),
  primary key (company_id, id)
);

insert into shop.balance (company_id, available)
select company, 1000000000000 from generate_series(1, 1000) as company;
