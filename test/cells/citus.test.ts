import { appendFileSync, cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { companyReads, readerLayer } from "../../adapters/postgres/connection/CompanyReads.ts"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import { addCell } from "../../adapters/postgres/schema/AddCell.ts"
import { bringUpInCluster } from "../../adapters/postgres/schema/CitusCell.ts"
import { migrate } from "../../adapters/postgres/schema/Migrations.ts"
import { bringUpCell } from "../../adapters/postgres/schema/SchemaChanges.ts"
import { SqlFolder, sqlFiles } from "../../adapters/postgres/schema/SqlFiles.ts"
import { codeOf } from "../../core/domain/ErrorCatalogue.ts"
import { CompanyId } from "../../core/domain/Ids.ts"
import { Verdict } from "../../core/domain/Sale.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { clusterNodes } from "../../facade/settings/ClusterNodes.ts"
import { testDatabaseUrl, violatedInvariants } from "../support/Database.ts"
import { intentOf, opened, reservedOrder } from "../support/SalesOnPostgres.ts"
import { inCluster, NodeUrl, node, onNode } from "./TwoNodes.ts"

const delivered = Verdict.Confirm({ delivery: { authCode: "AUTH-77", rechargeToken: null } })

/** Sells once to a company whose cell is on the worker. Returns the id of the sale. */
const sold = Effect.fnUntraced(function* (key: string) {
  const ledger = yield* Ledger
  const order = yield* reservedOrder(ledger, intentOf(301, key, 100))
  yield* ledger.settle({ order, verdict: delivered, at: yield* DateTime.now, notFound: 0 })
  return order.transactionId
})

/** The next version of the schema: a table, a column with a check, a trigger, and a changed money function. */
const laterVersion = Effect.gen(function* () {
  const root = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "saldo-sql-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const folder = join(root, "sql")
  cpSync(fileURLToPath(yield* SqlFolder), folder, { recursive: true })
  appendFileSync(
    join(folder, "cell", "0099_later.sql"),
    `create table later (company_id bigint primary key, note text check (folded_text(note) <> ''));
    alter table balance add column note text;
    alter table balance add constraint balance_note check (note <> 'forbidden; by a check');
    create trigger later_closed after insert on later for each row execute function refuse_closed();
    `
  )
  appendFileSync(join(folder, "functions", "deposit.sql"), "comment on function deposit is 'of the later version';\n")
  const { versions } = yield* sqlFiles
  appendFileSync(join(folder, "versions.txt"), `${versions.length + 1} later\n`)
  return Effect.provideService(SqlFolder, pathToFileURL(`${folder}/`))
})

inCluster("a cell on a worker of a Citus cluster", (it) => {
  it.effect("has its tables on the worker, and the coordinator reads them", () =>
    Effect.gen(function* () {
      yield* opened(yield* Ledger, 301, 10_000)
      const id = yield* sold("k1")
      const sql = yield* PgClient.PgClient
      const sales = yield* sql<{ id: bigint }>`select id from "sur$este".transaction where company_id = 301`
      assert.deepStrictEqual(
        sales.map((sale) => Number(sale.id)),
        [id]
      )
      const groups = yield* sql<{ id: number }>`
        select distinct p.groupid as id
        from pg_dist_placement as p
        join pg_dist_shard as s on s.shardid = p.shardid
        join pg_class as c on c.oid = s.logicalrelid
        where c.relnamespace = '"sur$este"'::regnamespace`
      assert.deepStrictEqual(groups, [{ id: 1 }])
    })
  )

  it.effect("shows a reader the rows of one company", () =>
    Effect.gen(function* () {
      const url = Redacted.make(yield* NodeUrl)
      const reads = yield* Layer.build(
        Layer.fresh(
          Layer.provide(readerLayer({ url, connections_max: 1 }), Database.layer({ url, connections_max: 1 }))
        )
      )
      const readOf = yield* Effect.provideContext(companyReads, reads)
      const companiesFor = (company: number) =>
        readOf(CompanyId.make(company))<{ id: bigint }>`select company_id as id from sur.balance`
      assert.deepStrictEqual(yield* companiesFor(301), [{ id: 301n }])
      assert.deepStrictEqual(yield* companiesFor(303), [])
    }).pipe(Effect.scoped)
  )

  it.effect("refuses the same invalid writes as a cell on a plain server", () =>
    Effect.gen(function* () {
      const refused = (statement: string) =>
        onNode(PgClient.PgClient.use((sql) => sql.unsafe(statement))).pipe(Effect.flip, Effect.map(codeOf))
      assert.strictEqual(yield* refused("update sur.entry set amount = amount + 1"), "23514")
      assert.strictEqual(yield* refused("update sur.transaction set status = 'PROCESSING'"), "23514")
      assert.strictEqual(yield* refused("update sur.balance set available = -1"), "23514")
    })
  )

  it.effect("is not moved by the rebalancer of the cluster", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const moved = yield* Effect.exit(sql`
        select citus_schema_move('"sur$este"'::regnamespace, nodename, nodeport)
        from pg_dist_node
        where groupid = 2`)
      assert.strictEqual(moved._tag, "Failure")
      yield* sold("k-unmoved")
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect("is added by a repeated command, unless the cell already has rows", () =>
    Effect.gen(function* () {
      yield* bringUpInCluster("otra", node)
      assert.strictEqual(yield* addCell("otra", node), "added")
      assert.strictEqual(yield* addCell("otra", node), "known")
      const sql = yield* PgClient.PgClient
      yield* sql`delete from directory.cell where name = 'otra'`
      assert.strictEqual(yield* addCell("otra", node), "added")
      yield* sql`delete from directory.cell where name = 'otra'`
      const row = "insert into otra.follow_up values (1, now(), 1)"
      yield* onNode(PgClient.PgClient.use((worker) => worker.unsafe(row)))
      assert.strictEqual(yield* addCell("otra", node), "taken")
    })
  )

  it.effect("is migrated as on a plain server if it was made before the server joined the cluster", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* onNode(bringUpCell("antigua", Effect.void))
      yield* sql`
        insert into directory.cell (name, ordinal, node) select 'antigua', max(ordinal) + 1, ${node} from directory.cell`
      const row = "insert into antigua.balance (company_id, available, updated_at) values (305, 7, now())"
      yield* onNode(PgClient.PgClient.use((worker) => worker.unsafe(row)))
      yield* onNode(
        PgClient.PgClient.use((worker) => worker`update antigua.schema_file set digest = '' where name = 'roles'`)
      )
      assert.deepStrictEqual(yield* migrate, ["antigua/roles"])
      const kept = onNode(
        PgClient.PgClient.use((worker) => worker`select available::int from antigua.balance where company_id = 305`)
      )
      assert.deepStrictEqual(yield* kept, [{ available: 7 }])
      yield* onNode(PgClient.PgClient.use((worker) => worker`delete from antigua.balance`))
    })
  )

  it.effect("is on a node that the cluster's catalogue names", () =>
    Effect.gen(function* () {
      const nodes = new Map(yield* clusterNodes(Redacted.make(yield* testDatabaseUrl), null))
      assert.sameMembers([...nodes.keys()], ["citus1", "citus2"])
      const found = nodes.get("citus1")?.url ?? Redacted.make("")
      assert.strictEqual(Redacted.value(found), yield* NodeUrl)
    })
  )

  it.effect("is migrated, keeps its rows, and assigns higher ids afterwards", () =>
    Effect.gen(function* () {
      const before = yield* sold("k2")
      const ran = yield* Effect.flatMap(laterVersion, (inLaterVersion) =>
        inLaterVersion(Effect.all([migrate, migrate]))
      )
      assert.includeMembers([...ran[0]], ["sur/0099_later", "sur/functions/deposit"])
      assert.deepStrictEqual(ran[1], [])
      const written = onNode(
        PgClient.PgClient.use(
          (sql) => sql<{ note: string }>`
            with noted as (insert into sur.later values (301, 'Uno') returning note)
            update sur.balance as b set note = n.note from noted as n where b.company_id = 301 returning b.note`
        )
      )
      assert.deepStrictEqual(yield* written, [{ note: "Uno" }])
      assert.isAbove(yield* sold("k3"), before)
      assert.deepStrictEqual(yield* violatedInvariants, [])
    }).pipe(Effect.scoped)
  )
})
