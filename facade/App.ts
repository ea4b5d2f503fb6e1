import { NodeCrypto } from "@effect/platform-node"
import { Effect, Layer, Logger, References } from "effect"
import { DataKey } from "../adapters/crypto/DataKey.ts"
import * as VaultAead from "../adapters/crypto/VaultAead.ts"
import * as DigestNode from "../adapters/node/DigestNode.ts"
import * as PepperNode from "../adapters/node/PepperNode.ts"
import * as SecureRandomNode from "../adapters/node/SecureRandomNode.ts"
import * as PolicyPdf from "../adapters/pdf/PolicyPdf.ts"
import * as ReceiptPdf from "../adapters/pdf/ReceiptPdf.ts"
import * as AccountsPostgres from "../adapters/postgres/AccountsPostgres.ts"
import * as AdjustmentsPostgres from "../adapters/postgres/AdjustmentsPostgres.ts"
import * as AllTransactionsPostgres from "../adapters/postgres/AllTransactionsPostgres.ts"
import * as AtomicPostgres from "../adapters/postgres/AtomicPostgres.ts"
import * as AuditLogPostgres from "../adapters/postgres/AuditLogPostgres.ts"
import * as AuditPostgres from "../adapters/postgres/AuditPostgres.ts"
import * as CatalogueAdminPostgres from "../adapters/postgres/CatalogueAdminPostgres.ts"
import * as CataloguePostgres from "../adapters/postgres/CataloguePostgres.ts"
import * as CompaniesPostgres from "../adapters/postgres/CompaniesPostgres.ts"
import { mayRead } from "../adapters/postgres/CompanyReads.ts"
import * as DataKeyPostgres from "../adapters/postgres/DataKeyPostgres.ts"
import * as DirectoryPostgres from "../adapters/postgres/DirectoryPostgres.ts"
import * as HistoriesPostgres from "../adapters/postgres/HistoriesPostgres.ts"
import * as InsurancesPostgres from "../adapters/postgres/InsurancesPostgres.ts"
import * as LedgerPostgres from "../adapters/postgres/LedgerPostgres.ts"
import * as OptionsPostgres from "../adapters/postgres/OptionsPostgres.ts"
import * as OutboxPostgres from "../adapters/postgres/OutboxPostgres.ts"
import { countPeppers } from "../adapters/postgres/PeppersPostgres.ts"
import * as QuestionsPostgres from "../adapters/postgres/QuestionsPostgres.ts"
import * as ReplaysPostgres from "../adapters/postgres/ReplaysPostgres.ts"
import * as ResolutionsPostgres from "../adapters/postgres/ResolutionsPostgres.ts"
import * as ReversalsPostgres from "../adapters/postgres/ReversalsPostgres.ts"
import * as StatementPostgres from "../adapters/postgres/StatementPostgres.ts"
import * as TokensPostgres from "../adapters/postgres/TokensPostgres.ts"
import * as TransactionsPostgres from "../adapters/postgres/TransactionsPostgres.ts"
import * as UnresolvedPostgres from "../adapters/postgres/UnresolvedPostgres.ts"
import * as CallCounterMemory from "../adapters/ratelimit/CallCounterMemory.ts"
import * as CallCounterRedis from "../adapters/ratelimit/CallCounterRedis.ts"
import { XidPrefix } from "../core/domain/Xid.ts"
import { Pepper } from "../core/ports/Pepper.ts"
import { InFlight } from "../core/workflows/InFlight.ts"
import { keepRecovering } from "../core/workflows/Recover.ts"
import { keepResetting } from "../core/workflows/SandboxReset.ts"
import { seed } from "../core/workflows/Seed.ts"
import { keepSending } from "../core/workflows/SendSms.ts"
import { HttpOptions } from "./call/HttpOptions.ts"
import { exampleCatalogue } from "./catalogue/ExampleCatalogue.ts"
import { telemetry } from "./ops/Telemetry.ts"
import { parties } from "./Parties.ts"
import { Settings } from "./settings/Settings.ts"
import { migrated, Store } from "./settings/Store.ts"

/** An operator's command does one thing at a time. */
const operatorConnections = 4

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
export const foundation = Layer.provideMerge(Layer.mergeAll(logging, xidPrefix), Settings.layer)

/** The same for what goes on for long: somebody may follow it. */
export const withTelemetry = Layer.provideMerge(telemetry, foundation)

const vault = VaultAead.layer.pipe(
  Layer.provideMerge(Layer.unwrap(Settings.useSync(({ dataKey }) => DataKeyPostgres.layer(dataKey)))),
  Layer.provide(NodeCrypto.layer)
)

const pepper = Layer.unwrap(Settings.useSync(({ tokenPepper }) => PepperNode.layer(tokenPepper)))

const stores = Layer.mergeAll(
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
  parties,
  ReversalsPostgres.layer,
  StatementPostgres.layer
).pipe(Layer.provideMerge(Layer.mergeAll(DigestNode.layer, SecureRandomNode.layer, pepper, vault)))

// Upon the others, not beside them: layers that are merged are let go at once, and a sale under way still needs its
// party.
const money = Layer.provideMerge(InFlight.layer, stores)

/** All that the operator's commands need. */
export const operator = Layer.mergeAll(
  AllTransactionsPostgres.layer,
  AuditPostgres.layer,
  HistoriesPostgres.layer,
  ResolutionsPostgres.layer,
  money
).pipe(
  Layer.provideMerge(migrated(operatorConnections, "saldo_operator")),
  Layer.provideMerge(Store.layer),
  Layer.provideMerge(foundation)
)

const seeded = Layer.effectDiscard(
  Effect.gen(function* () {
    const { sandbox } = yield* Settings
    yield* seed(yield* exampleCatalogue, sandbox)
  })
)

const recovering = Layer.effectDiscard(Effect.forkScoped(keepRecovering))

const sending = Layer.effectDiscard(Effect.forkScoped(keepSending))

// Whoever can read a database of our own can read our files too; that of another server is seen by others.
const warning = Layer.effectDiscard(
  Effect.gen(function* () {
    const { databaseUrl } = yield* Settings
    const dataKey = yield* DataKey
    const { name } = yield* Pepper
    if (databaseUrl !== null && !dataKey.protected)
      yield* Effect.logWarning("personal data can be read by whoever has the database: set DATA_KEY")
    if (!(yield* mayRead))
      yield* Effect.logWarning(
        "nothing but its own condition holds a read to one company: grant saldo_reader to the login of DATABASE_URL"
      )
    const { underAnother } = yield* Effect.orDie(countPeppers(name))
    if (underAnother > 0)
      yield* Effect.logError("calls of tokens are refused that are kept under another TOKEN_PEPPER", {
        tokens: underAnother
      })
  })
)

const resetting = Layer.unwrap(
  Settings.useSync(({ sandbox }) =>
    sandbox === null ? Layer.empty : Layer.effectDiscard(Effect.forkScoped(keepResetting))
  )
)

const callCounter = Layer.unwrap(
  Settings.useSync(({ redisUrl }) => (redisUrl === null ? CallCounterMemory.layer : CallCounterRedis.layer(redisUrl)))
)

const httpOptions = Layer.effect(
  HttpOptions,
  Settings.useSync(({ environment, publicUrl, rateLimit, sandbox, trustProxy }) => ({
    environment,
    limits: rateLimit,
    publicUrl,
    sandbox,
    trustProxy
  }))
)

/** All that calls need: the ports, on a seeded database. */
export const ports = Layer.mergeAll(
  seeded,
  CataloguePostgres.layer,
  DirectoryPostgres.layer,
  PolicyPdf.layer,
  ReceiptPdf.layer
).pipe(
  Layer.provideMerge(Layer.mergeAll(money, callCounter, httpOptions)),
  Layer.provideMerge(
    Layer.unwrap(Settings.useSync(({ connections_max }) => migrated(connections_max, "saldo_server")))
  ),
  Layer.provideMerge(Store.layer),
  Layer.provideMerge(withTelemetry)
)

/** All that serves sales: the ports, and what goes on for as long as the process. */
export const server = Layer.provideMerge(Layer.mergeAll(recovering, sending, resetting, warning), ports)
