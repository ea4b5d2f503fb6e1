-- Moves of cells between nodes that were begun and have not ended.

create table directory.cell_move (
  cell text primary key references directory.cell,
  source text not null,
  target text not null check (target ~ '^[a-z][a-z0-9]{0,30}$'),
  begun_at timestamptz not null,
  was_open boolean not null,
  constraint cell_move_nodes check (source <> target)
);

comment on table directory.cell_move is
  'Moves of cells to another node that have begun and not ended. These cells are closed.';
comment on column directory.cell_move.source is 'The node that had the cell when the move began.';
comment on column directory.cell_move.target is
  'The node that gets the cell. Once directory.cell names it, the schema there is complete.';
comment on column directory.cell_move.was_open is 'Whether the end of the move opens the cell.';

create trigger cell_move_announced
after insert or update or delete on directory.cell_move
for each statement
execute function directory.announce_change();
