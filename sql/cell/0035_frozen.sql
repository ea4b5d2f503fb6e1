-- Frozen rows. While rows move to another server, both servers have them for a moment. Both copies are frozen then: no
-- transaction can write them, except the one that moves them. So an outcome that a server writes late fails, and the server
-- writes it again where the directory says that the company is.
--
-- sql/functions/move.sql adds the triggers that call these functions, and removes them. Sales of companies that do not move
-- call none of them.

alter table departed add column frozen text constraint departed_frozen check (frozen in ('leaving', 'arriving'));

comment on table departed is
  'Companies that have moved from this cell to another one, or that are moving. A write for one of them here is refused '
  'with SC001, because a server may learn of the move up to 5 seconds late.';
comment on column departed.frozen is
  'leaving: the rows are here, and move to a cell on another server. arriving: a copy of the rows is here, or will be. Null: '
  'the company has left.';
comment on column departed.is_leaving is
  'Whether the current transaction moves the company and may write its rows here. Committed rows have false.';

create or replace function has_departed(company_ bigint) returns boolean
language plpgsql
set search_path from current
as $$
begin
  return exists (select from departed as d where d.company = company_ and not d.is_leaving);
end;
$$;

create function refuse_frozen() returns trigger
language plpgsql
set search_path from current
as $$
declare
  company_ bigint := case tg_op when 'INSERT' then new.company_id else old.company_id end;
begin
  if exists (select from departed as d where d.company = company_ and d.frozen is not null and not d.is_leaving) then
    raise exception 'company % is moving to another server', company_ using errcode = 'SC001';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end;
$$;

create function refuse_in_frozen_cell() returns trigger
language plpgsql
set search_path from current
as $$
begin
  raise exception 'the cell % is moving to another server', tg_table_schema using errcode = 'SC001';
end;
$$;

revoke all on function refuse_frozen, refuse_in_frozen_cell from public;
