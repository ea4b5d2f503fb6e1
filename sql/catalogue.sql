-- The catalogue: categories, services and packages. There is one catalogue database for the whole installation.
--
-- Every company is offered the same services, unless the operator withholds a service from one company. Servers cache
-- the catalogue. A trigger announces every change to them.
create schema catalogue;

create table catalogue.category (
  id int primary key,
  name text not null unique check (name <> '')
);

comment on table catalogue.category is 'Groups of services.';

create table catalogue.service (
  id bigint primary key check (id between 1 and 9007199254740991),
  category_id int not null references catalogue.category,
  name text not null check (name <> ''),
  description text not null,
  type text not null check (
    type in ('mobile_recharge', 'data_package', 'electricity_prepaid', 'generic', 'insurance', 'platform_sport')
  ),
  flow text not null check (flow in ('monto_libre', 'paquetes', 'facturas', 'seguros')),
  minimum bigint not null check (minimum >= 0),
  maximum bigint not null,
  product text check (product <> ''),
  how_to_buy text not null,
  requires_lookup boolean not null,
  reversible boolean not null,
  active boolean not null default true,
  constraint service_maximum check (maximum = 0 or maximum >= minimum),
  constraint service_reversible check (not (reversible and type = 'insurance'))
);

comment on table catalogue.service is 'Services, for example the top-up of one mobile operator. Contract, 4.2.';
comment on column catalogue.service.id is 'Below 2^53, because JSON numbers are exact only up to there.';
comment on column catalogue.service.flow is
  'How the service is bought: an amount of the customer''s choice, packages, bills or insurance.';
comment on column catalogue.service.minimum is 'Smallest amount of a sale, in centavos. 0: no minimum.';
comment on column catalogue.service.maximum is 'Largest amount of a sale, in centavos. 0: no maximum.';
comment on column catalogue.service.product is
  'The provider''s name for the service. Null: the provider has no name for it.';
comment on column catalogue.service.how_to_buy is 'Instructions in Spanish, shown to integrators.';
comment on column catalogue.service.requires_lookup is 'Whether a sale must buy an option that a lookup returned.';
comment on column catalogue.service.active is 'False: the service is not offered to any company.';

create table catalogue.company_service (
  company_id bigint not null,
  service_id bigint not null references catalogue.service,
  enabled boolean not null,
  primary key (company_id, service_id)
);

comment on table catalogue.company_service is
  'Whether a service is offered to one company. If a company has no row for a service, the service is offered to it.';

create table catalogue.package (
  id int primary key check (id > 0),
  service_id bigint not null references catalogue.service,
  price bigint not null check (price > 0),
  code text not null check (code <> ''),
  name text not null check (name <> ''),
  description text not null,
  duration text not null,
  data text not null,
  minutes int not null check (minutes >= 0),
  sms int not null check (sms >= 0),
  active boolean not null default true
);

comment on table catalogue.package is 'Packages of the services with flow paquetes.';
comment on column catalogue.package.id is
  'The id of a package is never given to another package. Only the price of a package may change.';
comment on column catalogue.package.price is 'Price in centavos.';
comment on column catalogue.package.code is 'The provider''s name for the package.';

-- Tells all servers to empty their caches when the transaction that changed the catalogue commits.
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

create trigger package_announced
after insert or update or delete on catalogue.package
for each statement
execute function catalogue.announce_change();
