-- Daily closings: one sealed row for each company and local day.

alter table balance add column open_from timestamptz;

comment on column balance.open_from is
  'Start of the first local day that has not ended. Sales, settlements and entries of the company get no earlier time. '
  'Null: no day has ended.';

create table closing (
  company_id bigint not null,
  day date not null,
  content text not null,
  seal bytea not null,
  primary key (company_id, day),
  constraint closing_seal check (seal = sha256(convert_to(content, 'UTF8'))),
  constraint closing_subject check (
    (content::jsonb ->> 'companyId')::bigint = company_id and (content::jsonb ->> 'day') = to_char(day, 'FMYYYY-MM-DD')
  ),
  constraint closing_sum check (
    (content::jsonb ->> 'opening')::bigint
      + (content::jsonb -> 'deposits' ->> 'amount')::bigint
      - (content::jsonb -> 'sales' ->> 'amount')::bigint
      + (content::jsonb -> 'reversals' ->> 'amount')::bigint
      + (content::jsonb -> 'adjustments' ->> 'amount')::bigint
      = (content::jsonb ->> 'closing')::bigint
  )
);

comment on table closing is
  'Closings of companies. The first is for the local day of the first ledger entry, and no later day is left out. '
  'Rows are never changed or deleted.';
comment on column closing.content is
  'The figures of the day and the seal of the day before, as the JSON text that is sealed (core/domain/Closing.ts).';
comment on column closing.seal is 'SHA-256 of the content.';

create function refuse_closing_change() returns trigger
language plpgsql
as $$
begin
  raise exception 'closings are never changed' using errcode = 'check_violation', constraint = 'closing_append_only';
end;
$$;

create trigger closing_append_only
before update or delete or truncate on closing
for each statement
execute function refuse_closing_change();
