import { Layer } from "effect"
import * as AccountsMemory from "./AccountsMemory.ts"
import { Books } from "./Books.ts"
import * as LedgerMemory from "./LedgerMemory.ts"
import * as TransactionsMemory from "./TransactionsMemory.ts"
import * as UnresolvedMemory from "./UnresolvedMemory.ts"

/** The whole cell in memory: four ports over one set of books. */
export const layer = Layer.mergeAll(
  LedgerMemory.layer,
  AccountsMemory.layer,
  TransactionsMemory.layer,
  UnresolvedMemory.layer
).pipe(Layer.provideMerge(Books.layer))
