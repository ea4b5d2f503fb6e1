import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Cause, ConfigProvider, Context, Effect, Exit, Layer, Redacted } from "effect"
import { EmbeddedPostgres } from "../../adapters/embedded/EmbeddedPostgres.ts"
import { operator } from "../../facade/Operator.ts"
import { type CuttingProxy, cuttingProxy } from "../../tools/database/CuttingProxy.ts"
import { blocksAreOf } from "../../tools/database/Lists.ts"
import { copyDatabase } from "../../tools/database/PostgresDatabases.ts"
import { type Customer, makeCustomer } from "./Customers.ts"
import { answering } from "./Postgres.ts"
import { type Server, startServer } from "./Server.ts"
import { type Suppliers, startSuppliers } from "./Suppliers.ts"
import { makeTime, type Time } from "./Time.ts"

/** Processes die here, the machine does not: nothing has to reach the disk, but a commit has to reach the system. */
const settings = { fsync: "off", full_page_writes: "off", shared_buffers: "16MB" }

const secret = "what both sides of a crash know, and nobody else"

type Operator = Layer.Success<typeof operator>

/** All that a run takes place on: two servers, their database, whom they sell through, for whom, and when. */
export class Stage extends Context.Service<
  Stage,
  {
    /** Where everybody logs; it is kept when the run fails. */
    readonly directory: string
    readonly time: Time
    /** Where Postgres has its files. */
    readonly postgres: string
    /** Between the servers and Postgres. */
    readonly proxy: CuttingProxy
    readonly servers: readonly [Server, Server]
    readonly suppliers: Suppliers
    readonly customers: ReadonlyArray<Customer>
    /** The database's address, for a command of the operator. */
    readonly database: string
    /** Beside the servers, and not through the proxy. */
    readonly operator: Context.Context<Operator>
  }
>()("saldo/crash/Stage") {}

const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = mkdtempSync(join(tmpdir(), "saldo-crash-"))
    // Whoever runs Postgres passes through.
    chmodSync(directory, 0o711)
    return directory
  }),
  (directory, exit) =>
    Effect.sync(() => {
      const isToBeSeen = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
      if (!isToBeSeen) rmSync(directory, { recursive: true, force: true })
    })
)

const behind = (database: string, proxy: CuttingProxy): string => {
  const url = new URL(database)
  url.port = String(proxy.port)
  return url.href
}

/** Sets the stage; it is gone with the scope, but for the directory of a run that failed. */
export const setStage = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const time = yield* makeTime(directory)
  const everybody = {
    CRASH_TIME_FILE: time.file,
    CRASH_SECRET: secret,
    // Where Node itself would have it; it serves the next run as well.
    NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache")
  }
  const embedded = Context.get(
    yield* Layer.build(EmbeddedPostgres.layer({ dataDirectory: join(directory, "postgres"), settings })),
    EmbeddedPostgres
  )
  const database = yield* copyDatabase(Redacted.value(embedded.url), "template0", "saldo")
  const proxy = yield* cuttingProxy(Number(new URL(database).port))
  const suppliers = yield* startSuppliers(directory, everybody)
  const operating = yield* Layer.build(operator).pipe(
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown({ DATABASE_URL: database, LOG_LEVEL: "none" })
    )
  )
  const customers = yield* Effect.provide(Effect.forEach(["A", "B", "C"], makeCustomer), operating)
  // So that these few sales make blocks of their lists.
  yield* Effect.provide(blocksAreOf(4), operating)
  const environment = {
    ...everybody,
    DATABASE_URL: behind(database, proxy),
    PORT: "0",
    PG_POOL_MAX: "6",
    SANDBOX: "off",
    LOG_FORMAT: "json",
    RATE_LIMIT_PER_MINUTE: "1000000",
    RATE_LIMIT_ADDRESS_PER_MINUTE: "1000000",
    PROVIDER: "http",
    PROVIDER_URL: suppliers.providerUrl,
    PROVIDER_SECRET: secret,
    INSURER: "http",
    INSURER_URL: suppliers.insurerUrl,
    INSURER_SECRET: secret
  }
  const place = { directory, environment, time, database: Effect.provide(answering, operating) }
  const servers = yield* Effect.all([startServer("server 1", place), startServer("server 2", place)], {
    concurrency: "unbounded"
  })
  return Stage.of({
    directory,
    time,
    postgres: embedded.directory,
    proxy,
    servers,
    suppliers,
    customers,
    database,
    operator: operating
  })
})
