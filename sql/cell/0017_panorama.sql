-- Finds the pages with the sales of a few hours or of a day, over all companies. A B-tree would get a new entry twice for
-- each sale. A BRIN index stores a summary of every 128 pages, and an insert into the newest pages changes none.
--
-- The space of dead row versions is reused, so older pages also contain a few new sales. Several ranges in a summary
-- keep those apart; with one range, the summary would cover all days between.
create index transaction_created_at on transaction
using brin (created_at timestamptz_minmax_multi_ops) with (autosummarize = on);
