-- Permissions in a cell. Runs again whenever any file of the cell changes, if the roles exist or can be created.

-- First revokes all permissions that an earlier version granted.
do $$
declare
  cell text := current_schema();
begin
  execute format('revoke all on all tables in schema %I from saldo_reader, saldo_server, saldo_operator', cell);
  execute format('revoke all on all sequences in schema %I from saldo_reader, saldo_server, saldo_operator', cell);
  execute format('revoke all on all functions in schema %I from public, saldo_reader, saldo_server, saldo_operator', cell);
  execute format('grant usage on schema %I to saldo_reader, saldo_server', cell);
  execute format('grant select on all tables in schema %I to saldo_server', cell);
end;
$$;

-- saldo_reader

grant select on
  balance, block, closing, consumption, entry, event, idempotency, insurance, option,
  reversal, sublist_block, transaction
to saldo_reader;
grant execute on function sublist_of, sublists_of, response_of to saldo_reader;

-- saldo_server

-- The functions that change a balance, an entry, or the status of a sale. directory.deposit and directory.adjust call
-- the functions for deposits and adjustments.
grant execute on function reserve, settle, begin_reversal, settle_reversal to saldo_server;

-- The triggers that keep the rows of closed companies unchanged call them.
grant execute on function refuse_if_closed, has_departed, is_leaving to saldo_server;

-- Closings. Only add_closing stores them.
grant execute on function
  next_closing, end_day, day_figures, add_closing, local_day, entry_line
to saldo_server;

-- Recovery sets a lease on the rows that it asks about. A lease changes no status and therefore no block.
grant update (asked_at, leased_until) on transaction, reversal to saldo_server;

grant insert, update (settled_at, transaction_id, leased_until) on follow_up to saldo_server;
grant insert, delete, update (name, price, validity, data, expires_at) on option to saldo_server;
grant insert, update (times, last_at) on question, replay to saldo_server;

-- The server may not write the sale and the policy of an insurance. Only the functions write them.
grant usage on sequence insurance_id to saldo_server;
grant insert (
  company_id, id, service_id, environment, state, plate, insured, terminal_id, renewal, reference, versions, offered_extras,
  code_hash, code_expires_at, created_at
), update (
  state, code_hash, code_expires_at, attempts, resends, undelivered, version, plan, offered_extras, quote_reference, quote_total,
  quote_extras, quote_expires_at
) on insurance to saldo_server;
grant insert, update (status, sealed, detail, tries, expires_at, send_at, ask_at, leased_until, settled_at) on sms
to saldo_server;

-- Webhooks. Only functions write events. The server deletes old events.
grant usage on sequence webhook_id to saldo_server;
grant execute on function add_webhook, remove_webhook, test_webhook to saldo_server;
grant delete on event to saldo_server;
grant delete, update (
  url, event_types, description, state, secret, previous_secret, previous_until, failing_since
) on webhook to saldo_server;
grant insert, update, delete on delivery to saldo_server;

-- saldo_operator

grant
  insert (company_id, limit_daily, limit_weekly, limit_monthly, low_balance_alert, updated_at),
  update (limit_daily, limit_weekly, limit_monthly, low_balance_alert, updated_at)
on balance to saldo_operator;
grant execute on function default_limit to saldo_operator;
grant insert, update on resolution to saldo_operator;
-- These functions move the money of deposits and adjustments that two operators agree on.
grant execute on function propose_funding, confirm_funding, reject_funding to saldo_operator;
-- A deposit in a cell of another node asks this cell about its reference.
grant execute on function recorded_deposit, deposit_elsewhere to saldo_operator;
-- In the database of the directory, operators deposit through directory.deposit.
do $$
begin
  if to_regnamespace('directory') is null then
    execute 'grant execute on function deposit to saldo_operator';
  end if;
end;
$$;
grant execute on function close_companies to saldo_operator;
-- A check constraint of resolution calls folded_text.
grant execute on function folded_text to saldo_operator;
grant execute on function turn_events to saldo_operator;

-- Row-level security: in every table of companies, a reader sees only the company that its statement has selected. Before
-- that, it sees no rows. The money functions run as the owner, to which no policy applies, so row-level security does
-- not slow them down.
do $$
declare
  tenant text;
begin
  for tenant in
    select c.relname
    from pg_class as c
    join pg_attribute as a on a.attrelid = c.oid and a.attname = 'company_id'
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
  loop
    -- Each of these statements locks the table, so it runs only if its result does not exist yet.
    if not (select relrowsecurity from pg_class where oid = format('%I', tenant)::regclass) then
      execute format('alter table %I enable row level security', tenant);
    end if;
    if not exists (
      select from pg_policy where polrelid = format('%I', tenant)::regclass and polname = 'server_sees_all'
    ) then
      execute format('create policy server_sees_all on %I to saldo_server using (true)', tenant);
    end if;
    if not exists (
      select from pg_policy where polrelid = format('%I', tenant)::regclass and polname = 'reader_sees_one'
    ) then
      execute format(
        'create policy reader_sees_one on %I for select to saldo_reader '
          'using (company_id = nullif(current_setting(''saldo.company'', true), '''')::bigint)',
        tenant
      );
    end if;
  end loop;
end;
$$;
