import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Duration, Effect, Layer, Logger, References } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { HttpClient } from "effect/http"
import { CircuitBreaker } from "effect/persistence"
import * as ConfiguredServices from "../adapters/ConfiguredServices.ts"
import * as PasswordHashScrypt from "../adapters/crypto/PasswordHashScrypt.ts"
import * as PepperNode from "../adapters/crypto/PepperNode.ts"
import * as SecureRandomNode from "../adapters/crypto/SecureRandomNode.ts"
import * as Sha256Node from "../adapters/crypto/Sha256Node.ts"
import * as TotpOtpauth from "../adapters/crypto/TotpOtpauth.ts"
import * as VaultAead from "../adapters/crypto/VaultAead.ts"
import { type Guarded, type GuardOptions, makeGuard } from "../adapters/http/Guard.ts"
import * as HttpInsurer from "../adapters/insurer/HttpInsurer.ts"
import * as OidcClient from "../adapters/OidcClient.ts"
import * as CellDirectoryPostgres from "../adapters/postgres/cells/CellDirectoryPostgres.ts"
import * as CellMovesPostgres from "../adapters/postgres/cells/CellMovesPostgres.ts"
import * as Cells from "../adapters/postgres/cells/Cells.ts"
import * as ClosingsOfCells from "../adapters/postgres/cells/ClosingsOfCells.ts"
import * as CompanyMovesPostgres from "../adapters/postgres/cells/CompanyMovesPostgres.ts"
import * as EventsOfCells from "../adapters/postgres/cells/EventsOfCells.ts"
import * as FollowUpsOfCells from "../adapters/postgres/cells/FollowUpsOfCells.ts"
import * as InsurancesOfCells from "../adapters/postgres/cells/InsurancesOfCells.ts"
import * as LedgerOfCells from "../adapters/postgres/cells/LedgerOfCells.ts"
import * as LeftoversPostgres from "../adapters/postgres/cells/LeftoversPostgres.ts"
import * as ReadsOfCells from "../adapters/postgres/cells/ReadsOfCells.ts"
import * as AtomicPostgres from "../adapters/postgres/connection/AtomicPostgres.ts"
import * as AuditEventsPostgres from "../adapters/postgres/directory/AuditEventsPostgres.ts"
import * as AuditLogPostgres from "../adapters/postgres/directory/AuditLogPostgres.ts"
import * as CasesPostgres from "../adapters/postgres/directory/CasesPostgres.ts"
import * as CatalogueAdminPostgres from "../adapters/postgres/directory/CatalogueAdminPostgres.ts"
import * as CompaniesPostgres from "../adapters/postgres/directory/CompaniesPostgres.ts"
import * as DataKeyPostgres from "../adapters/postgres/directory/DataKeyPostgres.ts"
import * as FloatsPostgres from "../adapters/postgres/directory/FloatsPostgres.ts"
import * as OperatorSessionsPostgres from "../adapters/postgres/directory/OperatorSessionsPostgres.ts"
import * as OperatorsPostgres from "../adapters/postgres/directory/OperatorsPostgres.ts"
import * as ProviderStatementsPostgres from "../adapters/postgres/directory/ProviderStatementsPostgres.ts"
import * as TokensPostgres from "../adapters/postgres/directory/TokensPostgres.ts"
import * as AuditPostgres from "../adapters/postgres/reads/AuditPostgres.ts"
import * as PanoramaPostgres from "../adapters/postgres/reads/PanoramaPostgres.ts"
import { dtone } from "../adapters/provider/dtone/DtOne.ts"
import * as HttpProvider from "../adapters/provider/HttpProvider.ts"
import * as HttpSms from "../adapters/sms/HttpSms.ts"
import * as TwilioSms from "../adapters/sms/TwilioSms.ts"
import * as WebhookSenderUndici from "../adapters/webhook/WebhookSenderUndici.ts"
import { ConfirmAbove } from "../core/domain/FundingProposal.ts"
import { XidPrefix } from "../core/domain/Idempotency.ts"
import { ConfiguredIdentityProvider } from "../core/ports/IdentityProvider.ts"
import { InFlight } from "../core/workflows/InFlight.ts"
import { Panoramas } from "../core/workflows/ReadPanorama.ts"
import { DatabaseServer, migratedConnections, ownerConnection } from "./settings/DatabaseServer.ts"
import { Settings } from "./settings/Settings.ts"
import { shellActorLayer } from "./settings/ShellActor.ts"

const logging = Layer.unwrap(
  Settings.useSync(({ log }) => {
    const format = log.format ?? (process.stderr.isTTY ? "pretty" : "json")
    return Layer.mergeAll(
      Logger.layer([format === "json" ? Logger.withConsoleError(Logger.formatJson) : Logger.consolePretty()]),
      // Logs go to stderr, so that stdout contains only results.
      Layer.succeed(Logger.LogToStderr, true),
      Layer.succeed(References.MinimumLogLevel, log.level)
    )
  })
)

const xidPrefix = Layer.unwrap(Settings.useSync((settings) => Layer.succeed(XidPrefix, settings.xidPrefix)))

const confirmAbove = Layer.unwrap(
  Settings.useSync((settings) => Layer.succeed(ConfirmAbove, settings.depositConfirmAbove))
)

/** The settings, and what is read from them: the logging, `XidPrefix` and `ConfirmAbove`. */
export const baseLayer = Layer.provideMerge(Layer.mergeAll(logging, xidPrefix, confirmAbove), Settings.layer)

/**
 * Timeout of the guard for DT One. The adapter stops waiting for the creation of a sale after 12 s. The guard must
 * count the failure before then.
 */
const dtOneAnswer_max = Duration.seconds(10)

/**
 * Timeout for establishing a connection to an external service. Without a connection nothing was sent, so the sale is
 * released. This timeout must be shorter than the timeout of every call, because after a timeout of the call the outcome of
 * the sale is unknown.
 */
const connection_max = Duration.seconds(5)

/**
 * An external service with a guard for all its calls. The guard limits the calls and stops them after
 * failures.
 */
const guardedService = Effect.fnUntraced(function* <Service, R>(
  name: string,
  make: Effect.Effect<Service, never, R>,
  options: Pick<GuardOptions, "answer_max"> = {}
) {
  const { externalServices } = yield* Settings
  const { accepts, protect } = yield* makeGuard({ service: name, calls_max: externalServices.calls_max, ...options })
  const client = protect(yield* HttpClient.HttpClient)
  const service = yield* Effect.provideService(make, HttpClient.HttpClient, client)
  return { service, accepts } satisfies Guarded<Service>
})

const provider = Effect.gen(function* () {
  const { provider: chosen } = (yield* Settings).externalServices
  if (chosen === null) return null
  return chosen._tag === "dtone"
    ? yield* guardedService("dtone", dtone(chosen), { answer_max: dtOneAnswer_max })
    : yield* guardedService("provider", HttpProvider.make(chosen))
})

const insurer = Effect.gen(function* () {
  const { insurer: chosen } = (yield* Settings).externalServices
  return chosen === null ? null : yield* guardedService("insurer", HttpInsurer.make(chosen))
})

const sms = Effect.gen(function* () {
  const { sms: chosen } = (yield* Settings).externalServices
  if (chosen === null) return null
  return chosen._tag === "twilio"
    ? yield* guardedService("twilio", TwilioSms.make(chosen))
    : yield* guardedService("sms", HttpSms.make(chosen))
})

const httpServices = Layer.mergeAll(
  // HTTP/2 is off: its client may retry a request that the server reports as unprocessed, but Saldo never sends a
  // request twice.
  NodeHttpClient.layerUndiciOptions({ allowH2: false, connect: { timeout: Duration.toMillis(connection_max) } }),
  CircuitBreaker.layerStoreMemory(),
  Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))
)

/** The external services, selected by the company's environment and the settings. */
const externalServicesLayer = Layer.mergeAll(
  Layer.unwrap(Effect.map(provider, ConfiguredServices.providersLayer)),
  Layer.unwrap(Effect.map(insurer, ConfiguredServices.insurersLayer)),
  Layer.unwrap(Effect.map(sms, ConfiguredServices.smsGatewaysLayer))
).pipe(Layer.provide(httpServices))

const vault = VaultAead.layer.pipe(
  Layer.provideMerge(Layer.unwrap(Settings.useSync(({ dataKey }) => DataKeyPostgres.layer(dataKey)))),
  Layer.provide(NodeCrypto.layer)
)

const pepper = Layer.unwrap(Settings.useSync(({ tokenPepper }) => PepperNode.layer(tokenPepper)))

const cellLayers = Layer.mergeAll(
  ClosingsOfCells.layer,
  EventsOfCells.layer,
  FollowUpsOfCells.layer,
  InsurancesOfCells.layer,
  LedgerOfCells.layer,
  ReadsOfCells.companyLayer
).pipe(Layer.provide(Cells.layer))

const adapterLayers = Layer.mergeAll(
  cellLayers,
  AtomicPostgres.layer,
  AuditLogPostgres.layer,
  CatalogueAdminPostgres.layer,
  CompaniesPostgres.layer,
  FloatsPostgres.layer,
  TokensPostgres.layer,
  externalServicesLayer,
  Layer.unwrap(Settings.useSync(({ webhookLocal }) => WebhookSenderUndici.layer({ local: webhookLocal })))
).pipe(Layer.provideMerge(Layer.mergeAll(Sha256Node.layer, SecureRandomNode.layer, pepper, vault)))

/**
 * Everything that sells and moves money, on a database. `InFlight`, which waits for the sales in progress, is built on
 * top of the other layers, not merged with them. Merged layers are released at the same time, but a sale in progress
 * still needs its provider.
 */
export const appLayer = Layer.provideMerge(InFlight.layer, adapterLayers)

const identityProvider = Layer.effect(
  ConfiguredIdentityProvider,
  Settings.useSync(({ oidc }) => (oidc === null ? null : OidcClient.make(oidc)))
)

const operatorCellLayers = Layer.mergeAll(
  ClosingsOfCells.proposalsLayer,
  EventsOfCells.reportsLayer,
  ReadsOfCells.operatorLayer
).pipe(Layer.provide(Layer.merge(vault, Cells.layer)))

const cellDirectory = Layer.unwrap(
  Effect.map(DatabaseServer, (server) => {
    const owner = Layer.provide(ownerConnection, Layer.succeed(DatabaseServer, server))
    return Layer.mergeAll(
      CellDirectoryPostgres.layer(owner),
      CellMovesPostgres.layer(owner),
      CompanyMovesPostgres.layer(owner),
      LeftoversPostgres.layer(owner)
    )
  })
)

const operatorAdapters = Layer.mergeAll(
  operatorCellLayers,
  AuditEventsPostgres.layer,
  AuditPostgres.layer,
  CasesPostgres.layer,
  cellDirectory,
  identityProvider,
  OperatorsPostgres.layer,
  OperatorSessionsPostgres.layer,
  PasswordHashScrypt.layer,
  Layer.provide(Panoramas.layer, Layer.merge(PanoramaPostgres.layer, AuditPostgres.layer)),
  ProviderStatementsPostgres.layer,
  Layer.provide(TotpOtpauth.layer, SecureRandomNode.layer),
  appLayer
)

/** Everything that the commands and the console of operators need on a database server, except the actor. */
export const operatorPortsOn = (connections_max: number) =>
  Layer.provideMerge(operatorAdapters, migratedConnections(connections_max, "saldo_operator"))

/** Number of database connections of a command: one for a transaction, one for the statements beside it, one for reads. */
const operatorConnections_max = 3

/** Everything that the operator's commands need, except the actor. */
export const operatorPorts = operatorPortsOn(operatorConnections_max).pipe(
  Layer.provideMerge(DatabaseServer.layer),
  Layer.provideMerge(baseLayer)
)

/** Everything that the operator's commands need, with the operator at the shell as the actor. */
export const operatorLayer = Layer.provideMerge(shellActorLayer, operatorPorts)
