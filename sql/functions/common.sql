-- Functions that several money functions call.

drop function if exists cell.key_answer;
drop function if exists cell.require_all_written;

-- Returns the answer to a call whose idempotency key was claimed by another call. `known` is the row of the key;
-- `status` is the status of its sale.
--
-- A key that was settled before `expired_before` no longer replays its response. An operation without a response is a
-- conflict if it was claimed before `stuck_before`; otherwise it is in progress.
--
-- core/domain/Idempotency.ts states the same rule for the ledger in memory. test/postgres/model compares the two.
create function cell.key_answer(
  known cell.idempotency,
  status text,
  fingerprint bytea,
  expired_before timestamptz,
  stuck_before timestamptz
) returns jsonb
language sql
immutable
as $$
  select case
    when known.settled_at < expired_before then
      jsonb_build_object('tag', 'Conflict', 'transaction_id', known.transaction_id, 'status', status)
    when known.fingerprint <> fingerprint then
      jsonb_build_object('tag', 'KeyReused')
    when known.completed_at is not null then
      jsonb_build_object('tag', 'Replay', 'outcome', known.outcome)
    when known.claimed_at < stuck_before then
      jsonb_build_object('tag', 'Conflict', 'transaction_id', known.transaction_id, 'status', status)
    else
      jsonb_build_object('tag', 'InProgress', 'transaction_id', known.transaction_id)
  end
$$;

-- Fails the transaction unless every locked row was written. Rows are written by their ctid, which cannot change while
-- the row is locked. If a locked row is not found by its ctid, only part of the money movement would be written.
create function cell.require_all_written(written bigint, locked bigint) returns void
language plpgsql
immutable
as $$
begin
  if written is distinct from locked then
    raise exception 'of % rows that were locked, % were written', locked, written;
  end if;
end;
$$;

-- Only the money functions call these functions, and the money functions run as their owner.
revoke all on function cell.key_answer, cell.require_all_written from public;
