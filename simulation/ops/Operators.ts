import { DateTime, Effect } from "effect"
import { CompanyId } from "../../core/domain/Ids.ts"
import { dayOf, startOfDay } from "../../core/domain/LocalTime.ts"
import { Amount, Centavos } from "../../core/domain/Money.ts"
import { Accounts } from "../../core/ports/Accounts.ts"
import { Adjustments } from "../../core/ports/Adjustments.ts"
import { deposit } from "../../core/workflows/Deposit.ts"
import type { GroundTruth } from "../engine/GroundTruth.ts"
import type { ReversalSeen, SaleSeen } from "../engine/Observed.ts"
import type { OperatorErrors } from "../engine/OperatorErrors.ts"
import type { Op } from "./Op.ts"

type OpOf<Do extends Op["do"]> = Op & { readonly do: Do }

/** What operators can see: stuck sales and reversals, and the suppliers' own records. */
export interface BackOffice {
  readonly stuckSales: () => ReadonlyArray<SaleSeen>
  readonly stuckReversals: () => ReadonlyArray<ReversalSeen>
  readonly sales: GroundTruth
  readonly reversals: GroundTruth
  /** Centavos of requested deposits, by company and reference. */
  readonly byHand: Map<string, number>
  readonly operatorErrors: OperatorErrors
}

export const pay = ({ byHand }: BackOffice, { centavos, company, reference }: OpOf<"deposit">) =>
  Effect.suspend(() => {
    byHand.set(`${company}/${reference}`, centavos)
    return deposit(CompanyId.make(company), Amount.make(centavos), reference)
  })

export const bound = Effect.fnUntraced(function* ({ company, daily, monthly, weekly }: OpOf<"limit">) {
  const accounts = yield* Accounts
  const limits = { daily: Centavos.make(daily), weekly: Centavos.make(weekly), monthly: Centavos.make(monthly) }
  yield* accounts.configure(CompanyId.make(company), limits, yield* DateTime.now)
})

export const adjust = Effect.fnUntraced(function* ({ centavos, company, reference }: OpOf<"adjust">) {
  const adjustments = yield* Adjustments
  const at = yield* DateTime.now
  const since = startOfDay(dayOf(at))
  const wanted = { companyId: CompanyId.make(company), goal: Amount.make(centavos), reference, since, at }
  return yield* adjustments.adjust(wanted)
})
