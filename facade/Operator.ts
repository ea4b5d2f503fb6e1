import { Layer } from "effect"
import * as AllTransactionsPostgres from "../adapters/postgres/AllTransactionsPostgres.ts"
import * as AuditPostgres from "../adapters/postgres/AuditPostgres.ts"
import * as HistoriesPostgres from "../adapters/postgres/HistoriesPostgres.ts"
import * as ResolutionsPostgres from "../adapters/postgres/ResolutionsPostgres.ts"
import { foundation } from "./Foundation.ts"
import { selling } from "./Selling.ts"
import { migrated, Store } from "./settings/Store.ts"

/** An operator's command does one thing at a time. */
const operatorConnections = 4

/** All that the operator's commands need. */
export const operator = Layer.mergeAll(
  AllTransactionsPostgres.layer,
  AuditPostgres.layer,
  HistoriesPostgres.layer,
  ResolutionsPostgres.layer,
  selling
).pipe(
  Layer.provideMerge(migrated(operatorConnections, "saldo_operator")),
  Layer.provideMerge(Store.layer),
  Layer.provideMerge(foundation)
)
