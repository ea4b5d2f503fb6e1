-- Moves of companies between cells that were begun and have not ended.

create table directory.company_move (
  company_id bigint primary key references directory.company,
  source text not null references directory.cell,
  target text not null references directory.cell,
  begun_at timestamptz not null,
  constraint company_move_cells check (source <> target)
);

comment on table directory.company_move is
  'Moves of companies that have begun and not ended. Calls of these companies are refused with 503.';
comment on column directory.company_move.source is 'The cell that had the company when the move began.';
comment on column directory.company_move.target is
  'The cell that gets the company. Once directory.company names it, the rows are there.';

create trigger company_move_announced
after insert or update or delete on directory.company_move
for each statement
execute function directory.announce_change();
