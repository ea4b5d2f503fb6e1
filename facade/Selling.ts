import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Layer } from "effect"
import * as VaultAead from "../adapters/crypto/VaultAead.ts"
import * as PepperNode from "../adapters/node/PepperNode.ts"
import * as SecureRandomNode from "../adapters/node/SecureRandomNode.ts"
import * as Sha256Node from "../adapters/node/Sha256Node.ts"
import * as AccountsPostgres from "../adapters/postgres/AccountsPostgres.ts"
import * as AdjustmentsPostgres from "../adapters/postgres/AdjustmentsPostgres.ts"
import * as AtomicPostgres from "../adapters/postgres/AtomicPostgres.ts"
import * as AuditLogPostgres from "../adapters/postgres/AuditLogPostgres.ts"
import * as CatalogueAdminPostgres from "../adapters/postgres/CatalogueAdminPostgres.ts"
import * as CompaniesPostgres from "../adapters/postgres/CompaniesPostgres.ts"
import * as DataKeyPostgres from "../adapters/postgres/DataKeyPostgres.ts"
import * as InsurancesPostgres from "../adapters/postgres/InsurancesPostgres.ts"
import * as LedgerPostgres from "../adapters/postgres/LedgerPostgres.ts"
import * as OptionsPostgres from "../adapters/postgres/OptionsPostgres.ts"
import * as OutboxPostgres from "../adapters/postgres/OutboxPostgres.ts"
import * as QuestionsPostgres from "../adapters/postgres/QuestionsPostgres.ts"
import * as ReplaysPostgres from "../adapters/postgres/ReplaysPostgres.ts"
import * as ReversalsPostgres from "../adapters/postgres/ReversalsPostgres.ts"
import * as StatementPostgres from "../adapters/postgres/StatementPostgres.ts"
import * as TokensPostgres from "../adapters/postgres/TokensPostgres.ts"
import * as TransactionsPostgres from "../adapters/postgres/TransactionsPostgres.ts"
import * as UnresolvedPostgres from "../adapters/postgres/UnresolvedPostgres.ts"
import { InFlight } from "../core/workflows/InFlight.ts"
import { parties } from "./Parties.ts"
import { Settings } from "./settings/Settings.ts"

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
).pipe(Layer.provideMerge(Layer.mergeAll(Sha256Node.layer, SecureRandomNode.layer, pepper, vault)))

/**
 * All that sells and moves money, on a database. The sales under way stand upon the others, not beside them: layers
 * that are merged are let go at once, and a sale under way still needs its party.
 */
export const selling = Layer.provideMerge(InFlight.layer, stores)
