-- What the operator's panorama reads: sales by time, and the result of the last audit.

-- Finds the pages with the sales of a few hours or of a day, over all companies. A B-tree would get a new entry twice for
-- each sale. A BRIN index stores a summary of every 128 pages, and an insert into the newest pages changes none.
--
-- The space of dead row versions is reused, so older pages also contain a few new sales. Several ranges in a summary
-- keep those apart; with one range, the summary would cover all days between.
create index transaction_created_at on cell.transaction
using brin (created_at timestamptz_minmax_multi_ops) with (autosummarize = on);

create table directory.last_audit (
  id int primary key check (id = 1),
  ended_at timestamptz not null,
  duration_ms bigint not null check (duration_ms >= 0),
  violations jsonb not null
);

comment on table directory.last_audit is 'Result of the last audit of any process. One row at most.';
comment on column directory.last_audit.violations is
  'Number of violating rows of each violated invariant, by the name of the invariant.';
