-- What services of the flow paquetes sell. The id of a package is its own for ever; its price may change.
create table catalogue.package (
  id int primary key check (id > 0),
  service_id bigint not null references catalogue.service,
  code text not null check (code <> ''),
  name text not null check (name <> ''),
  description text not null,
  -- Centavos.
  price bigint not null check (price > 0),
  duration text not null,
  data text not null,
  minutes int not null check (minutes >= 0),
  sms int not null check (sms >= 0),
  active boolean not null default true
);

create trigger package_announced
after insert or update or delete on catalogue.package
for each statement
execute function catalogue.announce_change();

-- What lookups offered, to be bought at that price until it expires. The same offer, looked up again, is the same row.
create table cell.option (
  company_id bigint not null,
  id text not null,
  service_id bigint not null,
  identifier text not null,
  -- The provider's own name for it.
  reference text not null,
  name text not null,
  price bigint not null check (price > 0),
  validity text,
  data text,
  expires_at timestamptz not null,
  primary key (company_id, id)
);

create index option_expiry on cell.option (company_id, expires_at);
