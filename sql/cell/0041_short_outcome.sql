-- The response to a delivered sale is stored without its order (response_of in sql/functions/common.sql), so the row of its key
-- only doubles when the response is stored. With 28 % filled at first, the longer row still fits into its page, so no new
-- index entry is needed.
alter table idempotency set (fillfactor = 28);

comment on column idempotency.outcome is
  'The response that a retry receives, for a delivered sale without its order (response_of). Null: the call is in progress.';
