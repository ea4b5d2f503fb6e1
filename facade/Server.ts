import { Effect, Layer, type Redacted } from "effect"
import { DataKey } from "../adapters/crypto/DataKey.ts"
import * as PolicyPdf from "../adapters/pdf/PolicyPdf.ts"
import * as ReceiptPdf from "../adapters/pdf/ReceiptPdf.ts"
import * as CataloguePostgres from "../adapters/postgres/CataloguePostgres.ts"
import { mayRead } from "../adapters/postgres/CompanyReads.ts"
import * as DirectoryPostgres from "../adapters/postgres/DirectoryPostgres.ts"
import { countPeppers } from "../adapters/postgres/PeppersPostgres.ts"
import * as CallCounterMemory from "../adapters/ratelimit/CallCounterMemory.ts"
import { Pepper } from "../core/ports/Pepper.ts"
import { keepRecovering } from "../core/workflows/Recover.ts"
import { keepResetting } from "../core/workflows/SandboxReset.ts"
import { seed } from "../core/workflows/Seed.ts"
import { keepSending } from "../core/workflows/SendSms.ts"
import { HttpOptions } from "./call/HttpOptions.ts"
import { exampleCatalogue } from "./catalogue/ExampleCatalogue.ts"
import { foundation } from "./Foundation.ts"
import { telemetry } from "./ops/Telemetry.ts"
import { selling } from "./Selling.ts"
import { Settings } from "./settings/Settings.ts"
import { migrated, Store } from "./settings/Store.ts"

/** The foundation of what goes on for long: somebody may follow it. */
export const withTelemetry = Layer.provideMerge(telemetry, foundation)

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

// The client of Redis is a third of all modules, and most installations have no Redis.
const inRedis = (url: Redacted.Redacted) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("../adapters/ratelimit/CallCounterRedis.ts")),
      (CallCounterRedis) => CallCounterRedis.layer(url)
    )
  )

const callCounter = Layer.unwrap(
  Settings.useSync(({ redisUrl }) => (redisUrl === null ? CallCounterMemory.layer : inRedis(redisUrl)))
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
  Layer.provideMerge(Layer.mergeAll(selling, callCounter, httpOptions)),
  Layer.provideMerge(
    Layer.unwrap(Settings.useSync(({ connections_max }) => migrated(connections_max, "saldo_server")))
  ),
  Layer.provideMerge(Store.layer),
  Layer.provideMerge(withTelemetry)
)

/** All that serves sales: the ports, and what goes on for as long as the process. */
export const server = Layer.provideMerge(Layer.mergeAll(recovering, sending, resetting, warning), ports)
