-- A closed cell gets no new company.

create function directory.require_open_cell() returns trigger
language plpgsql
-- Runs as its owner, because a share lock needs the right to change the row.
security definer
set search_path = directory, pg_temp
as $$
declare
  state_ text;
begin
  -- The share lock keeps the cell open until the company is stored. So closing the cell finds all its companies.
  select c.state into state_ from cell as c where c.name = new.cell for share;
  if state_ = 'closed' then
    raise exception 'the cell % is closed', new.cell
      using errcode = 'check_violation', constraint = 'company_cell_open', table = 'company';
  end if;
  return new;
end;
$$;

create trigger company_cell_open
before insert on directory.company
for each row
execute function directory.require_open_cell();
