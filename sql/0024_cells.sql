-- Cells: the schemas with the money of the companies. The files in cell/ and functions/ create each of them.

create table directory.cell (
  name text primary key check (name ~ '^[a-z][a-z0-9_]{1,30}$' and name !~ '^pg_'),
  ordinal int not null unique check (ordinal between 0 and 255),
  state text not null default 'open' check (state in ('open', 'closed'))
);

insert into directory.cell (name, ordinal) values ('cell', 0);

alter table directory.company add column cell text not null default 'cell' references directory.cell;

create trigger cell_announced
after insert or update or delete on directory.cell
for each statement
execute function directory.announce_change();

comment on table directory.cell is 'The cells of the installation. Each is a schema with the money of many companies.';
comment on column directory.cell.name is 'Name of the cell and of its schema.';
comment on column directory.cell.ordinal is
  'Number of the cell. In an installation with several cells, the remainder of an id divided by 256 is the ordinal of the '
  'cell that assigned the id. So no id is assigned twice.';
comment on column directory.cell.state is 'closed: calls of the cell''s companies are refused with 503.';
comment on column directory.company.cell is 'The cell that has the money of the company.';

-- A database of an earlier version has one cell, and recorded the files of the cell with the files of the directory.
do $$
begin
  if to_regclass('cell.balance') is null then
    return;
  end if;
  create table cell.schema_file (name text primary key, digest text not null);
  with own as (
    select name, digest
    from directory.schema_file
    where name like 'functions/%'
      or name = any (
        '{cell,0002_events,0003_reversal_of_sale,0005_sms_delivery,0006_folded_text,0009_sublists,0012_follow_up,0017_panorama,0018_operator_reads,0021_funding_proposal,0022_closings}'
      )
  )
  insert into cell.schema_file (name, digest) select name, digest from own;
  delete from directory.schema_file as f
  where f.name <> all ('{0012_follow_up,0017_panorama}') and exists (select from cell.schema_file as c where c.name = f.name);
end;
$$;

-- The progress is now in each cell. A server of the previous version may still use this table. The checks of a cell begin
-- anew, and an answer that is already in the audit log is not recorded again.
comment on table directory.follow_up is 'No longer used: each cell has a table follow_up.';
