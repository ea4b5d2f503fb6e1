-- Nodes: the Postgres servers that have the cells.

alter table directory.cell add column node text not null default 'main' check (node ~ '^[a-z][a-z0-9]{0,30}$');

comment on column directory.cell.node is
  'The server that has the schema of the cell. main: the database of the directory. Any other name is in the environment '
  'of the processes, as CELL_NODE_<NAME>_URL.';

-- Only operators may change a balance by hand. One exception: in the database of the directory, servers may reset the
-- balance of the shared sandbox (funding.sql). So the sandbox always stays in that database.
create function directory.require_sandbox_on_main() returns trigger
language plpgsql
set search_path = directory, pg_temp
as $$
begin
  if new.code = 'SANDBOX' and exists (select from cell as c where c.name = new.cell and c.node <> 'main') then
    raise exception 'the sandbox belongs to a cell of the node main'
      using errcode = 'check_violation', constraint = 'company_sandbox_on_main', table = 'company';
  end if;
  return new;
end;
$$;

create trigger company_sandbox_on_main
before insert or update of cell on directory.company
for each row
execute function directory.require_sandbox_on_main();
