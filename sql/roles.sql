-- The permissions in the directory and the catalogue. cell/roles.sql has the permissions in a cell. Runs again whenever any
-- file of the directory changes, if the roles exist or can be created. In a database without these roles, one login owns
-- and does everything.

-- First revokes all permissions that an earlier version granted.
revoke all on all tables in schema directory, catalogue from saldo_reader, saldo_server, saldo_operator;
revoke all on all sequences in schema directory, catalogue from saldo_reader, saldo_server, saldo_operator;
revoke all on all functions in schema directory, catalogue from public, saldo_reader, saldo_server, saldo_operator;

-- saldo_server

grant usage on schema directory, catalogue to saldo_server;
grant select on all tables in schema catalogue to saldo_server;
grant select on directory.schema_version, directory.schema_file, directory.cell to saldo_server;
grant select on directory.company_move, directory.cell_move to saldo_server;

-- funding.sql decides which balances a login may change by hand.
grant execute on function directory.deposit, directory.adjust to saldo_server;

-- The first start creates the sandbox and fills an empty catalogue. The server may store the hash of a token's secret
-- again, with the pepper, when the token is used.
grant select, insert on directory.company, directory.token, directory.token_use to saldo_server;
grant update (
  secret_hash, secret_pepper, previous_hash, previous_pepper, previous_until, state
) on directory.token to saldo_server;
grant update (used_at) on directory.token_use to saldo_server;
grant select, insert, update (wrapped, protected) on directory.data_key to saldo_server;
grant select, insert, update (ended_at, duration_ms, violations) on directory.last_audit to saldo_server;
-- Only servers of the previous version use this table.
grant select, insert, update (settled_at, transaction_id, leased_until) on directory.follow_up to saldo_server;
grant select, insert, delete, update (queued_at) on directory.phone_quota to saldo_server;
grant select, insert, update (balances, read_at, failed_at) on directory.provider_float to saldo_server;
grant insert, select (action, at) on directory.audit_event to saldo_server;
grant insert, update on catalogue.category, catalogue.service, catalogue.package to saldo_server;

-- saldo_operator

grant select on directory.audit_event to saldo_operator;
grant execute on function directory.propose_funding, directory.confirm_funding to saldo_operator;
grant update (legal_name, rnc, state, api_enabled, insurance_enabled) on directory.company to saldo_operator;
grant update (state) on directory.cell to saldo_operator;
-- move_company moves all rows of a company in one transaction, after the move has begun.
grant insert, delete on directory.company_move, directory.cell_move to saldo_operator;
grant execute on function
  directory.move_company, directory.raise_ids, directory.hold_move, directory.hold_cell_move, directory.place_company,
  directory.place_cell
to saldo_operator;
grant insert, update on catalogue.company_service to saldo_operator;
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
