-- Moves a company to another cell of the same database.
--
-- core/workflows/MoveCompany.ts has the steps. First the company is closed and its move is recorded. Once nothing of it is in
-- progress, raise_ids and move_company run, each in a transaction of its own. Then the company is opened in its new cell.

drop function if exists directory.raise_ids;
drop function if exists directory.move_company;
drop function if exists directory.tables_of_companies;
drop function if exists directory.numbered_columns;

-- The tables of a cell with rows of companies, in the order in which foreign keys allow inserts. The balance is last, so
-- the triggers of the other tables find no closed company in the new cell.
--
-- `stored` has the columns to copy and `columns` all columns, each as a list for a statement. `types` tells tables with other
-- columns apart.
create function directory.tables_of_companies(cell text)
returns table (name text, place bigint, stored text, columns text, types text)
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  with recursive company_table as (
    select c.oid, c.relname::text as name
    from pg_class as c
    join pg_attribute as a on a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
    where c.relnamespace = to_regnamespace(quote_ident(cell)) and c.relkind in ('r', 'p') and not c.relispartition
  ),
  reached as (
    select oid, 0 as depth from company_table
    union
    select f.conrelid, r.depth + 1
    from reached as r
    join pg_constraint as f on f.contype = 'f' and f.confrelid = r.oid and f.conrelid <> f.confrelid
    where r.depth < 100
  )
  select
    t.name,
    row_number() over (order by t.name = 'balance', max(r.depth), t.name),
    min(a.stored),
    min(a.columns),
    min(a.types)
  from company_table as t
  join reached as r on r.oid = t.oid
  cross join lateral (
    select
      string_agg(quote_ident(a.attname), ', ' order by a.attname) filter (where a.attgenerated = '') as stored,
      string_agg(quote_ident(a.attname), ', ' order by a.attname) as columns,
      string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || a.attgenerated::text, ', ' order by a.attname)
        as types
    from pg_attribute as a
    where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  ) as a
  group by t.name
$$;

-- The columns with ids that sequences of a cell assign. Each sequence is named after its table and column.
create function directory.numbered_columns(cell text) returns table (sequence text, "table" text, "column" text)
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  select s.sequencename::text, c.relname::text, a.attname::text
  from pg_sequences as s
  join pg_class as c on c.relnamespace = to_regnamespace(quote_ident(cell)) and c.relkind in ('r', 'p')
  join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where s.schemaname = cell and s.sequencename = c.relname || '_' || a.attname
$$;

-- Raises the ids that a cell assigns next above all ids of a company. Otherwise the company would get lower ids in its new
-- cell than it already has, but its entries are in the order of their ids. Each sequence keeps its remainder of 256
-- (adapters/postgres/schema/CellIds.ts).
--
-- A changed sequence waits for the transactions that use it, and new ones wait until this transaction ends.
create function directory.raise_ids(company_ bigint, target_ text) returns void
language plpgsql
-- Runs as its owner, who owns the sequences.
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  source_ text;
  ordinal_ int;
  n record;
  highest bigint;
  reached bigint;
begin
  select m.source into source_
  from directory.company_move as m
  where m.company_id = company_ and m.target = target_;
  -- Another operator has ended the move.
  if not found then
    return;
  end if;
  select c.ordinal into strict ordinal_ from directory.cell as c where c.name = target_;

  -- transaction_id first, as in CellIds.ts.
  for n in
    select c.*
    from directory.numbered_columns(target_) as c
    order by c.sequence <> 'transaction_id', c.sequence
  loop
    execute format('select max(%I) from %I.%I where company_id = $1', n."column", source_, n."table")
    using company_
    into highest;
    -- Some more, for outcomes that are written until the rows move.
    highest := highest + 1000 * 256;
    execute format('select last_value from %I.%I', target_, n.sequence) into reached;
    continue when highest is null or highest <= reached;

    -- Locks the sequence, so its last value is read again after this.
    execute format('alter sequence %I.%I increment by 256', target_, n.sequence);
    execute format('select last_value from %I.%I', target_, n.sequence) into reached;
    highest := greatest(highest, reached);
    execute format(
      'alter sequence %I.%I restart with %s', target_, n.sequence, highest + 256 - mod(highest - ordinal_ + 256, 256)
    );
  end loop;
end;
$$;

-- Moves all rows of a company to another cell, and names the cell in the directory. All of this is one transaction. Fails
-- unless the move has begun, the company is closed, and the copies equal the rows. Returns the number of rows. Returns null,
-- and changes nothing, if another transaction is moving the company.
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
  reached bigint;
  highest bigint;
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
    raise exception 'no move of company % from % to % has begun', company_, source_, target_;
  end if;
  if (select string_agg(t.name || ': ' || t.types, '; ' order by t.name) from directory.tables_of_companies(source_) as t)
    is distinct from
    (select string_agg(t.name || ': ' || t.types, '; ' order by t.name) from directory.tables_of_companies(target_) as t)
  then
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

  for n in select c.* from directory.numbered_columns(target_) as c loop
    execute format('select max(%I) from %I.%I where company_id = $1', n."column", source_, n."table")
    using company_
    into highest;
    execute format('select last_value from %I.%I', target_, n.sequence) into reached;
    if highest > reached then
      -- An outcome was written since raise_ids. The caller raises the ids again.
      raise exception 'the sequence %.% is behind company %', target_, n.sequence, company_
        using errcode = 'serialization_failure';
    end if;
  end loop;

  -- 2. Copy. A locked row is read in its newest version, and nothing changes it after that.
  execute format('delete from %I.departed where company = $1', target_) using company_;
  for n in select t.* from directory.tables_of_companies(source_) as t order by t.place loop
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
  for n in select t.* from directory.tables_of_companies(source_) as t order by t.place loop
    execute format(
      'select count(*) as n, sum(hashtextextended(row(%s)::text, 0)) as digest from %I.%I where company_id = $1',
      n.columns, source_, n.name
    )
    using company_
    into original;
    execute format(
      'select count(*) as n, sum(hashtextextended(row(%s)::text, 0)) as digest from %I.%I where company_id = $1',
      n.columns, target_, n.name
    )
    using company_
    into copy;
    if original is distinct from copy or original.n <> (counts ->> n.name)::bigint then
      raise exception 'the copy of %.% differs', source_, n.name;
    end if;
    done := done + original.n;
    perform set_config('application_name', format('saldo move %s: %s/%s', company_, done, steps), true);
  end loop;

  -- 4. Delete, children before their parents. The triggers of rows that are otherwise kept ask is_leaving.
  execute format('insert into %I.departed (company, is_leaving) values ($1, true)', source_) using company_;
  for n in select t.* from directory.tables_of_companies(source_) as t order by t.place desc loop
    execute format('delete from %I.%I where company_id = $1', source_, n.name) using company_;
    get diagnostics removed = row_count;
    if removed <> (counts ->> n.name)::bigint then
      raise exception 'of %.%, % rows were copied and % deleted', source_, n.name, counts ->> n.name, removed;
    end if;
    done := done + removed;
    perform set_config('application_name', format('saldo move %s: %s/%s', company_, done, steps), true);
  end loop;
  execute format('update %I.departed set is_leaving = false where company = $1', source_) using company_;

  -- 5. Set each later check of the new cell back to its position in the old cell, so that no moved sale is skipped. A
  -- process that works on such a check begins it again.
  execute format(
    'update %I.follow_up as f '
      'set settled_at = o.settled_at, transaction_id = o.transaction_id, leased_until = null '
      'from %I.follow_up as o '
      'where o.hours = f.hours and (o.settled_at, o.transaction_id) < (f.settled_at, f.transaction_id)',
    target_, source_
  );
  update directory.company set cell = target_ where id = company_;
  return total;
end;
$$;

-- These functions run as their owner, so no other role may call them until roles.sql grants it.
revoke all on function
  directory.raise_ids, directory.move_company, directory.tables_of_companies, directory.numbered_columns
from public;
