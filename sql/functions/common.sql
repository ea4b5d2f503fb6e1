-- What several money functions share.

drop function if exists cell.key_answer;
drop function if exists cell.require_all_written;

-- The answer to a call whose idempotency key another call has claimed. `known` is the key's row, `status` that of its
-- sale. A key that was settled before `expired_before` no longer replays. An operation that was claimed before
-- `stuck_before` and has no answer yet can no longer be waited for.
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
-- the row is locked; a row that was not found there means that money would move on one side only.
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

-- Only the money functions, which run as their owner, call these.
revoke all on function cell.key_answer, cell.require_all_written from public;
