-- Functions that several money functions call.

drop function if exists key_state;
drop function if exists require_all_written;
drop function if exists response_of;

-- Returns what a key means for a call when another call has claimed it: Conflict, KeyReused, Replay or InProgress. The
-- first four arguments are columns of the key; `fingerprint` is the fingerprint of the call.
--
-- A key that was settled before `expired_before` no longer replays its response. An operation without a response is a
-- conflict if it was claimed before `stuck_before`; otherwise it is in progress.
--
-- core/domain/Idempotency.ts states the same rule for the ledger in memory. test/postgres/model compares the two.
create function key_state(
  known_fingerprint bytea,
  claimed_at timestamptz,
  completed_at timestamptz,
  settled_at timestamptz,
  fingerprint bytea,
  expired_before timestamptz,
  stuck_before timestamptz
) returns text
language sql
immutable
as $$
  select case
    when settled_at < expired_before then 'Conflict'
    when known_fingerprint <> fingerprint then 'KeyReused'
    when completed_at is not null then 'Replay'
    when claimed_at < stuck_before then 'Conflict'
    else 'InProgress'
  end
$$;

-- Fails the transaction unless every locked row was written. Rows are written by their ctid, which cannot change while
-- the row is locked. If a locked row is not found by its ctid, only part of the money movement would be written.
create function require_all_written(written bigint, locked bigint) returns void
language plpgsql
immutable
as $$
begin
  if written is distinct from locked then
    raise exception 'of % rows that were locked, % were written', locked, written;
  end if;
end;
$$;

-- The response that a key replays. The response to a delivered sale is stored without its order, because the row of the
-- sale has the same values, and they never change.
create function response_of(outcome jsonb, company bigint, sale bigint) returns jsonb
language sql
stable
set search_path from current
as $$
  select case
    when outcome ->> '_tag' = 'Delivered' and not outcome ? 'order' then
      outcome || jsonb_build_object(
        'order', (
          select jsonb_build_object(
            'companyId', t.company_id,
            'transactionId', t.id,
            'environment', t.environment,
            'xid', t.xid,
            'service', jsonb_build_object('id', t.service_id, 'name', t.service_name, 'type', t.service_type),
            'identifier', t.identifier,
            'amount', t.amount,
            'product', t.product,
            'reference', t.option_reference,
            'createdAt', t.created_at
          )
          from transaction as t
          where t.company_id = company and t.id = sale
        )
      )
    else outcome
  end
$$;

-- Only the money functions call these functions, and the money functions run as their owner. roles.sql lets readers call
-- response_of.
revoke all on function key_state, require_all_written, response_of from public;
