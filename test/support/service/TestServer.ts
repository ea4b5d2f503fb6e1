import { randomUUID } from "node:crypto"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ConfigProvider, Context, Effect, Layer, Redacted, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import { inject } from "vitest"
import * as Cells from "../../../adapters/postgres/cells/Cells.ts"
import * as LedgerOfCells from "../../../adapters/postgres/cells/LedgerOfCells.ts"
import { anyRoleReaderLayer } from "../../../adapters/postgres/connection/CompanyReads.ts"
import * as Database from "../../../adapters/postgres/connection/Database.ts"
import { nodeVariable } from "../../../adapters/postgres/connection/Nodes.ts"
import * as CatalogueAdminPostgres from "../../../adapters/postgres/directory/CatalogueAdminPostgres.ts"
import * as CompaniesPostgres from "../../../adapters/postgres/directory/CompaniesPostgres.ts"
import { Accounts } from "../../../core/ports/Accounts.ts"
import * as Http from "../../../facade/http/Http.ts"
import * as Listener from "../../../facade/http/Listener.ts"
import { portsLayer } from "../../../facade/ServerLayer.ts"
import { type DatabaseRole, DatabaseServer } from "../../../facade/settings/DatabaseServer.ts"
import { commandLineOn } from "../CommandLine.ts"
import { freshDatabaseUrl } from "../Database.ts"
import { asLoginIn } from "../DatabaseLogins.ts"
import { copyDatabase } from "../EmbeddedDatabases.ts"
import { ManualClock, ServiceAddress } from "../InProcessService.ts"
import { nodeAt } from "../NodeCells.ts"
import { Script, scripted } from "./ScriptedPorts.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** A call limit per minute that no test reaches. */
const unlimited = "1000000"

const defaults: Environment = {
  PORT: "0",
  PG_POOL_MAX: "6",
  LOG_LEVEL: "none",
  TRUST_PROXY: "on",
  RATE_LIMIT_PER_MINUTE: unlimited,
  RATE_LIMIT_ADDRESS_PER_MINUTE: unlimited
}

const definedIn = (environment: Environment) =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )

/** The ports that a test replaces. */
type Played = Layer.Layer<Layer.Success<typeof scripted>, never, Layer.Services<typeof scripted> | ManualClock>

const serverOn = (environment: Environment, played: Played) =>
  ServiceAddress.layer.pipe(
    Layer.merge(Http.layer),
    Layer.provide(Listener.layer),
    Layer.provide(NodeHttpServer.layerHttpServices),
    Layer.provideMerge(played),
    Layer.provideMerge(portsLayer),
    Layer.provide(
      Layer.succeed(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromEnv({ env: definedIn({ ...defaults, ...environment }) })
      )
    )
  )

/** Operator access to the databases of a server, for changes that the database role of the server may not make. */
const operatorOn = ({ node, url }: Databases) =>
  // Fresh, because the operator would otherwise share the adapters of the server, and so the server's connections.
  Layer.fresh(
    Layer.mergeAll(Layer.effect(Accounts, Accounts), CatalogueAdminPostgres.layer, CompaniesPostgres.layer).pipe(
      Layer.provide(Layer.provide(LedgerOfCells.layer, [Cells.layer, anyRoleReaderLayer, SecureRandom.layerWebCrypto]))
    )
  ).pipe(
    // `Cells` keeps one connection open to listen, and a test may keep another one open to hold a lock.
    Layer.provideMerge(Database.layer({ url: Redacted.make(url), connections_max: 3 })),
    Layer.provideMerge(node === null ? Layer.empty : nodeAt(node.name, node.url))
  )

/** The databases of an installation. */
interface Databases {
  readonly url: string
  /** The second node. Null means that all cells are on the node `main`. */
  readonly node: { readonly name: string; readonly url: string } | null
}

/** One cell in one database. */
const oneCell: Effect.Effect<Databases> = Effect.map(freshDatabaseUrl, (url) => ({ url, node: null }))

/** Two cells in the database of the directory, and one on another node. Each new company is in the next cell. */
const spreadCells: Effect.Effect<Databases> = Effect.gen(function* () {
  const name = randomUUID()
  const url = yield* copyDatabase(inject("postgresUrl"), "template_cells", `test_${name}`)
  const nodeUrl = yield* copyDatabase(inject("postgresUrl"), "template_node", `node_${name}`)
  return { url, node: { name: "este", url: nodeUrl } }
})

/** The addresses of the databases, with the login of a role. */
const addressesOf = (role: DatabaseRole, url: string, nodes: ReadonlyArray<readonly [name: string, url: string]>) => ({
  DATABASE_URL: asLoginIn(role, url),
  ...Object.fromEntries(nodes.map(([name, node]) => [nodeVariable(name), asLoginIn(role, node)]))
})

/**
 * The whole service as `serve` starts it, with its own databases and the database login of a server. The test controls
 * the clock and injects faults. Recovery runs only when a test runs it.
 *
 * @param played replacements for the external services.
 */
export const testServer = (
  environment: Environment,
  played: Played = scripted,
  databases: Effect.Effect<Databases, never, Scope.Scope> = oneCell
) =>
  Layer.unwrap(
    Effect.map(databases, (made) => {
      const nodes = made.node === null ? [] : [[made.node.name, made.node.url] as const]
      const addresses = addressesOf("saldo_server", made.url, nodes)
      return Layer.merge(serverOn({ ...environment, ...addresses }, played), operatorOn(made))
    })
  ).pipe(Layer.provideMerge(Layer.merge(ManualClock.layer, Script.layer)))

/** A test server with default settings. */
export const TestServer = testServer({})

/** A test server with default settings, and with companies in three cells on two nodes. */
export const SpreadTestServer = testServer({}, scripted, spreadCells)

/** The addresses of the test server's databases, with the login of a role. */
const addressesFor = (role: DatabaseRole) =>
  DatabaseServer.useSync(({ nodes, url }) =>
    addressesOf(
      role,
      Redacted.value(url),
      [...nodes].map(([name, node]) => [name, Redacted.value(node.url)])
    )
  )

/** Runs commands of an operator on the databases of the test server. */
export const operatorCommands = Effect.map(addressesFor("saldo_operator"), ({ DATABASE_URL, ...nodes }) =>
  commandLineOn(DATABASE_URL, nodes)
)

/** Starts another server on the same databases. Returns a function that makes calls go to this server. */
export const anotherServer = Effect.fnUntraced(function* (environment: Environment = {}, played: Played = scripted) {
  const addresses = yield* addressesFor("saldo_server")
  const context = yield* Layer.build(Layer.fresh(serverOn({ ...environment, ...addresses }, played)))
  return Effect.provideService(ServiceAddress, Context.get(context, ServiceAddress))
})
