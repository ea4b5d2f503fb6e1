-- The roles of Saldo. roles.sql and cell/roles.sql grant their permissions. Roles belong to all databases of a Postgres
-- server. A server that has only cells needs them too, so this file runs before the grants of every schema.
--
-- saldo_reader: reads. In a cell it sees the rows of one company at a time.
--
-- saldo_server: does the work of `saldo serve`. It moves money only by calling functions, which run as their owner.
--
-- saldo_operator: does the additional work of the other commands.
--
-- The operator creates the logins. They are members of saldo_server or saldo_operator, and own nothing.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['saldo_reader', 'saldo_server', 'saldo_operator'] loop
    -- Roles belong to all databases of a Postgres server, so the migration of another database may be creating them at
    -- the same time.
    begin
      if to_regrole(wanted) is null then
        execute format('create role %I nologin', wanted);
      end if;
    exception
      when duplicate_object or unique_violation then
        null;
    end;
  end loop;
  if not pg_has_role('saldo_server', 'saldo_reader', 'MEMBER') then
    grant saldo_reader to saldo_server;
  end if;
  if not pg_has_role('saldo_operator', 'saldo_server', 'MEMBER') then
    grant saldo_server to saldo_operator;
  end if;
end;
$$;
