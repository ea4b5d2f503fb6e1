-- Entries of settled sales stay in an index until the table is vacuumed, which may be a million sales later. Whoever looks
-- for one number under way must not walk them all: its place is by the number, in an index that is small otherwise. The
-- one by when to ask is walked from its beginning, and is a sixth as long without what nobody asks of it.
create index transaction_under_way on cell.transaction (identifier, company_id) where status = 'PROCESSING';
drop index cell.transaction_unresolved;
create index transaction_unresolved on cell.transaction (ask_at) where status in ('PROCESSING', 'PENDING');
