-- Functions that several money functions call.

drop function if exists key_state;
drop function if exists require_all_written;

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

-- Only the money functions call these functions, and the money functions run as their owner.
revoke all on function key_state, require_all_written from public;
