import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ConfigProvider, Context, Effect, Layer, Redacted } from "effect"
import { anyRoleReaderLayer } from "../../../adapters/postgres/connection/CompanyReads.ts"
import * as Database from "../../../adapters/postgres/connection/Database.ts"
import * as CatalogueAdminPostgres from "../../../adapters/postgres/directory/CatalogueAdminPostgres.ts"
import * as CompaniesPostgres from "../../../adapters/postgres/directory/CompaniesPostgres.ts"
import * as AccountsPostgres from "../../../adapters/postgres/ledger/AccountsPostgres.ts"
import * as Http from "../../../facade/http/Http.ts"
import * as Listener from "../../../facade/http/Listener.ts"
import { portsLayer } from "../../../facade/ServerLayer.ts"
import { DatabaseServer } from "../../../facade/settings/DatabaseServer.ts"
import { freshDatabaseUrl } from "../Database.ts"
import { asLoginIn } from "../DatabaseLogins.ts"
import { ManualClock, ServiceAddress } from "../InProcessService.ts"
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

/** The ports that a test replaces. */
type Played = Layer.Layer<Layer.Success<typeof scripted>, never, Layer.Services<typeof scripted> | ManualClock>

const serverOn = (url: string, environment: Environment, played: Played) =>
  ServiceAddress.layer.pipe(
    Layer.merge(Http.layer),
    Layer.provide(Listener.layer),
    Layer.provide(NodeHttpServer.layerHttpServices),
    Layer.provideMerge(played),
    Layer.provideMerge(portsLayer),
    Layer.provide(
      Layer.succeed(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromUnknown({ ...defaults, ...environment, DATABASE_URL: url })
      )
    )
  )

/** Operator access to the database of a server, for changes that the database role of the server may not make. */
const operatorOn = (url: string) =>
  Layer.fresh(
    Layer.mergeAll(AccountsPostgres.accountsLayer, CatalogueAdminPostgres.layer, CompaniesPostgres.layer)
  ).pipe(
    Layer.provide(anyRoleReaderLayer),
    Layer.provideMerge(Database.layer({ url: Redacted.make(url), connections_max: 2 }))
  )

/**
 * The whole service as `serve` starts it, with its own database and the database login of a server. The test controls
 * the clock and injects faults. Recovery runs only when a test runs it.
 *
 * @param played replacements for the external services.
 */
export const testServer = (environment: Environment, played: Played = scripted) =>
  Layer.unwrap(
    Effect.map(freshDatabaseUrl, (url) =>
      Layer.merge(serverOn(asLoginIn("saldo_server", url), environment, played), operatorOn(url))
    )
  ).pipe(Layer.provideMerge(Layer.merge(ManualClock.layer, Script.layer)))

/** A test server with default settings. */
export const TestServer = testServer({})

/** Starts another server on the same database. Returns a function that makes calls go to this server. */
export const anotherServer = Effect.fnUntraced(function* (environment: Environment = {}, played: Played = scripted) {
  const { url } = yield* DatabaseServer
  const context = yield* Layer.build(Layer.fresh(serverOn(Redacted.value(url), environment, played)))
  return Effect.provideService(ServiceAddress, Context.get(context, ServiceAddress))
})
