-- How many sales of each status a block has is written by whatever settles one. If a count is wrong, the audit says so; it
-- must not keep the settlement from being written, and the money from being charged or given back.
alter table cell.block
  drop constraint block_pending_check,
  drop constraint block_success_check,
  drop constraint block_failed_check,
  drop constraint block_reversed_check,
  drop constraint block_check1;
