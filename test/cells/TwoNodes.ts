import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { assert, it, layer } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import * as Cells from "../../adapters/postgres/cells/Cells.ts"
import * as ReadsOfCells from "../../adapters/postgres/cells/ReadsOfCells.ts"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import * as AuditPostgres from "../../adapters/postgres/reads/AuditPostgres.ts"
import { addCell } from "../../adapters/postgres/schema/AddCell.ts"
import { codedError } from "../../core/domain/ErrorCatalogue.ts"
import { connectedTo, copyOfPrepared, freshDatabaseUrl, testDatabaseUrl } from "../support/Database.ts"
import { copyDatabase } from "../support/EmbeddedDatabases.ts"
import { connectionsTo, nodeAt } from "../support/NodeCells.ts"
import { SecondPostgres } from "../support/SecondPostgres.ts"
import { clusterUrl, freshCluster } from "./CitusCluster.ts"
import { portsOfMoves } from "./Moves.ts"
import { portsOfCells } from "./ThreeCells.ts"

/** Name of the second node, and of its cell. */
export const node = "este"
const cellOnNode = "sur"

/** The URL of the database that is the second node. At first this database is empty; then it gets only its cell. */
export class NodeUrl extends Context.Service<NodeUrl, string>()("saldo/test/NodeUrl") {}

/**
 * Connections to the second node, which the tests of a file share. Postgres compiles functions for each
 * connection, which takes longer than most statements.
 */
class NodeConnections extends Context.Service<
  NodeConnections,
  Context.Context<Layer.Success<ReturnType<typeof connectionsTo>>>
>()("saldo/test/NodeConnections") {
  static readonly layer = (url: string) =>
    Layer.effect(NodeConnections, Layer.build(connectionsTo(Redacted.make(url), { connections_max: 2 })))
}

/** Runs work on the second node. */
export const onNode = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  NodeConnections.use((connections) => Effect.provide(work, connections))

const companies = SqlClient.SqlClient.use(
  (sql) => sql`
    insert into directory.company (id, legal_name, code, environment, created_at, cell)
    overriding system value
    select i, 'Empresa ' || i, 'E' || i, 'production', now(), (array['cell', ${cellOnNode}])[i % 2 + 1]
    from generate_series(300, 389) as i`
)

/** Adds a cell on the second node, and the companies. Companies with an odd id have their rows in this cell. */
const prepare = (nodeUrl: string) =>
  Effect.provide(Effect.andThen(addCell(cellOnNode, node), companies), nodeAt(node, nodeUrl, 1))

type Urls = readonly [main: string, node: string]

/** Prepares two databases. The second one is empty. */
const preparedBy = <R>(urls: Effect.Effect<Urls, never, R>): Effect.Effect<Urls, never, R> =>
  Effect.tap(urls, ([url, nodeUrl]) =>
    Effect.orDie(Effect.provide(prepare(nodeUrl), Database.layer({ url: Redacted.make(url), connections_max: 1 })))
  )

/**
 * Copies of two prepared databases on one Postgres server.
 *
 * @param mainCells further cells of the database of the directory.
 */
const twoDatabases = (...mainCells: ReadonlyArray<string>): Effect.Effect<Urls> =>
  Effect.gen(function* () {
    const server = inject("postgresUrl")
    const name = ["template_two_nodes", ...mainCells].join("_")
    const makeNode = Effect.flatMap(copyDatabase(server, "template0", `${name}_node`), prepare)
    const addCells = Effect.forEach(mainCells, (cell) => addCell(cell, "main"))
    const main = yield* copyOfPrepared(name, Effect.asVoid(Effect.andThen(makeNode, addCells)))
    return [main, yield* copyDatabase(server, `${name}_node`, `test_${randomUUID()}`)] as const
  })

/** Addresses of the coordinator of a Citus cluster and of one of its workers. */
const coordinatorAndWorker = preparedBy(
  Effect.map(freshCluster(clusterUrl ?? ""), ([url = "", nodeUrl = ""]) => [url, nodeUrl] as const)
)

/** Two nodes, each with a cell. */
const twoNodes = <R>(urls: Effect.Effect<Urls, never, R>) =>
  Layer.unwrap(
    Effect.map(urls, ([url, nodeUrl]) =>
      connectedTo(Effect.succeed(url)).pipe(
        Layer.provideMerge(nodeAt(node, nodeUrl)),
        Layer.merge(Layer.merge(Layer.succeed(NodeUrl, nodeUrl), NodeConnections.layer(nodeUrl)))
      )
    )
  ).pipe(Layer.orDie)

/** Connections to the second node until the test ends. */
export const connectedToNode = Effect.flatMap(NodeUrl, (url) => Layer.build(connectionsTo(Redacted.make(url))))

// Postgres error code for a call of a function that does not exist.
const undefinedFunction = "42883"

/**
 * Runs a part of a move without one function of the database. Asserts that the part dies when it calls this function.
 *
 * @param where the node of the function. By default the second node for functions of the cell `sur`, else the main node.
 */
export const without = Effect.fnUntraced(function* <A, E, R>(
  name: string,
  part: Effect.Effect<Exit.Exit<A, E>, never, R>,
  where = name.startsWith(`${cellOnNode}.`) ? node : "main"
) {
  const rename = (from: string, to: string) => {
    const renaming = PgClient.PgClient.use((sql) => sql.unsafe(`alter function ${from} rename to ${to}`).unprepared)
    return where === node ? onNode(renaming) : renaming
  }
  yield* rename(name, "is_missing")
  const exit = yield* part
  yield* rename(`${name.split(".")[0]}.is_missing`, name.split(".")[1] ?? "")
  if (Exit.isSuccess(exit)) return assert.fail(`${name} was not called`)
  const failed = codedError(Cause.squash(exit.cause))
  assert.strictEqual(failed?.code, undefinedFunction, Cause.pretty(exit.cause))
  assert.include(String(failed), `function ${name}(`)
})

/** One connection of the database owner to each node, as commands have. */
const owner = Layer.unwrap(
  Effect.gen(function* () {
    const main = connectionsTo(Redacted.make(yield* testDatabaseUrl), { connections_max: 1 })
    return Layer.merge(main, nodeAt(node, yield* NodeUrl, 1))
  })
)

const movesOver = <R>(urls: Effect.Effect<Urls, never, R>) =>
  Layer.unwrap(
    Effect.map(Effect.context<NodeUrl | PgClient.PgClient>(), (context) =>
      Layer.merge(portsOfCells, portsOfMoves(Layer.provide(owner, Layer.succeedContext(context))))
    )
  ).pipe(Layer.provideMerge(twoNodes(urls)))

/** The ports of a server, and of an operator who moves companies and cells between the nodes. */
export const MovesOnTwoNodes = movesOver(twoDatabases())

/** The same, with one more cell `norte` in the database of the directory. */
export const MovesOnTwoNodesAndThreeCells = movesOver(twoDatabases("norte"))

/** The ports of moves over two databases, the second one on a Postgres server that the tests stop and start. */
export const MovesOnTwoServers = movesOver(
  preparedBy(
    Effect.gen(function* () {
      const { url } = yield* SecondPostgres
      return [yield* freshDatabaseUrl, url] as const
    })
  )
).pipe(Layer.provideMerge(SecondPostgres.layer))

/** The ports of moves over the coordinator of a Citus cluster and one of its workers. */
const movesInCluster = movesOver(coordinatorAndWorker)

/** The ports of a server and of the operator, over the cells of both nodes. */
const portsOf = <R>(urls: Effect.Effect<Urls, never, R>) =>
  Layer.mergeAll(
    AuditPostgres.layer,
    Layer.provide(Layer.merge(ReadsOfCells.companyLayer, ReadsOfCells.operatorLayer), Cells.layer)
  ).pipe(Layer.provideMerge(portsOfCells), Layer.provideMerge(twoNodes(urls)))

/** The ports over two databases on one Postgres server. */
const portsOfNodes = portsOf(twoDatabases())

/** The ports over a Citus cluster. */
const portsOfCluster = portsOf(coordinatorAndWorker)

type Scenarios = Parameters<ReturnType<typeof layer<Layer.Success<typeof portsOfNodes>, never>>>[1]

const options = { excludeTestServices: true, timeout: "2 minutes" } as const

type MoveScenarios = Parameters<ReturnType<typeof layer<Layer.Success<typeof MovesOnTwoNodes>, never>>>[1]

const moveOptions = { excludeTestServices: true, timeout: "5 minutes" } as const

/** Runs scenarios of moves over two databases and, if there is one, over a Citus cluster. */
export const movesOnNodesOfEachKind = (name: string, scenarios: MoveScenarios) => {
  layer(MovesOnTwoNodes, moveOptions)(name, scenarios)
  const inCitus = `${name}, in a Citus cluster`
  if (clusterUrl === undefined) it.skip(`${inCitus}: TEST_CITUS_URL names no cluster`, () => undefined)
  else layer(movesInCluster, moveOptions)(inCitus, scenarios)
}

/** Runs scenarios over a Citus cluster, if there is one. */
export const inCluster = (name: string, scenarios: Scenarios) => {
  if (clusterUrl === undefined) it.skip(`${name}: TEST_CITUS_URL names no cluster`, () => undefined)
  else layer(portsOfCluster, options)(name, scenarios)
}

/** Runs scenarios over two databases and, if there is one, over a Citus cluster. */
export const onNodesOfEachKind = (name: string, scenarios: Scenarios) => {
  layer(portsOfNodes, options)(name, scenarios)
  inCluster(`${name}, in a Citus cluster`, scenarios)
}
