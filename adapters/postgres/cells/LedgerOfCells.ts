import { Effect, Layer } from "effect"
import { Accounts, Adjustments } from "../../../core/ports/Accounts.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { Options } from "../../../core/ports/Options.ts"
import { Resolutions } from "../../../core/ports/Resolutions.ts"
import { Reversals } from "../../../core/ports/Reversals.ts"
import { Unresolved } from "../../../core/ports/Unresolved.ts"
import * as AccountsPostgres from "../ledger/AccountsPostgres.ts"
import * as LedgerPostgres from "../ledger/LedgerPostgres.ts"
import * as OptionsPostgres from "../ledger/OptionsPostgres.ts"
import * as ResolutionsPostgres from "../ledger/ResolutionsPostgres.ts"
import * as ReversalsPostgres from "../ledger/ReversalsPostgres.ts"
import * as UnresolvedPostgres from "../ledger/UnresolvedPostgres.ts"
import { perCell } from "./Cells.ts"
import { claimInTurn, findIn } from "./CellWork.ts"

const ledger = Effect.map(perCell(Ledger, LedgerPostgres.layer), ({ of }) =>
  Ledger.of({
    reserve: (intent) => Effect.flatMap(of(intent.companyId), (cell) => cell.reserve(intent)),
    recall: (companyId, key, fingerprint) =>
      Effect.flatMap(of(companyId), (cell) => cell.recall(companyId, key, fingerprint)),
    settle: (settlement) => Effect.flatMap(of(settlement.order.companyId), (cell) => cell.settle(settlement)),
    deposit: (deposit) => Effect.flatMap(of(deposit.companyId), (cell) => cell.deposit(deposit))
  })
)

const accounts = Effect.map(perCell(Accounts, AccountsPostgres.accountsLayer), ({ of }) =>
  Accounts.of({
    read: (companyId, periods) => Effect.flatMap(of(companyId), (cell) => cell.read(companyId, periods)),
    configure: (companyId, settings, at) =>
      Effect.flatMap(of(companyId), (cell) => cell.configure(companyId, settings, at))
  })
)

const adjustments = Effect.map(perCell(Adjustments, AccountsPostgres.adjustmentsLayer), ({ of }) =>
  Adjustments.of({
    adjust: (adjustment) => Effect.flatMap(of(adjustment.companyId), (cell) => cell.adjust(adjustment))
  })
)

const reversals = Effect.map(perCell(Reversals, ReversalsPostgres.layer), ({ of, open }) =>
  Reversals.of({
    begin: (intent) => Effect.flatMap(of(intent.companyId), (cell) => cell.begin(intent)),
    settle: (settlement) =>
      Effect.flatMap(of(settlement.unresolved.reversal.order.companyId), (cell) => cell.settle(settlement)),
    claim: claimInTurn(open, (cell, wanted) => cell.claim(wanted))
  })
)

const unresolved = Effect.map(perCell(Unresolved, UnresolvedPostgres.layer), ({ open }) =>
  Unresolved.of({ claim: claimInTurn(open, (cell, wanted) => cell.claim(wanted)) })
)

// The options of one lookup belong to one company.
const options = Effect.map(perCell(Options, OptionsPostgres.layer), ({ of }) =>
  Options.of({
    store: (offered) => {
      const [first] = offered
      return first === undefined ? Effect.void : Effect.flatMap(of(first.companyId), (cell) => cell.store(offered))
    },
    find: (companyId, optionId) => Effect.flatMap(of(companyId), (cell) => cell.find(companyId, optionId))
  })
)

const resolutions = Effect.map(perCell(Resolutions, ResolutionsPostgres.layer), ({ of, parts }) =>
  Resolutions.of({
    find: (id) => findIn(parts, (cell) => cell.find(id)),
    propose: (order, proposal) => Effect.flatMap(of(order.companyId), (cell) => cell.propose(order, proposal)),
    confirm: (order, proposal, confirmation) =>
      Effect.flatMap(of(order.companyId), (cell) => cell.confirm(order, proposal, confirmation))
  })
)

/** The ports that move and show the money of one company, over all cells. */
export const layer = Layer.mergeAll(
  Layer.effect(Ledger, ledger),
  Layer.effect(Accounts, accounts),
  Layer.effect(Adjustments, adjustments),
  Layer.effect(Reversals, reversals),
  Layer.effect(Unresolved, unresolved),
  Layer.effect(Options, options),
  Layer.effect(Resolutions, resolutions)
)
