import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Cause, ConfigProvider, Context, Effect, Exit, Layer, Redacted } from "effect"
import { EmbeddedPostgres } from "../../../adapters/embedded/EmbeddedPostgres.ts"
import { CellName, NodeName } from "../../../core/domain/Cell.ts"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { addCell } from "../../../core/workflows/ManageCells.ts"
import { operatorPorts } from "../../../facade/AppLayer.ts"
import { authorizationOf, makeCompany, makeToken } from "../../support/CompaniesAndTokens.ts"
import { type CuttingProxy, cuttingProxy } from "../../support/CuttingProxy.ts"
import { copyDatabase } from "../../support/EmbeddedDatabases.ts"
import { setBlockLength, testBlockLength } from "../../support/SalesHistory.ts"
import { cellNames } from "../../support/SeveralCells.ts"
import { bundlePrograms, type Programs } from "../processes/Bundle.ts"
import { onNodeOf } from "./CellReads.ts"
import { type PostgresServer, untilPostgresAnswers } from "./Postgres.ts"
import { makeRunTime, type RunTime } from "./RunTime.ts"
import { type Server, type Suppliers, startServer, startSuppliers } from "./ServersAndSuppliers.ts"
import { type CompanyEndpoint, subscribeCompanies } from "./Subscriptions.ts"

/** Opening deposit of a company in centavos. It exceeds all sales of a run. */
export const openingDeposit = Amount.make(1_000_000_000_000)

/** A company that sells through the suppliers, with its authorization header. */
export interface Customer {
  readonly companyId: CompanyId
  readonly cell: CellName
  readonly authorization: string
}

/** Creates a company in production with a token, in a cell. */
const makeCustomer = Effect.fnUntraced(function* (cell: CellName) {
  const companyId = yield* makeCompany(`of ${cell}`, openingDeposit, { environment: "production" }, cell)
  const { apiKey, secret } = yield* makeToken(companyId)
  return { companyId, cell, authorization: authorizationOf(apiKey, Redacted.value(secret)) } satisfies Customer
}, Effect.orDie)

/** The second Postgres server, and the cell on it. Its company has a webhook. */
export const secondNode = { name: "este", cell: "norte", variable: "CELL_NODE_ESTE_URL" } as const

const nodeOf = (cell: string) => NodeName.make(cell === secondNode.cell ? secondNode.name : "main")

/** Creates the cells, with a company in each. */
const makeCustomers = Effect.gen(function* () {
  const cells = cellNames.map((name) => CellName.make(name))
  yield* Effect.forEach(cells, (cell) => addCell(cell, nodeOf(cell)), { discard: true })
  // Blocks are short, so that the few sales of a run fill whole blocks of the lists.
  yield* Effect.forEach(cells, (cell) => onNodeOf(cell, setBlockLength(testBlockLength, cell)), { discard: true })
  return yield* Effect.forEach(cells, makeCustomer)
})

/**
 * Postgres settings. Only processes crash here, not the machine, so a commit must reach the operating system but not
 * the disk.
 */
const settings = { fsync: "off", full_page_writes: "off", shared_buffers: "16MB" }

const secret = "secret of the suppliers in a crash run"

type Operator = Layer.Success<typeof operatorPorts>

/** The processes and data of a run: two servers, their database, the suppliers, the companies and the shared time. */
export class CrashEnvironment extends Context.Service<
  CrashEnvironment,
  {
    /** Directory of all logs. It is kept after a failed run. */
    readonly directory: string
    readonly programs: Programs
    readonly time: RunTime
    /** Data directories of both Postgres servers. */
    readonly postgres: Readonly<Record<PostgresServer, string>>
    /** Proxy between the servers and Postgres. */
    readonly proxy: CuttingProxy
    readonly servers: readonly [Server, Server]
    readonly suppliers: Suppliers
    readonly customers: ReadonlyArray<Customer>
    readonly endpoints: ReadonlyArray<CompanyEndpoint>
    /** Settings of operator commands, with the addresses of the databases. */
    readonly commands: Readonly<Record<string, string>>
    /** Settings of the process of an operator that moves rows. */
    readonly mover: Readonly<Record<string, string>>
    /** Operator services, connected directly to Postgres, without the proxy. */
    readonly operator: Context.Context<Operator>
    /** Operator services, connected through the proxy, so that their connections can be cut too. */
    readonly cuttableOperator: Context.Context<Operator>
  }
>()("saldo/crash/Environment") {}

const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = mkdtempSync(join(tmpdir(), "saldo-crash-"))
    // The user that runs Postgres must be able to traverse the directory.
    chmodSync(directory, 0o711)
    return directory
  }),
  (directory, exit) =>
    Effect.sync(() => {
      const hasFailed = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
      if (!hasFailed) rmSync(directory, { recursive: true, force: true })
    })
)

const throughProxy = (database: string, proxy: CuttingProxy): string => {
  const url = new URL(database)
  url.port = String(proxy.port)
  return url.href
}

const startOperator = (settings: Readonly<Record<string, string>>) =>
  Layer.build(Layer.fresh(operatorPorts)).pipe(
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromEnv({ env: { ...settings, LOG_LEVEL: "none" } })
    )
  )

/** Starts a Postgres server of the run. */
const startPostgres = Effect.fnUntraced(function* (dataDirectory: string) {
  const started = yield* Layer.build(Layer.fresh(EmbeddedPostgres.layer({ dataDirectory, settings })))
  const embedded = Context.get(started, EmbeddedPostgres)
  const url = yield* copyDatabase(Redacted.value(embedded.url), "template0", "saldo")
  return { directory: embedded.directory, url }
})

/** Starts the environment. It stops when the scope closes; the directory of a failed run is kept. */
export const startEnvironment = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const programs = yield* bundlePrograms
  const time = yield* makeRunTime(directory)
  const common = {
    CRASH_TIME_FILE: time.file,
    CRASH_SECRET: secret,
    // All processes of the run share the compiled code.
    NODE_COMPILE_CACHE: join(directory, "compiled")
  }
  const main = yield* startPostgres(join(directory, "postgres"))
  const second = yield* startPostgres(join(directory, secondNode.name))
  const proxy = yield* cuttingProxy(Number(new URL(main.url).port))
  const commands = { DATABASE_URL: main.url, [secondNode.variable]: second.url }
  const suppliers = yield* startSuppliers(programs, directory, common)
  const operating = yield* startOperator(commands)
  const customers = yield* Effect.provide(makeCustomers, operating)
  const environment = {
    ...common,
    ...commands,
    DATABASE_URL: throughProxy(main.url, proxy),
    PORT: "0",
    // The smallest pool with which a server listens for deliveries.
    PG_POOL_MAX: "7",
    WEBHOOK_ALLOW_LOCAL: "on",
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
  const database = Effect.provide(untilPostgresAnswers, operating)
  const serverContext = { directory, programs, environment, time, database }
  const servers = yield* Effect.all([startServer("server 1", serverContext), startServer("server 2", serverContext)], {
    concurrency: "unbounded"
  })
  const endpoints = yield* subscribeCompanies(customers, servers[0], suppliers)
  return CrashEnvironment.of({
    directory,
    programs,
    time,
    postgres: { main: main.directory, second: second.directory },
    proxy,
    servers,
    suppliers,
    customers,
    endpoints,
    commands,
    mover: { ...common, ...commands, LOG_LEVEL: "none" },
    operator: operating,
    cuttableOperator: yield* startOperator({ ...commands, DATABASE_URL: throughProxy(main.url, proxy) })
  })
})

/** The log of a round: what happened, in order, each line with its time since the start of the round. */
export class RoundLog {
  readonly #began_ms = performance.now()
  readonly lines: Array<string> = []

  add(text: string): void {
    const at_ms = Math.round(performance.now() - this.#began_ms)
    this.lines.push(`${String(at_ms).padStart(6)} ms  ${text}`)
  }
}
