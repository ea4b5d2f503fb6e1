import { Layer } from "effect"
import * as AccountsMemory from "./AccountsMemory.ts"
import * as AdjustmentsMemory from "./AdjustmentsMemory.ts"
import { Books } from "./Books.ts"
import * as InsurancesMemory from "./InsurancesMemory.ts"
import * as LedgerMemory from "./LedgerMemory.ts"
import * as OptionsMemory from "./OptionsMemory.ts"
import * as OutboxMemory from "./OutboxMemory.ts"
import * as ReversalsMemory from "./ReversalsMemory.ts"
import * as StatementMemory from "./StatementMemory.ts"
import * as TransactionsMemory from "./TransactionsMemory.ts"
import * as UnresolvedMemory from "./UnresolvedMemory.ts"
import * as VaultMemory from "./VaultMemory.ts"

/** All memory adapters over one shared `Books`. */
export const layer = Layer.mergeAll(
  LedgerMemory.layer,
  ReversalsMemory.layer,
  AccountsMemory.layer,
  AdjustmentsMemory.layer,
  StatementMemory.layer,
  TransactionsMemory.layer,
  UnresolvedMemory.layer,
  OptionsMemory.layer,
  InsurancesMemory.layer,
  OutboxMemory.layer,
  VaultMemory.layer
).pipe(Layer.provideMerge(Books.layer))
