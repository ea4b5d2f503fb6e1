-- Parts of the moves of companies (sql/move.sql, adapters/postgres/cells/NodeTransfer.ts) and of cells
-- (adapters/postgres/cells/CellMovesPostgres.ts). Only the owner may call these functions.

drop function if exists set_back_follow_ups;
drop function if exists thaw_table;
drop function if exists freeze_table;
drop function if exists delete_company;
drop function if exists digest_of;
drop function if exists ids_reach;
drop function if exists raise_ids;
drop function if exists highest_ids;
drop function if exists numbered_columns;
drop function if exists tables_to_move;
drop function if exists stored_tables;

-- The tables of this cell, each with the table that has its rows. On a worker of a Citus cluster a table of the cell is a view,
-- and a shard has its rows.
create function stored_tables() returns table (name text, id oid)
language sql
stable
set search_path from current
as $$
  select c.relname::text, coalesce(s.id, c.oid)
  from pg_class as c
  left join lateral (
    select d.refobjid as id
    from pg_rewrite as w
    join pg_depend as d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
    where w.ev_class = c.oid and d.refclassid = 'pg_class'::regclass and d.refobjid <> c.oid
    limit 1
  ) as s on c.relkind = 'v'
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'v')
$$;

-- The tables of this cell, in the order in which foreign keys allow inserts. The balance is last, so the triggers of the
-- other tables find no closed company while rows are copied. `whole` adds the tables without rows of companies, except
-- the record of the schema's files.
--
-- For statements: `stored` has the columns to copy, `columns` all columns, `texts` the columns to copy as texts, and `parsed`
-- reads them from r, a json array of these texts. `types` tells tables with other columns apart.
create function tables_to_move(whole boolean)
returns table (name text, place bigint, stored text, columns text, texts text, parsed text, types text)
language sql
stable
set search_path from current
as $$
  with recursive moved as (
    select t.id as oid, t.name
    from stored_tables() as t
    left join pg_attribute as a on a.attrelid = t.id and a.attname = 'company_id' and not a.attisdropped
    where a.attname is not null or whole and t.name <> 'schema_file'
  ),
  reached as (
    select oid, 0 as depth from moved
    union
    select f.conrelid, r.depth + 1
    from reached as r
    join pg_constraint as f on f.contype = 'f' and f.confrelid = r.oid and f.conrelid <> f.confrelid
    where r.depth < 100
  ),
  attribute as (
    select
      a.attrelid,
      quote_ident(a.attname) as name,
      a.attname,
      format_type(a.atttypid, a.atttypmod) as type,
      a.attgenerated = '' as is_stored,
      row_number() over (partition by a.attrelid, a.attgenerated = '' order by a.attname) - 1 as place
    from pg_attribute as a
    join moved as m on m.oid = a.attrelid
    where a.attnum > 0 and not a.attisdropped
  )
  select
    m.name,
    row_number() over (order by m.name = 'balance', (select max(r.depth) from reached as r where r.oid = m.oid), m.name),
    string_agg(a.name, ', ' order by a.attname) filter (where a.is_stored),
    string_agg(a.name, ', ' order by a.attname),
    string_agg(a.name || '::text', ', ' order by a.attname) filter (where a.is_stored),
    string_agg(format('(r ->> %s)::%s', a.place, a.type), ', ' order by a.attname) filter (where a.is_stored),
    string_agg(concat_ws(' ', a.attname, a.type, not a.is_stored), ', ' order by a.attname)
  from moved as m
  join attribute as a on a.attrelid = m.oid
  group by m.oid, m.name
$$;

-- The columns with ids that sequences of this cell assign. Each sequence is named after its table and column.
create function numbered_columns() returns table (sequence text, "table" text, "column" text)
language sql
stable
set search_path from current
as $$
  select s.sequencename::text, t.name, a.attname::text
  from pg_sequences as s
  cross join stored_tables() as t
  join pg_attribute as a on a.attrelid = t.id and a.attnum > 0 and not a.attisdropped
  where s.schemaname = current_schema() and s.sequencename = t.name || '_' || a.attname
$$;

-- The highest id of a company in each numbered column, by sequence.
create function highest_ids(company_ bigint) returns jsonb
language plpgsql
stable
set search_path from current
as $$
declare
  ids jsonb := '{}';
  n record;
  highest bigint;
begin
  for n in select c.* from numbered_columns() as c loop
    execute format('select max(%I) from %I where company_id = $1', n."column", n."table") using company_ into highest;
    ids := ids || jsonb_build_object(n.sequence, highest);
  end loop;
  return ids;
end;
$$;

-- Whether the sequences of this cell are at or above the given ids.
create function ids_reach(ids jsonb) returns boolean
language plpgsql
set search_path from current
as $$
declare
  n record;
  reached bigint;
begin
  for n in select c.* from numbered_columns() as c loop
    execute format('select last_value from %I', n.sequence) into reached;
    if (ids ->> n.sequence)::bigint > reached then
      return false;
    end if;
  end loop;
  return true;
end;
$$;

-- Raises the ids that this cell assigns next above the given ids. Otherwise a company would get lower ids in its new
-- cell than it already has, but its entries are in the order of their ids. Each sequence keeps its remainder of 256
-- (adapters/postgres/schema/CellIds.ts).
--
-- A changed sequence waits for the transactions that use it, and new ones wait until this transaction ends.
create function raise_ids(ids jsonb, ordinal int) returns void
language plpgsql
set search_path from current
as $$
declare
  n record;
  highest bigint;
  reached bigint;
begin
  -- transaction_id first, as in CellIds.ts.
  for n in
    select c.*
    from numbered_columns() as c
    order by c.sequence <> 'transaction_id', c.sequence
  loop
    -- Some more, for outcomes that are written until the rows move.
    highest := (ids ->> n.sequence)::bigint + 1000 * 256;
    execute format('select last_value from %I', n.sequence) into reached;
    continue when highest is null or highest <= reached;

    -- Locks the sequence, so its last value is read again after this.
    execute format('alter sequence %I increment by 256', n.sequence);
    execute format('select last_value from %I', n.sequence) into reached;
    highest := greatest(highest, reached);
    execute format(
      'alter sequence %I restart with %s', n.sequence, highest + 256 - mod(highest - ordinal + 256, 256)
    );
  end loop;
end;
$$;

-- Number of rows, and a digest over every column of every row. The order of the rows does not matter. Without a company:
-- of all rows. The settings make the texts of values equal on all servers.
create function digest_of(table_ text, columns_ text, company_ bigint, out n bigint, out digest numeric)
language plpgsql
stable
set search_path from current
set timezone = 'UTC'
set datestyle = 'ISO, MDY'
set intervalstyle = 'postgres'
set bytea_output = 'hex'
set extra_float_digits = 1
set jit = off
as $$
begin
  execute format(
    'select count(*), sum(hashtextextended(row(%s)::text, 0)) from %I where %s',
    columns_, table_, case when company_ is null then 'true' else 'company_id = $1' end
  )
  using company_
  into n, digest;
end;
$$;

-- Deletes the rows of a company in one table. The triggers of rows that are otherwise kept ask is_leaving.
create function delete_company(table_ text, company_ bigint) returns bigint
language plpgsql
set search_path from current
as $$
declare
  removed bigint;
begin
  execute format('delete from %I where company_id = $1', table_) using company_;
  get diagnostics removed = row_count;
  return removed;
end;
$$;

-- Lets a table refuse changes of a company that `departed` has as frozen, or every change, if no company is given. Waits
-- for the transactions that are writing the table. The condition with a constant costs other companies' sales nothing.
create function freeze_table(table_ text, company_ bigint) returns void
language plpgsql
set search_path from current
as $$
declare
  stored regclass := (select t.id from stored_tables() as t where t.name = table_);
begin
  -- Waits for a transaction that is removing the triggers, and for no other. A table that is already frozen is not locked
  -- further.
  execute format('lock table %s in access share mode', stored);
  if exists (
    select
    from pg_trigger as t
    where t.tgrelid = stored
      and t.tgname = case when company_ is null then 'frozen_cell' else 'frozen_old_' || company_ end
  ) then
    return;
  end if;
  if company_ is null then
    execute format(
      'create trigger frozen_cell before insert or update or delete on %s for each row '
        'execute function refuse_in_frozen_cell()',
      stored
    );
  else
    execute format(
      'create trigger frozen_new_%1$s before insert on %2$s for each row when (new.company_id = %1$s) '
        'execute function refuse_frozen()',
      company_, stored
    );
    execute format(
      'create trigger frozen_old_%1$s before update or delete on %2$s for each row when (old.company_id = %1$s) '
        'execute function refuse_frozen()',
      company_, stored
    );
  end if;
end;
$$;

-- Removes the triggers of freeze_table: the cell's, or those of all companies that are not frozen. A trigger of such a company
-- does no harm, so a failed call may be repeated at any time.
create function thaw_table(table_ text, whole boolean) returns void
language plpgsql
set search_path from current
as $$
declare
  unused name;
  stored regclass := (select t.id from stored_tables() as t where t.name = table_);
begin
  for unused in
    select t.tgname
    from pg_trigger as t
    where t.tgrelid = stored
      and case
        when whole then t.tgname = 'frozen_cell'
        else t.tgname ~ '^frozen_(new|old)_[0-9]+$'
          and not exists (
            select from departed as d where d.company = substring(t.tgname from '[0-9]+$')::bigint and d.frozen is not null
          )
      end
  loop
    execute format('drop trigger %I on %s', unused, stored);
  end loop;
end;
$$;

-- Sets each later check of this cell back to the given position, if that is earlier, so that no moved sale is skipped. A
-- process that works on such a check begins it again.
create function set_back_follow_ups(positions jsonb) returns void
language sql
set search_path from current
as $$
  update follow_up as f
  set settled_at = o.settled_at, transaction_id = o.transaction_id, leased_until = null
  from jsonb_to_recordset(positions) as o(hours int, settled_at timestamptz, transaction_id bigint)
  where o.hours = f.hours and (o.settled_at, o.transaction_id) < (f.settled_at, f.transaction_id)
$$;

revoke all on function
  stored_tables, tables_to_move, numbered_columns, highest_ids, ids_reach, raise_ids, digest_of, delete_company, freeze_table, thaw_table,
  set_back_follow_ups
from public;
