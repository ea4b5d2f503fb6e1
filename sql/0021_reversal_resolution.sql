-- Operators also settle a reversal that no provider settles. A sale has one proposal at a time: of itself, later of a reversal
-- of it, and the next takes the place of one that speaks of what has ended; the audit log keeps them all.
alter table cell.resolution
  add column reversal_id bigint,
  drop constraint resolution_verdict_check,
  add constraint resolution_verdict_check check (verdict in ('success', 'failed', 'reversed', 'stands')),
  add constraint resolution_about check ((verdict in ('reversed', 'stands')) = (reversal_id is not null)),
  add foreign key (company_id, reversal_id) references cell.reversal;
