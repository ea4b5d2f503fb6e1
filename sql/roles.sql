-- The database roles and their permissions. Runs again whenever any file in sql/ changes, if the roles exist or can be
-- created. In a database without these roles, one login owns and does everything.
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

-- First revokes all permissions that an earlier version granted.
revoke all on all tables in schema cell, directory, catalogue from saldo_reader, saldo_server, saldo_operator;
revoke all on all sequences in schema cell, directory, catalogue from saldo_reader, saldo_server, saldo_operator;
revoke all on all functions in schema cell, directory, catalogue from public, saldo_reader, saldo_server, saldo_operator;

-- saldo_reader

grant usage on schema cell to saldo_reader;
grant select on
  cell.balance, cell.block, cell.closing, cell.consumption, cell.entry, cell.event, cell.idempotency, cell.insurance, cell.option,
  cell.reversal, cell.sublist_block, cell.transaction
to saldo_reader;
grant execute on function cell.sublist_of, cell.sublists_of to saldo_reader;

-- saldo_server

grant usage on schema cell, directory, catalogue to saldo_server;
grant select on all tables in schema cell, catalogue to saldo_server;
grant select on directory.schema_version, directory.schema_file to saldo_server;

-- The functions that change a balance, an entry, or the status of a sale. functions/funding.sql decides which balances
-- a login may change by hand.
grant execute on function
  cell.reserve, cell.settle, cell.begin_reversal, cell.settle_reversal, directory.deposit, directory.adjust
to saldo_server;

-- Closings. Only cell.add_closing stores them.
grant execute on function
  cell.next_closing, cell.end_day, cell.day_figures, cell.add_closing, cell.local_day, cell.entry_line
to saldo_server;

-- Recovery sets a lease on the rows that it asks about. A lease changes no status and therefore no block.
grant update (asked_at, leased_until) on cell.transaction, cell.reversal to saldo_server;

grant insert, delete, update (name, price, validity, data, expires_at) on cell.option to saldo_server;
grant insert, update (times, last_at) on cell.question, cell.replay to saldo_server;

-- The server may not write the sale and the policy of an insurance. Only the functions write them.
grant usage on sequence cell.insurance_id to saldo_server;
grant insert (
  company_id, id, service_id, environment, state, plate, insured, terminal_id, renewal, reference, versions, offered_extras,
  code_hash, code_expires_at, created_at
), update (
  state, code_hash, code_expires_at, attempts, resends, undelivered, version, plan, offered_extras, quote_reference, quote_total,
  quote_extras, quote_expires_at
) on cell.insurance to saldo_server;
grant insert, update (status, sealed, detail, tries, expires_at, send_at, ask_at, leased_until, settled_at) on cell.sms
to saldo_server;

-- Webhooks. Only functions write events. The server deletes old events.
grant usage on sequence cell.webhook_id to saldo_server;
grant execute on function cell.add_webhook, cell.remove_webhook, cell.test_webhook to saldo_server;
grant delete on cell.event to saldo_server;
grant delete, update (
  url, event_types, description, state, secret, previous_secret, previous_until, failing_since
) on cell.webhook to saldo_server;
grant insert, update, delete on cell.delivery to saldo_server;

-- The first start creates the sandbox and fills an empty catalogue. The server may store the hash of a token's secret
-- again, with the pepper, when the token is used.
grant select, insert on directory.company, directory.token, directory.token_use to saldo_server;
grant update (
  secret_hash, secret_pepper, previous_hash, previous_pepper, previous_until, state
) on directory.token to saldo_server;
grant update (used_at) on directory.token_use to saldo_server;
grant select, insert, update (wrapped, protected) on directory.data_key to saldo_server;
grant select, insert, update (ended_at, duration_ms, violations) on directory.last_audit to saldo_server;
grant select, insert, update (settled_at, transaction_id, leased_until) on directory.follow_up to saldo_server;
grant select, insert, delete, update (queued_at) on directory.phone_quota to saldo_server;
grant select, insert, update (balances, read_at, failed_at) on directory.provider_float to saldo_server;
grant insert, select (action, at) on directory.audit_event to saldo_server;
grant insert, update on catalogue.category, catalogue.service, catalogue.package to saldo_server;

-- saldo_operator

grant select on directory.audit_event to saldo_operator;
grant update (legal_name, rnc, state, api_enabled, insurance_enabled) on directory.company to saldo_operator;
grant insert, update on catalogue.company_service to saldo_operator;
grant
  insert (company_id, limit_daily, limit_weekly, limit_monthly, low_balance_alert, updated_at),
  update (limit_daily, limit_weekly, limit_monthly, low_balance_alert, updated_at)
on cell.balance to saldo_operator;
grant execute on function cell.default_limit to saldo_operator;
grant insert, update on cell.resolution to saldo_operator;
-- These functions move the money of deposits and adjustments that two operators agree on.
grant execute on function cell.propose_funding, cell.confirm_funding, cell.reject_funding to saldo_operator;
-- A check constraint of cell.resolution calls cell.folded_text.
grant execute on function cell.folded_text to saldo_operator;
grant execute on function cell.turn_events to saldo_operator;
grant select, insert, update (
  state, external_id, company_id, transaction_id, our_status, our_amount, our_at, their_status, their_amount, their_at, lines,
  line, file, opened_at, seen_at, gone_at
) on directory.statement_case to saldo_operator;
grant select, insert on directory.statement_case_note to saldo_operator;

-- Accounts of operators. Names never change, and accounts are never deleted.
grant
  select,
  insert (name, email, role, created_at),
  update (
    role, suspended, password_hash, totp_secret, totp_step, oidc_issuer, oidc_subject, token_hash, signed_in_at
  )
on directory.operator to saldo_operator;
grant select, insert, delete, update (password_hash, totp_secret) on directory.operator_invitation to saldo_operator;
grant select, insert, delete, update (used_at, reauthenticated_at) on directory.operator_session to saldo_operator;
grant select, insert, delete on directory.sign_in_attempt to saldo_operator;

-- Row-level security: in every table of a cell, a reader sees only the company that its statement has selected. Before
-- that, it sees no rows. The money functions run as the owner, to which no policy applies, so row-level security does
-- not slow them down.
do $$
declare
  tenant text;
begin
  for tenant in
    select c.relname from pg_class as c where c.relnamespace = 'cell'::regnamespace and c.relkind in ('r', 'p')
  loop
    -- Each of these statements locks the table, so it runs only if its result does not exist yet.
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
