import { Layer } from "effect"
import * as AccountsMemory from "./AccountsMemory.ts"
import { Books } from "./Books.ts"
import * as ClosingsMemory from "./ClosingsMemory.ts"
import * as DeliveriesMemory from "./DeliveriesMemory.ts"
import * as EventsMemory from "./EventsMemory.ts"
import * as FollowUpsMemory from "./FollowUpsMemory.ts"
import * as FundingProposalsMemory from "./FundingProposalsMemory.ts"
import * as InsurancesMemory from "./InsurancesMemory.ts"
import * as LedgerMemory from "./LedgerMemory.ts"
import * as OptionsMemory from "./OptionsMemory.ts"
import * as OutboxMemory from "./OutboxMemory.ts"
import * as ReversalsMemory from "./ReversalsMemory.ts"
import * as TransactionsMemory from "./TransactionsMemory.ts"
import * as UnresolvedMemory from "./UnresolvedMemory.ts"
import * as WebhooksMemory from "./WebhooksMemory.ts"

/** All memory adapters over one shared `Books`. */
export const layer = Layer.mergeAll(
  LedgerMemory.layer,
  ReversalsMemory.layer,
  AccountsMemory.accountsLayer,
  AccountsMemory.adjustmentsLayer,
  AccountsMemory.statementLayer,
  ClosingsMemory.layer,
  EventsMemory.layer,
  DeliveriesMemory.layer,
  WebhooksMemory.layer,
  TransactionsMemory.layer,
  UnresolvedMemory.layer,
  FollowUpsMemory.layer,
  FundingProposalsMemory.layer,
  OptionsMemory.layer,
  InsurancesMemory.insurancesLayer,
  OutboxMemory.layer,
  InsurancesMemory.vaultLayer
).pipe(Layer.provideMerge(Books.layer))
