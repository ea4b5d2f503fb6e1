import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Duration, Effect, Layer, Logger, References } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { HttpClient } from "effect/http"
import { CircuitBreaker } from "effect/persistence"
import * as VaultAead from "../adapters/crypto/VaultAead.ts"
import { type GuardOptions, makeGuard } from "../adapters/http/Guard.ts"
import type { Guarded } from "../adapters/http/Guarded.ts"
import * as HttpInsurer from "../adapters/insurer/http/HttpInsurer.ts"
import * as InsurersConfigured from "../adapters/insurer/InsurersConfigured.ts"
import * as PepperNode from "../adapters/node/PepperNode.ts"
import * as SecureRandomNode from "../adapters/node/SecureRandomNode.ts"
import * as Sha256Node from "../adapters/node/Sha256Node.ts"
import * as AccountsPostgres from "../adapters/postgres/AccountsPostgres.ts"
import * as AdjustmentsPostgres from "../adapters/postgres/AdjustmentsPostgres.ts"
import * as AllTransactionsPostgres from "../adapters/postgres/AllTransactionsPostgres.ts"
import * as AtomicPostgres from "../adapters/postgres/AtomicPostgres.ts"
import * as AuditLogPostgres from "../adapters/postgres/AuditLogPostgres.ts"
import * as AuditPostgres from "../adapters/postgres/AuditPostgres.ts"
import * as CatalogueAdminPostgres from "../adapters/postgres/CatalogueAdminPostgres.ts"
import * as CompaniesPostgres from "../adapters/postgres/CompaniesPostgres.ts"
import * as DataKeyPostgres from "../adapters/postgres/DataKeyPostgres.ts"
import * as HistoriesPostgres from "../adapters/postgres/HistoriesPostgres.ts"
import * as InsurancesPostgres from "../adapters/postgres/InsurancesPostgres.ts"
import * as LedgerPostgres from "../adapters/postgres/LedgerPostgres.ts"
import * as OptionsPostgres from "../adapters/postgres/OptionsPostgres.ts"
import * as OutboxPostgres from "../adapters/postgres/OutboxPostgres.ts"
import * as QuestionsPostgres from "../adapters/postgres/QuestionsPostgres.ts"
import * as ReplaysPostgres from "../adapters/postgres/ReplaysPostgres.ts"
import * as ResolutionsPostgres from "../adapters/postgres/ResolutionsPostgres.ts"
import * as ReversalsPostgres from "../adapters/postgres/ReversalsPostgres.ts"
import * as StatementPostgres from "../adapters/postgres/StatementPostgres.ts"
import * as TokensPostgres from "../adapters/postgres/TokensPostgres.ts"
import * as TransactionsPostgres from "../adapters/postgres/TransactionsPostgres.ts"
import * as UnresolvedPostgres from "../adapters/postgres/UnresolvedPostgres.ts"
import { dtone } from "../adapters/provider/dtone/DtOne.ts"
import * as HttpProvider from "../adapters/provider/http/HttpProvider.ts"
import * as ProvidersConfigured from "../adapters/provider/ProvidersConfigured.ts"
import * as HttpSms from "../adapters/sms/http/HttpSms.ts"
import * as SmsGatewaysConfigured from "../adapters/sms/SmsGatewaysConfigured.ts"
import * as TwilioSms from "../adapters/sms/twilio/TwilioSms.ts"
import { XidPrefix } from "../core/domain/Xid.ts"
import { InFlight } from "../core/workflows/InFlight.ts"
import { DatabaseServer, migratedConnections } from "./settings/DatabaseServer.ts"
import { Settings } from "./settings/Settings.ts"

const logging = Layer.unwrap(
  Settings.useSync(({ log }) => {
    const format = log.format ?? (process.stderr.isTTY ? "pretty" : "json")
    return Layer.mergeAll(
      Logger.layer([format === "json" ? Logger.withConsoleError(Logger.formatJson) : Logger.consolePretty()]),
      // What a command answers is alone on stdout.
      Layer.succeed(Logger.LogToStderr, true),
      Layer.succeed(References.MinimumLogLevel, log.level)
    )
  })
)

const xidPrefix = Layer.unwrap(Settings.useSync((settings) => Layer.succeed(XidPrefix, settings.xidPrefix)))

/** The settings, and what follows from them for everything. */
export const baseLayer = Layer.provideMerge(Layer.mergeAll(logging, xidPrefix), Settings.layer)

/** Its adapter waits for a creation 12 seconds; a DT One that is silent must be seen to fail before that. */
const dtOneAnswer_max = Duration.seconds(10)

/** A party whose calls all go through a guard of its own. */
const guardedParty = Effect.fnUntraced(function* <Party, R>(
  name: string,
  make: Effect.Effect<Party, never, R>,
  options: Pick<GuardOptions, "answer_max"> = {}
) {
  const { parties } = yield* Settings
  const { accepts, protect } = yield* makeGuard({ party: name, calls_max: parties.calls_max, ...options })
  const client = protect(yield* HttpClient.HttpClient)
  const party = yield* Effect.provideService(make, HttpClient.HttpClient, client)
  return { party, accepts } satisfies Guarded<Party>
})

const provider = Effect.gen(function* () {
  const { provider: chosen } = (yield* Settings).parties
  if (chosen === null) return null
  return chosen._tag === "dtone"
    ? yield* guardedParty("dtone", dtone(chosen), { answer_max: dtOneAnswer_max })
    : yield* guardedParty("provider", HttpProvider.make(chosen))
})

const insurer = Effect.gen(function* () {
  const { insurer: chosen } = (yield* Settings).parties
  return chosen === null ? null : yield* guardedParty("insurer", HttpInsurer.make(chosen))
})

const sms = Effect.gen(function* () {
  const { sms: chosen } = (yield* Settings).parties
  if (chosen === null) return null
  return chosen._tag === "twilio"
    ? yield* guardedParty("twilio", TwilioSms.make(chosen))
    : yield* guardedParty("sms", HttpSms.make(chosen))
})

const httpServices = Layer.mergeAll(
  // Over HTTP/2 a request that the other side says it did not process may be sent again; nothing is ever sent twice.
  NodeHttpClient.layerUndiciOptions({ allowH2: false }),
  CircuitBreaker.layerStoreMemory(),
  Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))
)

/** Whom sales, policies and messages go to, by the company's environment and the operator's choice. */
const partiesLayer = Layer.mergeAll(
  Layer.unwrap(Effect.map(provider, ProvidersConfigured.layer)),
  Layer.unwrap(Effect.map(insurer, InsurersConfigured.layer)),
  Layer.unwrap(Effect.map(sms, SmsGatewaysConfigured.layer))
).pipe(Layer.provide(httpServices))

const vault = VaultAead.layer.pipe(
  Layer.provideMerge(Layer.unwrap(Settings.useSync(({ dataKey }) => DataKeyPostgres.layer(dataKey)))),
  Layer.provide(NodeCrypto.layer)
)

const pepper = Layer.unwrap(Settings.useSync(({ tokenPepper }) => PepperNode.layer(tokenPepper)))

const adapterLayers = Layer.mergeAll(
  AccountsPostgres.layer,
  AdjustmentsPostgres.layer,
  AtomicPostgres.layer,
  AuditLogPostgres.layer,
  CatalogueAdminPostgres.layer,
  CompaniesPostgres.layer,
  InsurancesPostgres.layer,
  LedgerPostgres.layer,
  OptionsPostgres.layer,
  OutboxPostgres.layer,
  QuestionsPostgres.layer,
  ReplaysPostgres.layer,
  TokensPostgres.layer,
  TransactionsPostgres.layer,
  UnresolvedPostgres.layer,
  partiesLayer,
  ReversalsPostgres.layer,
  StatementPostgres.layer
).pipe(Layer.provideMerge(Layer.mergeAll(Sha256Node.layer, SecureRandomNode.layer, pepper, vault)))

/**
 * All that sells and moves money, on a database. The sales under way stand upon the others, not beside them: layers
 * that are merged are let go at once, and a sale under way still needs its party.
 */
export const appLayer = Layer.provideMerge(InFlight.layer, adapterLayers)

/** An operator's command does one thing at a time. */
const operatorConnections_max = 4

/** All that the operator's commands need. */
export const operatorLayer = Layer.mergeAll(
  AllTransactionsPostgres.layer,
  AuditPostgres.layer,
  HistoriesPostgres.layer,
  ResolutionsPostgres.layer,
  appLayer
).pipe(
  Layer.provideMerge(migratedConnections(operatorConnections_max, "saldo_operator")),
  Layer.provideMerge(DatabaseServer.layer),
  Layer.provideMerge(baseLayer)
)
