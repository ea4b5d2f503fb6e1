-- Who may do what. Runs again whenever anything of the schema changes, where the roles exist or may be made; a database
-- that has none belongs to the one role that everything runs as.
--
-- saldo_reader    reads, and of the tenant tables sees the rows of one company at a time.
-- saldo_server    what `saldo serve` does. Money moves by the functions alone, which run as their owner.
-- saldo_operator  what the other commands do beside that.
--
-- Logins are the operator's to make: members of saldo_server or saldo_operator, and owners of nothing.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['saldo_reader', 'saldo_server', 'saldo_operator'] loop
    -- Roles belong to all databases of a server, so another one's migration may be making them right now.
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

-- What an earlier version granted is taken back first.
revoke all on all tables in schema cell, directory, catalogue from saldo_reader, saldo_server, saldo_operator;
revoke all on all sequences in schema cell, directory, catalogue from saldo_reader, saldo_server, saldo_operator;
revoke all on all functions in schema cell, directory, catalogue from public, saldo_reader, saldo_server, saldo_operator;

grant usage on schema cell to saldo_reader;
grant usage on schema cell, directory, catalogue to saldo_server;

grant select on
  cell.balance, cell.block, cell.consumption, cell.entry, cell.idempotency, cell.insurance, cell.option, cell.transaction
to saldo_reader;

grant select on all tables in schema cell, catalogue to saldo_server;
grant select on migration, migration_function, migration_version to saldo_server;

-- All that touches a balance, an entry, or the status of a sale. Whose balance may change by hand: functions/funding.sql.
grant execute on function
  cell.reserve, cell.settle, cell.begin_reversal, cell.settle_reversal, directory.deposit, directory.adjust
to saldo_server;

-- Recovery says in the rows whom it asks about. That changes no status, and so no block.
grant update (asked_at, leased_until) on cell.transaction, cell.reversal to saldo_server;

grant insert, delete, update (name, price, validity, data, expires_at) on cell.option to saldo_server;
grant insert, update (times, last_at) on cell.question, cell.replay to saldo_server;

-- How it was paid, and the policy, are the functions' to write.
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

-- A start makes the sandbox and fills an empty catalogue; a token's secret is kept better when it is used.
grant select, insert on directory.company, directory.token, directory.token_use to saldo_server;
grant update (
  secret_hash, secret_pepper, previous_hash, previous_pepper, previous_until, state
) on directory.token to saldo_server;
grant update (used_at) on directory.token_use to saldo_server;
grant select, insert, update (wrapped, protected) on directory.data_key to saldo_server;
grant insert, select (action, at) on directory.audit_event to saldo_server;
grant insert, update on catalogue.category, catalogue.service, catalogue.package to saldo_server;

grant select on directory.audit_event to saldo_operator;
grant update (state, api_enabled, insurance_enabled) on directory.company to saldo_operator;
grant insert, update on catalogue.company_service to saldo_operator;
grant
  insert (company_id, limit_daily, limit_weekly, limit_monthly, low_balance_alert, updated_at),
  update (limit_daily, limit_weekly, limit_monthly, low_balance_alert, updated_at)
on cell.balance to saldo_operator;
grant insert, update on cell.resolution to saldo_operator;

-- A reader sees of every tenant table the company that its statement has entered, and nothing before it has entered one.
-- The money functions run as the owner, whom no policy holds, so they pay nothing for this.
do $$
declare
  tenant text;
begin
  for tenant in
    select c.relname from pg_class as c where c.relnamespace = 'cell'::regnamespace and c.relkind in ('r', 'p')
  loop
    -- Each of these locks the table, so what is there stays.
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
