import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { tableExists } from "../connection/Sql.ts"
import { bringUpCell, changesIn, exclusively, namesOf } from "./SchemaChanges.ts"
import { run, runStatements, type SqlFile, sqlFiles } from "./SqlFiles.ts"

/**
 * A cell on a worker of a Citus cluster has two schemas. The cluster's schema has the tables. Citus distributes this
 * schema: the whole cluster can query the tables, and their shards are on the worker. The cell's own schema exists on the
 * worker only. There, each table is a view of its shard, and the functions and sequences are as on a plain server. So no
 * statement of a server passes through Citus's planner, which forbids some of them and makes all of them slower.
 */

/**
 * Name of the schema that has the tables of a cell in the cluster. No cell has such a name, because names of cells contain
 * no `$`.
 */
export const clusterSchema = (cell: string, node: string): string => `${cell}$${node}`

/** A worker in the catalogue of its cluster. */
export interface Worker {
  readonly group: number
  readonly host: string
  readonly port: number
}

/** The workers of the cluster that the connected database coordinates. */
export const workers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* tableExists(sql, "pg_catalog.pg_dist_node"))) return []
  return yield* sql<Worker>`
    select groupid as "group", nodename as host, nodeport as port
    from pg_dist_node
    where groupid > 0 and noderole = 'primary' and isactive and (select groupid from pg_dist_local_group) = 0
    order by groupid`
})

/** The connected server, if it is a worker of a Citus cluster. */
export const asWorker = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* tableExists(sql, "pg_catalog.pg_dist_local_group"))) return null
  const [worker] = yield* sql<Worker>`
    select n.groupid as "group", n.nodename as host, n.nodeport as port
    from pg_dist_local_group as l
    join pg_dist_node as n on n.groupid = l.groupid and n.noderole = 'primary'
    where l.groupid > 0`
  return worker ?? null
})

/** Whether the connected database coordinates the cluster of the worker. */
export const coordinates = ({ group, host, port }: Worker) =>
  Effect.map(workers, (known) => known.some((each) => each.group === group && each.host === host && each.port === port))

const isDistributed = Effect.fnUntraced(function* (schema: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select from pg_dist_schema as d join pg_namespace as n on n.oid = d.schemaid where n.nspname = ${schema}`
  return rows.length > 0
})

const setPropagation = (setting: "on" | "off") =>
  SqlClient.SqlClient.use((sql) => sql`select set_config('citus.enable_ddl_propagation', ${setting}, true)`)

/**
 * Distributes the new schema with the tables of a cell, on the coordinator.
 *
 * The triggers of the tables call functions that read tables. On the worker these functions read the views of the cell's
 * own schema, because a query to a shard may not query a distributed table.
 *
 * The tables get no replica identity, so that the rebalancer of Citus refuses to move them. Such a move would lose the rows
 * that servers write meanwhile, because servers write directly to the shards.
 */
const distribute = Effect.fnUntraced(function* (cell: string, schema: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    do ${sql.literal(`$$
    declare
      f regprocedure;
      t regclass;
    begin
      for f in
        select p.oid
        from pg_proc as p
        where p.pronamespace = to_regnamespace('"${schema}"') and p.proconfig is not null
          and not '{"search_path=${cell}, pg_temp"}' <@ p.proconfig
      loop
        execute format('alter function %s set search_path = ${cell}, pg_temp', f);
      end loop;
      for t in
        select c.oid
        from pg_class as c
        where c.relnamespace = to_regnamespace('"${schema}"') and c.relkind = 'r' and c.relreplident <> 'n'
      loop
        execute format('alter table %s replica identity nothing', t);
      end loop;
    end;
    $$`)}`.unprepared
  if (yield* isDistributed(schema)) return
  yield* setPropagation("on")
  yield* sql`select set_config('citus.enable_unsafe_triggers', 'on', true)`
  yield* sql`select citus_schema_distribute(${`"${schema}"`}::regnamespace)`
  yield* setPropagation("off")
})

/**
 * Runs a file in the schema of the cluster. Citus repeats a statement about tables on the workers, but only a statement that
 * is sent alone. A file of functions is sent as a whole: servers call only the functions in the cell's own schema.
 */
const runInCluster = Effect.fnUntraced(function* (schema: string, file: SqlFile) {
  const sql = yield* SqlClient.SqlClient
  if (file.name.startsWith("functions/") || !(yield* isDistributed(schema))) return yield* run(file)
  yield* setPropagation("on")
  yield* sql`select set_config('citus.enable_unsafe_triggers', 'on', true)`
  yield* runStatements(file)
  yield* setPropagation("off")
})

/** Moves the tables of a new cell, which are empty, to its worker. Citus has chosen a worker for them. */
export const place = Effect.fnUntraced(function* (cell: string, node: string, { group, host, port }: Worker) {
  const sql = yield* SqlClient.SqlClient
  const schema = clusterSchema(cell, node)
  const misplaced = yield* sql`
    select
    from pg_dist_shard as s
    join pg_dist_placement as p on p.shardid = s.shardid
    join pg_class as c on c.oid = s.logicalrelid
    where c.relnamespace = to_regnamespace(${`"${schema}"`}) and p.groupid <> ${group}
    limit 1`
  if (misplaced.length === 0) return
  yield* sql`select citus_schema_move(${`"${schema}"`}::regnamespace, ${host}, ${port}, 'block_writes')`
})

/** Drops the tables of a cell in the cluster, on the coordinator. Citus drops their shards. */
export const dropInCluster = Effect.fnUntraced(function* (cell: string, node: string) {
  const sql = yield* SqlClient.SqlClient
  yield* setPropagation("on")
  yield* sql`drop schema if exists ${sql(clusterSchema(cell, node))} cascade`
  yield* setPropagation("off")
})

/**
 * Replaces the tables of the cell's own schema, which are empty, by views of the shards, on the worker. The views have the
 * column ctid too, because the money functions write locked rows by it. They read with the rights of the caller, so that the
 * row-level security of the shards applies.
 */
const viewShards = Effect.fnUntraced(function* (cell: string, schema: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    do ${sql.literal(`$$
    declare
      t record;
      is_missing boolean;
    begin
      set local client_min_messages = warning;
      for t in
        select c.relname as name, shard_name(s.logicalrelid, s.shardid) as shard, a.columns
        from pg_class as c
        join pg_dist_shard as s on s.logicalrelid = c.oid
        cross join lateral (
          select string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
          from pg_attribute as a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        ) as a
        where c.relnamespace = to_regnamespace('"${schema}"') and c.relname <> 'schema_file'
      loop
        if to_regclass(t.shard) is null then
          raise exception 'the tables of the cell ${cell} are not on this node';
        end if;
        execute format('drop table ${cell}.%I cascade', t.name);
        execute format(
          'create view ${cell}.%I with (security_invoker) as select %s, ctid from %s', t.name, t.columns, t.shard
        );
      end loop;
      select exists (
        select from pg_class where relnamespace = '${cell}'::regnamespace and relkind = 'r' and relname <> 'schema_file'
      )
      into is_missing;
      if is_missing then
        raise exception 'tables of the cell ${cell} are missing in the cluster';
      end if;
    end;
    $$`)}`.unprepared
})

/**
 * Moves the sequences of the earlier schema into the new one, so that no id is assigned twice. Sales wait for the sequences
 * until the transaction ends. A wait for a lock fails after 3 seconds, because a sale that waits 10 seconds is not sent.
 */
const keepSequences = Effect.fnUntraced(function* (cell: string, earlier: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select set_config('lock_timeout', '3s', true)`
  yield* sql`
    do ${sql.literal(`$$
    declare
      s name;
    begin
      for s in
        select q.sequencename
        from pg_sequences as q
        where q.schemaname = '${earlier}'
        -- In the order of spreadIds (CellIds.ts).
        order by q.sequencename <> 'transaction_id', q.sequencename
      loop
        execute format('drop sequence if exists ${cell}.%I', s);
        execute format('alter sequence "${earlier}".%I set schema ${cell}', s);
      end loop;
    end;
    $$`)}`.unprepared
})

/**
 * Whether the tables of a cell are views of shards. A cell that was made before its server became a worker has tables of its
 * own, and keeps them.
 */
export const isOnShards = Effect.fnUntraced(function* (cell: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select
    from pg_class as c
    join pg_namespace as n on n.oid = c.relnamespace
    where n.nspname = ${cell} and c.relname = 'balance' and c.relkind = 'v'`
  return rows.length > 0
})

/** Brings the tables of a cell in the cluster up to this version, on the coordinator. */
export const bringUpInCluster = (cell: string, node: string) => {
  const schema = clusterSchema(cell, node)
  return bringUpCell(schema, distribute(cell, schema), (file) => runInCluster(schema, file))
}

/**
 * Brings the cell's own schema up to this version, on the worker. The tables in the cluster must already have this version.
 * Whenever a file has changed, the schema is made anew. Calls in progress continue in the earlier schema. So the earlier
 * schema is dropped only before the next change.
 *
 * @param spread makes the sequences of the cell assign ids that no other cell assigns.
 */
export const bringUpOnWorker = <E, R>(cell: string, node: string, spread: Effect.Effect<unknown, E, R>) =>
  exclusively(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const files = yield* sqlFiles
      const change = { schema: cell, files: yield* changesIn(cell, files.cell) }
      const earlier = `${cell}$earlier`
      const [known] = yield* sql`select from pg_namespace where nspname = ${cell}`
      if (known !== undefined && !(yield* isOnShards(cell)))
        return yield* Effect.die(new Error(`the tables of the cell ${cell} are not in the cluster`))
      if (change.files.length > 0) {
        yield* sql`drop schema if exists ${sql(earlier)} cascade`
        if (known !== undefined) yield* sql`alter schema ${sql(cell)} rename to ${sql(earlier)}`
        yield* bringUpCell(cell, viewShards(cell, clusterSchema(cell, node)))
        // A new view has no grants.
        yield* run(files.cell.roles)
        if (known !== undefined) yield* keepSequences(cell, earlier)
      }
      yield* spread
      return namesOf(change)
    })
  )
