-- Companies that have moved from this cell to another one.

create table departed (
  company bigint primary key,
  is_leaving boolean not null default false
);

comment on table departed is
  'Companies that have moved from this cell to another one. A write for one of them here is refused with SC001, '
  'because a server may learn of the move up to 5 seconds late.';
comment on column departed.is_leaving is
  'Whether the transaction that moves the company may delete its rows here. Committed rows have false.';

-- Whether the current transaction moves the company out of this cell (sql/move.sql).
create function is_leaving(company_ bigint) returns boolean
language plpgsql
stable
set search_path from current
as $$
begin
  return exists (select from departed as d where d.company = company_ and d.is_leaving);
end;
$$;

-- Whether the company has moved to another cell.
create function has_departed(company_ bigint) returns boolean
language plpgsql
set search_path from current
as $$
begin
  return exists (select from departed as d where d.company = company_);
end;
$$;

create function refuse_departed() returns trigger
language plpgsql
set search_path from current
as $$
begin
  if has_departed(new.company_id) then
    raise exception 'company % has moved to another cell', new.company_id using errcode = 'SC001';
  end if;
  return null;
end;
$$;

-- A company that has departed gets no new balance here. Without a balance, it has no money here.
create trigger balance_departed
after insert on balance
for each row
execute function refuse_departed();

-- The move of a company deletes rows that are otherwise kept. So their triggers judge each deleted row.

drop trigger entry_append_only on entry;
create trigger entry_append_only
before update or truncate on entry
for each statement
execute function refuse_change();

create trigger entry_kept
before delete on entry
for each row
when (not is_leaving(old.company_id))
execute function refuse_change();

drop trigger closing_append_only on closing;
create trigger closing_append_only
before update or truncate on closing
for each statement
execute function refuse_closing_change();

create trigger closing_kept
before delete on closing
for each row
when (not is_leaving(old.company_id))
execute function refuse_closing_change();

drop trigger funding_proposal_kept on funding_proposal;
create trigger funding_proposal_kept
before delete on funding_proposal
for each row
when (not is_leaving(old.company_id))
execute function refuse_funding_change();

create trigger funding_proposal_whole
before truncate on funding_proposal
for each statement
execute function refuse_funding_change();

drop trigger webhook_closed on webhook;
create trigger webhook_closed
after insert or update of url, event_types, description, secret on webhook
for each row
execute function refuse_closed();

create trigger webhook_removed_closed
after delete on webhook
for each row
when (not is_leaving(old.company_id))
execute function refuse_closed();

revoke all on function is_leaving, has_departed, refuse_departed from public;
