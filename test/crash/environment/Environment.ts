import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Cause, ConfigProvider, Context, Effect, Exit, Layer, Redacted } from "effect"
import { EmbeddedPostgres } from "../../../adapters/embedded/EmbeddedPostgres.ts"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { operatorLayer } from "../../../facade/AppLayer.ts"
import { makeCompany, makeToken } from "../../support/CompaniesAndTokens.ts"
import { type CuttingProxy, cuttingProxy } from "../../support/CuttingProxy.ts"
import { copyDatabase } from "../../support/EmbeddedDatabases.ts"
import { setBlockLength } from "../../support/SalesHistory.ts"
import { untilPostgresAnswers } from "./Postgres.ts"
import { makeRunTime, type RunTime } from "./RunTime.ts"
import { type Server, type Suppliers, startServer, startSuppliers } from "./ServersAndSuppliers.ts"

/** What each is given, in centavos: more than a run sells. */
export const openingDeposit = Amount.make(1_000_000_000_000)

/** A company that sells through the suppliers, and how its calls are signed. */
export interface Customer {
  readonly companyId: CompanyId
  readonly authorization: string
}

/** Makes a company in production with a token. */
const makeCustomer = Effect.fnUntraced(function* (code: string) {
  const companyId = yield* makeCompany(code, openingDeposit, { environment: "production" })
  const { apiKey, secret } = yield* makeToken(companyId)
  return { companyId, authorization: `Bearer ${apiKey}.${Redacted.value(secret)}` } satisfies Customer
}, Effect.orDie)

/** Processes die here, the machine does not: nothing has to reach the disk, but a commit has to reach the system. */
const settings = { fsync: "off", full_page_writes: "off", shared_buffers: "16MB" }

const secret = "what both sides of a crash know, and nobody else"

type Operator = Layer.Success<typeof operatorLayer>

/** All that a run takes place on: two servers, their database, whom they sell through, for whom, and when. */
export class CrashEnvironment extends Context.Service<
  CrashEnvironment,
  {
    /** Where everybody logs; it is kept when the run fails. */
    readonly directory: string
    readonly time: RunTime
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

const throughProxy = (database: string, proxy: CuttingProxy): string => {
  const url = new URL(database)
  url.port = String(proxy.port)
  return url.href
}

/** Sets the stage; it is gone with the scope, but for the directory of a run that failed. */
export const startEnvironment = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const time = yield* makeRunTime(directory)
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
  const operating = yield* Layer.build(operatorLayer).pipe(
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown({ DATABASE_URL: database, LOG_LEVEL: "none" })
    )
  )
  const customers = yield* Effect.provide(Effect.forEach(["A", "B", "C"], makeCustomer), operating)
  // So that these few sales make blocks of their lists.
  yield* Effect.provide(setBlockLength(4), operating)
  const environment = {
    ...everybody,
    DATABASE_URL: throughProxy(database, proxy),
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
  const place = { directory, environment, time, database: Effect.provide(untilPostgresAnswers, operating) }
  const servers = yield* Effect.all([startServer("server 1", place), startServer("server 2", place)], {
    concurrency: "unbounded"
  })
  return CrashEnvironment.of({
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

/** What happened in a round, in the order in which it was noticed. */
export class RoundLog {
  readonly #began_ms = performance.now()
  readonly lines: Array<string> = []

  tell(what: string): void {
    const at_ms = Math.round(performance.now() - this.#began_ms)
    this.lines.push(`${String(at_ms).padStart(6)} ms  ${what}`)
  }
}
