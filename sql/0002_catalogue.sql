-- What is sold. A reference schema: the same for every company, but for what the operator withholds from one.
create schema catalogue;

create table catalogue.category (
  id int primary key,
  name text not null unique check (name <> '')
);

create table catalogue.service (
  id bigint primary key check (id between 1 and 9007199254740991),
  name text not null check (name <> ''),
  description text not null,
  type text not null check (
    type in ('mobile_recharge', 'data_package', 'electricity_prepaid', 'generic', 'insurance', 'platform_sport')
  ),
  category_id int not null references catalogue.category,
  -- Centavos; 0 means no bound on that side.
  minimum bigint not null check (minimum >= 0),
  maximum bigint not null check (maximum = 0 or maximum >= minimum),
  reversible boolean not null check (not (reversible and type = 'insurance')),
  flow text not null check (flow in ('monto_libre', 'paquetes', 'facturas', 'seguros')),
  requires_lookup boolean not null,
  how_to_buy text not null,
  active boolean not null default true
);

-- A service is every company's unless a row here says otherwise.
create table catalogue.company_service (
  company_id bigint not null,
  service_id bigint not null references catalogue.service,
  enabled boolean not null,
  primary key (company_id, service_id)
);

create function catalogue.announce_change() returns trigger
language plpgsql
as $$
begin
  perform pg_notify('catalogue_changed', '');
  return null;
end;
$$;

create trigger category_announced
after insert or update or delete on catalogue.category
for each statement
execute function catalogue.announce_change();

create trigger service_announced
after insert or update or delete on catalogue.service
for each statement
execute function catalogue.announce_change();

create trigger company_service_announced
after insert or update or delete on catalogue.company_service
for each statement
execute function catalogue.announce_change();
