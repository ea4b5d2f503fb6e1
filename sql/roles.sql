-- The roles and what each may do. Runs again whenever anything in sql/ changes, if the roles exist or can be made. A
-- database without them belongs to the one login that does everything.
--
-- saldo_reader    reads. Of a cell it sees the rows of one company at a time.
-- saldo_server    what `saldo serve` does. Money moves only by the functions, which run as their owner.
-- saldo_operator  what the other commands do beside that.
--
-- The operator makes the logins: members of saldo_server or saldo_operator, and owners of nothing.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['saldo_reader', 'saldo_server', 'saldo_operator'] loop
    -- Roles belong to all databases of a server, so the migration of another database may be making them right now.
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

-- First everything is taken back that an earlier version granted.
revoke all on all tables in schema cell, directory, catalogue from saldo_reader, saldo_server, saldo_operator;
revoke all on all sequences in schema cell, directory, catalogue from saldo_reader, saldo_server, saldo_operator;
revoke all on all functions in schema cell, directory, catalogue from public, saldo_reader, saldo_server, saldo_operator;

-- saldo_reader

grant usage on schema cell to saldo_reader;
grant select on
  cell.balance, cell.block, cell.consumption, cell.entry, cell.idempotency, cell.insurance, cell.option, cell.transaction
to saldo_reader;

-- saldo_server

grant usage on schema cell, directory, catalogue to saldo_server;
grant select on all tables in schema cell, catalogue to saldo_server;
grant select on directory.schema_version, directory.schema_file to saldo_server;

-- All that changes a balance, an entry, or the status of a sale. Whose balance a login may change by hand is decided by
-- functions/funding.sql.
grant execute on function
  cell.reserve, cell.settle, cell.begin_reversal, cell.settle_reversal, directory.deposit, directory.adjust
to saldo_server;

-- Recovery leases the rows that it asks about. That changes no status, and so no block.
grant update (asked_at, leased_until) on cell.transaction, cell.reversal to saldo_server;

grant insert, delete, update (name, price, validity, data, expires_at) on cell.option to saldo_server;
grant insert, update (times, last_at) on cell.question, cell.replay to saldo_server;

-- The sale and the policy of an insurance are written by the functions only.
grant usage on sequence cell.insurance_id to saldo_server;
grant insert (
  company_id, id, service_id, environment, state, plate, insured, terminal_id, renewal, reference, versions, offered_extras,
  code_hash, code_expires_at, created_at
), update (
  state, code_hash, code_expires_at, attempts, resends, version, plan, offered_extras, quote_reference, quote_total,
  quote_extras, quote_expires_at
) on cell.insurance to saldo_server;
grant insert, update (status, sealed, detail, tries, expires_at, send_at, leased_until, settled_at) on cell.sms
to saldo_server;

-- The first start makes the sandbox and fills an empty catalogue. A token's secret may be hashed anew when it is used.
grant select, insert on directory.company, directory.token, directory.token_use to saldo_server;
grant update (
  secret_hash, secret_pepper, previous_hash, previous_pepper, previous_until, state
) on directory.token to saldo_server;
grant update (used_at) on directory.token_use to saldo_server;
grant select, insert, update (wrapped, protected) on directory.data_key to saldo_server;
grant insert, select (action, at) on directory.audit_event to saldo_server;
grant insert, update on catalogue.category, catalogue.service, catalogue.package to saldo_server;

-- saldo_operator

grant select on directory.audit_event to saldo_operator;
grant update (state, api_enabled, insurance_enabled) on directory.company to saldo_operator;
grant insert, update on catalogue.company_service to saldo_operator;
grant
  insert (company_id, limit_daily, limit_weekly, limit_monthly, low_balance_alert, updated_at),
  update (limit_daily, limit_weekly, limit_monthly, low_balance_alert, updated_at)
on cell.balance to saldo_operator;
grant execute on function cell.default_limit to saldo_operator;
grant insert, update on cell.resolution to saldo_operator;

-- Row-level security: of every table of a cell a reader sees only the company that its statement has entered, and
-- nothing before that. The money functions run as the owner, to whom no policy applies, so they pay nothing for this.
do $$
declare
  tenant text;
begin
  for tenant in
    select c.relname from pg_class as c where c.relnamespace = 'cell'::regnamespace and c.relkind in ('r', 'p')
  loop
    -- Each of these statements locks the table, so none runs where its result is already there.
    if not (select relrowsecurity from pg_class where oid = format('cell.%I', tenant)::regclass) then
      execute format('alter table cell.%I enable row level security', tenant);
    end if;
    if not exists (
      select from pg_policy where polrelid = format('cell.%I', tenant)::regclass and polname = 'server_sees_all'
    ) then
      execute format('create policy server_sees_all on cell.%I to saldo_server using (true)', tenant);
    end if;
    if not exists (
      select from pg_policy where polrelid = format('cell.%I', tenant)::regclass and polname = 'reader_sees_one'
    ) then
      execute format(
        'create policy reader_sees_one on cell.%I for select to saldo_reader '
          'using (company_id = nullif(current_setting(''saldo.company'', true), '''')::bigint)',
        tenant
      );
    end if;
  end loop;
end;
$$;
