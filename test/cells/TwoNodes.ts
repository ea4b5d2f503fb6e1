import { randomUUID } from "node:crypto"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import * as Cells from "../../adapters/postgres/cells/Cells.ts"
import * as ReadsOfCells from "../../adapters/postgres/cells/ReadsOfCells.ts"
import { anyRoleReaderLayer, readerLayer } from "../../adapters/postgres/connection/CompanyReads.ts"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import * as Nodes from "../../adapters/postgres/connection/Nodes.ts"
import { sharedBestEffortConnection } from "../../adapters/postgres/grouping/BestEffortWrites.ts"
import * as AuditPostgres from "../../adapters/postgres/reads/AuditPostgres.ts"
import { addCell } from "../../adapters/postgres/schema/AddCell.ts"
import { freshDatabaseUrl } from "../support/Database.ts"
import { copyDatabase } from "../support/EmbeddedDatabases.ts"
import { portsOfCells } from "./ThreeCells.ts"

/** Name of the second node, and of its cell. */
const node = "este"
const cellOnNode = "sur"

/** The URL of the database that is the second node. It is empty, and only its cell is created there. */
export class NodeUrl extends Context.Service<NodeUrl, string>()("saldo/test/NodeUrl") {}

/** Connections to a node. */
export const connectionsTo = (url: Redacted.Redacted) =>
  Layer.provideMerge(
    Layer.merge(anyRoleReaderLayer, sharedBestEffortConnection),
    Database.layer({ url, connections_max: 6 })
  )

const companies = SqlClient.SqlClient.use(
  (sql) => sql`
    insert into directory.company (id, legal_name, code, environment, created_at, cell)
    overriding system value
    select i, 'Empresa ' || i, 'E' || i, 'production', now(), (array['cell', ${cellOnNode}])[i % 2 + 1]
    from generate_series(300, 329) as i`
)

/** Two nodes, each with a cell. Companies with an odd number are on the second one. */
const TwoNodes = Layer.unwrap(
  Effect.gen(function* () {
    const url = Redacted.make(yield* freshDatabaseUrl)
    const nodeUrl = yield* copyDatabase(inject("postgresUrl"), "template0", `test_${randomUUID()}`)
    const main = Layer.provideMerge(
      readerLayer({ url, connections_max: 2 }),
      Database.layer({ url, connections_max: 8 })
    )
    const prepared = Layer.effectDiscard(Effect.andThen(addCell(cellOnNode, node), companies))
    return Layer.provideMerge(prepared, main).pipe(
      Layer.provideMerge(Nodes.layer(new Map([[node, connectionsTo(Redacted.make(nodeUrl))]]))),
      Layer.merge(Layer.succeed(NodeUrl, nodeUrl))
    )
  })
).pipe(Layer.orDie)

/** The ports of a server and of the operator, over the cells of both nodes. */
export const portsOfNodes = Layer.mergeAll(
  AuditPostgres.layer,
  Layer.provide(Layer.merge(ReadsOfCells.companyLayer, ReadsOfCells.operatorLayer), Cells.layer)
).pipe(Layer.provideMerge(portsOfCells), Layer.provideMerge(TwoNodes))
