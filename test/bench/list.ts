import { Duration, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { EmbeddedPostgres } from "../../adapters/embedded/EmbeddedPostgres.ts"
import { anyRoleReaderLayer } from "../../adapters/postgres/connection/CompanyReads.ts"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import * as StatementPostgres from "../../adapters/postgres/reads/StatementPostgres.ts"
import * as TransactionsPostgres from "../../adapters/postgres/reads/TransactionsPostgres.ts"
import { migrate } from "../../adapters/postgres/schema/Migrations.ts"
import { CompanyId, Identifier } from "../../core/domain/Ids.ts"
import { Statement } from "../../core/ports/Statement.ts"
import { Transactions } from "../../core/ports/Transactions.ts"
import { print } from "../../facade/cli/terminal/Output.ts"
import { programOf, runCheck } from "../support/CheckProgram.ts"
import { temporaryPostgres } from "../support/EmbeddedDatabases.ts"
import { loadSalesHistory, type SalesHistory } from "../support/SalesHistory.ts"
import { median } from "./support/Measurements.ts"

const histories: ReadonlyArray<SalesHistory> = [
  { company: 1, sales: 1_000, days: 30 },
  { company: 2, sales: 1_000_000, days: 365 },
  { company: 3, sales: 1_000_000, days: 1 }
]

const perPage = 50
const rounds = 41

interface Subject {
  readonly what: string
  /**
   * Reads a page of a company. `deep` is the number of the deep page: 1,000, or the last page if there are fewer pages.
   */
  readonly read: (company: CompanyId, deep: number) => Effect.Effect<unknown, never, Statement | Transactions>
}

const sales = (what: string, filter: Parameters<Transactions["Service"]["list"]>[1], deep = false): Subject => ({
  what: `sales, ${what}`,
  read: (company, last) => Transactions.use(({ list }) => list(company, filter, { page: deep ? last : 1, perPage }))
})

const entries = (what: string, range: Parameters<Statement["Service"]["page"]>[1], deep = false): Subject => ({
  what: `statement, ${what}`,
  read: (company, last) => Statement.use(({ page }) => page(company, range, { page: deep ? last : 1, perPage }))
})

const subjects: ReadonlyArray<Subject> = [
  sales("first page", {}),
  sales("deep page", {}, true),
  sales("SUCCESS, first page", { status: "SUCCESS" }),
  sales("SUCCESS, deep page", { status: "SUCCESS" }, true),
  sales("FAILED, first page", { status: "FAILED" }),
  sales("PROCESSING, first page", { status: "PROCESSING" }),
  sales("a day, first page", { from: "2026-01-31", to: "2026-01-31" }),
  sales("a month and a day, FAILED", { from: "2025-12-31", to: "2026-01-30", status: "FAILED" }),
  sales("by identifier", { identifier: Identifier.make("c-100") }),
  sales("by xid", { xid: "RD-2-700" }),
  entries("first page", {}),
  entries("deep page", {}, true),
  entries("a day, first page", { from: "2026-01-31", to: "2026-01-31" })
]

const medianOf_ms = ({ read }: Subject, { company, sales }: SalesHistory) => {
  const deep = Math.min(1_000, Math.floor((0.9 * sales) / perPage))
  const once = Effect.map(Effect.timed(read(CompanyId.make(company), deep)), ([took]) => Duration.toMillis(took))
  return Effect.map(Effect.replicateEffect(once, rounds), median)
}

const lineOf = (what: string, cells: ReadonlyArray<string>): string =>
  what.padEnd(38) + cells.map((cell) => cell.padStart(18)).join("")

const compare = Effect.gen(function* () {
  yield* migrate
  for (const history of histories) yield* loadSalesHistory(history)
  const pages = yield* Effect.forEach(subjects, (subject) =>
    Effect.map(
      Effect.forEach(histories, (history) => medianOf_ms(subject, history)),
      (medians_ms) => ({ page: subject.what, medians_ms })
    )
  )
  const heads = histories.map(({ days, sales }) => `${sales} in ${days} d`)
  const lines = pages.map(({ medians_ms, page }) =>
    lineOf(
      page,
      medians_ms.map((ms) => ms.toFixed(2))
    )
  )
  yield* print({ histories, pages }, [lineOf("median time of a page, ms", heads), ...lines].join("\n"))
})

const database = Layer.unwrap(EmbeddedPostgres.useSync(({ url }) => Database.layer({ url, connections_max: 4 })))

const live = Layer.mergeAll(TransactionsPostgres.layer, StatementPostgres.layer).pipe(
  Layer.provide(anyRoleReaderLayer),
  Layer.provideMerge(database),
  Layer.provide(temporaryPostgres)
)

const list = Command.make("npm run bench:list --", {}, () => Effect.scoped(Effect.provide(compare, live))).pipe(
  Command.withDescription(
    `Measures the time of a page of sales and of a statement, in milliseconds. The companies have 1,000 sales in 30 days, a million in a year and a million in one day. Each value is the median of ${rounds} reads on a temporary embedded Postgres. Loading it takes a while. Exit code 2 for wrong usage.`
  ),
  Command.withShortDescription("Measure pages of lists")
)

programOf(list).pipe(runCheck)
