-- Moves a company to another cell.
--
-- core/workflows/MoveCompany.ts has the steps. First the move is recorded and the company is closed. Once nothing of it is in
-- progress, raise_ids and move_company run, each in a transaction of its own. Then the company is opened in its new cell.
-- They need both cells in this database. Otherwise adapters/postgres/cells/NodeTransfer.ts copies the rows.

drop function if exists directory.raise_ids;
drop function if exists directory.move_company;
drop function if exists directory.hold_move;
drop function if exists directory.hold_cell_move;
drop function if exists directory.place_company;
drop function if exists directory.place_cell;
-- Functions of version 34.
drop function if exists directory.tables_of_companies;
drop function if exists directory.numbered_columns;

-- Raises the ids that a cell assigns next above all ids of a company that moves to it.
create function directory.raise_ids(company_ bigint, target_ text) returns void
language plpgsql
-- Runs as its owner, who owns the sequences.
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  source_ text;
  ordinal_ int;
begin
  select m.source into source_
  from directory.company_move as m
  where m.company_id = company_ and m.target = target_;
  -- Another operator has ended the move.
  if not found then
    return;
  end if;
  select c.ordinal into strict ordinal_ from directory.cell as c where c.name = target_;
  execute format('select %I.raise_ids(%I.highest_ids($1), $2)', target_, source_) using company_, ordinal_;
end;
$$;

-- Moves all rows of a company to another cell, and names the cell in the directory. All of this is one transaction. Fails
-- unless the company is closed, and the copies equal the rows. Returns the number of rows. Returns null, and changes nothing, if
-- another transaction is moving the company, or if the move has ended.
create function directory.move_company(company_ bigint, target_ text) returns bigint
language plpgsql
-- Runs as its owner, because no login may write these tables.
security definer
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  source_ text;
  n record;
  is_closed boolean;
  reaches boolean;
  tables jsonb;
  theirs jsonb;
  copied bigint;
  removed bigint;
  original record;
  copy record;
  -- Number of rows of each table, and of all tables.
  counts jsonb := '{}';
  total bigint;
  -- Number of rows to copy, to compare and to delete, and how many of them are done. The number is estimated until all rows
  -- are copied.
  steps bigint;
  done bigint := 0;
begin
  -- adapters/postgres/connection/Sql.ts has the numbers of all such locks.
  if not pg_try_advisory_xact_lock(7249021, hashint8(company_)) then
    return null;
  end if;
  select c.cell into strict source_ from directory.company as c where c.id = company_;
  -- A repeated call after a lost connection.
  if source_ = target_ then
    return 0;
  end if;
  if not exists (
    select from directory.company_move as m
    where m.company_id = company_ and m.source = source_ and m.target = target_
  ) then
    return null;
  end if;
  execute format('select jsonb_agg(to_jsonb(t) order by t.place) from %I.tables_to_move(false) as t', source_) into tables;
  execute format('select jsonb_agg(to_jsonb(t) order by t.place) from %I.tables_to_move(false) as t', target_) into theirs;
  if tables <> theirs then
    raise exception 'the tables of the cells % and % differ', source_, target_
      using hint = 'Run "saldo migrate".';
  end if;

  -- 1. Lock in the order of the money functions: keys, proposals, the balance. An outcome that is written now waits here, and
  -- is retried in the new cell.
  execute format(
    'select count(*) from (select from %I.idempotency as k where k.company_id = $1 order by k.key for update) as k', source_
  )
  using company_
  into steps;
  execute format(
    'select count(*) from (select from %I.funding_proposal as p where p.company_id = $1 order by p.number for update) as p',
    source_
  )
  using company_
  into copied;
  execute format('select b.closed, 3 * ($2 + b.sales + b.entries) from %I.balance as b where b.company_id = $1 for update', source_)
  using company_, steps
  into is_closed, steps;
  if is_closed is not true then
    raise exception 'company % is not closed', company_;
  end if;

  execute format('select %I.ids_reach(%I.highest_ids($1))', target_, source_) using company_ into reaches;
  if not reaches then
    -- An outcome was written since raise_ids. The caller raises the ids again.
    raise exception 'the sequences of the cell % are behind company %', target_, company_
      using errcode = 'serialization_failure';
  end if;

  -- 2. Copy. A locked row is read in its newest version, and nothing changes it after that.
  execute format('delete from %I.departed where company = $1', target_) using company_;
  for n in
    select t.*
    from jsonb_to_recordset(tables) as t(place int, name text, stored text, columns text)
    order by t.place
  loop
    execute format(
      'insert into %I.%I (%s) select %s from %I.%I where company_id = $1 for update',
      target_, n.name, n.stored, n.stored, source_, n.name
    )
    using company_;
    get diagnostics copied = row_count;
    counts := counts || jsonb_build_object(n.name, copied);
    done := done + copied;
    -- Shows the progress to other sessions. They do not see the rows of this transaction.
    perform set_config('application_name', format('saldo move %s: %s/%s', company_, done, steps), true);
  end loop;
  total := done;
  steps := 3 * total;

  -- 3. Compare every column of every row.
  for n in
    select t.*
    from jsonb_to_recordset(tables) as t(place int, name text, stored text, columns text)
    order by t.place
  loop
    execute format('select * from %I.digest_of($1, $2, $3)', source_) using n.name, n.columns, company_ into original;
    execute format('select * from %I.digest_of($1, $2, $3)', target_) using n.name, n.columns, company_ into copy;
    if original is distinct from copy or original.n <> (counts ->> n.name)::bigint then
      raise exception 'the copy of %.% differs', source_, n.name;
    end if;
    done := done + original.n;
    perform set_config('application_name', format('saldo move %s: %s/%s', company_, done, steps), true);
  end loop;

  -- 4. Delete, children before their parents. The triggers of rows that are otherwise kept ask is_leaving.
  execute format('insert into %I.departed (company, is_leaving) values ($1, true)', source_) using company_;
  for n in select t.* from jsonb_to_recordset(tables) as t(place int, name text) order by t.place desc loop
    execute format('select %I.delete_company($1, $2)', source_) using n.name, company_ into removed;
    if removed <> (counts ->> n.name)::bigint then
      raise exception 'of %.%, % rows were copied and % deleted', source_, n.name, counts ->> n.name, removed;
    end if;
    done := done + removed;
    perform set_config('application_name', format('saldo move %s: %s/%s', company_, done, steps), true);
  end loop;
  execute format('update %I.departed set is_leaving = false where company = $1', source_) using company_;

  -- 5. No later check of the new cell may skip a moved sale.
  execute format(
    'select %I.set_back_follow_ups((select jsonb_agg(to_jsonb(f)) from %I.follow_up as f))', target_, source_
  );
  update directory.company set cell = target_ where id = company_;
  return total;
end;
$$;

-- Holds the move of a company until the transaction ends: no other transaction moves the rows or ends the move. Returns the
-- company's cell, or null if another transaction holds the move, or if it has ended.
create function directory.hold_move(company_ bigint, target_ text) returns text
language plpgsql
-- Runs as its owner, because a share lock needs the right to change the row.
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  cell_ text;
begin
  if pg_try_advisory_xact_lock(7249021, hashint8(company_)) then
    perform from directory.company_move as m where m.company_id = company_ and m.target = target_ for share;
    if found then
      select c.cell into strict cell_ from directory.company as c where c.id = company_;
    end if;
  end if;
  return cell_;
end;
$$;

-- Holds the move of a cell, as hold_move. Returns the cell's node.
create function directory.hold_cell_move(cell_ text, target_ text) returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  node_ text;
begin
  if pg_try_advisory_xact_lock(7249022, hashtext(cell_)) then
    perform from directory.cell_move as m where m.cell = cell_ and m.target = target_ for share;
    if found then
      select c.node into strict node_ from directory.cell as c where c.name = cell_;
    end if;
  end if;
  return node_;
end;
$$;

-- Names the new cell of a company in the directory, after its rows were copied to a cell on another node. Returns whether the
-- move has begun and not ended. The caller holds the move in the same transaction, so it has held it since it froze the rows.
create function directory.place_company(company_ bigint, target_ text) returns boolean
language plpgsql
-- Runs as its owner, because no login may write this column.
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  update directory.company as c
  set cell = target_
  from directory.company_move as m
  where c.id = company_ and m.company_id = c.id and m.source = c.cell and m.target = target_;
  return found;
end;
$$;

-- Names the new node of a cell in the directory, after its schema was copied there. As place_company.
create function directory.place_cell(cell_ text, target_ text) returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  update directory.cell as c
  set node = target_
  from directory.cell_move as m
  where c.name = cell_ and m.cell = c.name and m.source = c.node and m.target = target_;
  return found;
end;
$$;

-- These functions run as their owner, so no other role may call them until roles.sql grants it.
revoke all on function
  directory.raise_ids, directory.move_company, directory.hold_move, directory.hold_cell_move, directory.place_company,
  directory.place_cell
from public;
