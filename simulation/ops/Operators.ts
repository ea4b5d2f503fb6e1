import { DateTime, Effect } from "effect"
import { CompanyId, TransactionId } from "../../core/domain/Ids.ts"
import { validFor } from "../../core/domain/InsuranceOffer.ts"
import { dayOf, startOfDay } from "../../core/domain/LocalTime.ts"
import { Amount, Centavos } from "../../core/domain/Money.ts"
import { Finding } from "../../core/domain/Resolution.ts"
import { Accounts } from "../../core/ports/Accounts.ts"
import { Adjustments } from "../../core/ports/Adjustments.ts"
import { deposit } from "../../core/workflows/Deposit.ts"
import { confirmResolution, proposeResolution } from "../../core/workflows/Resolve.ts"
import type { Deeds } from "../engine/Deeds.ts"
import type { Mistakes } from "../parties/Mistakes.ts"
import type { SaleSeen } from "../engine/Observed.ts"
import type { Op } from "./Op.ts"

type OpOf<Do extends Op["do"]> = Op & { readonly do: Do }

/** What operators see beside their own books: those of the suppliers. */
export interface BackOffice {
  readonly stuck: () => ReadonlyArray<SaleSeen>
  readonly sales: Deeds
  /** What was asked for by hand, by company and reference. */
  readonly byHand: Map<string, number>
  readonly mistakes: Mistakes
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

/**
 * One operator reads in the supplier's own books how a stuck sale ended and proposes it, another confirms. Who is
 * mistaken says the opposite.
 */
export const resolve = Effect.fnUntraced(function* ({ mistakes, sales, stuck }: BackOffice, op: OpOf<"resolve">) {
  const all = stuck()
  const sale = all[op.nth % Math.max(all.length, 1)]
  if (sale === undefined) return null
  const { service, transactionId, xid } = sale.order
  const standing = sales.standing(xid)
  // What is still open over there, nobody can say.
  if (standing === "undecided") return null
  const isDone = (standing === "done") !== op.mistaken
  const rechargeToken = service.type === "electricity_prepaid" ? "1234 5678 9012 3456 7890" : null
  const validity = service.type === "insurance" ? validFor(yield* DateTime.now, 12) : null
  const finding = isDone
    ? Finding.cases.Success.make({ authCode: `A${xid.slice(3, 15).toUpperCase()}`, rechargeToken, validity })
    : Finding.cases.Failed.make({})
  if (op.mistaken) mistakes.say(xid)
  const { number } = yield* proposeResolution(transactionId, {
    finding,
    operator: "turno-1",
    reason: "el estado de cuenta"
  })
  yield* Effect.sleep("10 seconds")
  const shown = { evenUnasked: true, number }
  yield* Effect.ignore(confirmResolution(TransactionId.make(transactionId), { ...shown, operator: "turno-1" }))
  return (yield* confirmResolution(TransactionId.make(transactionId), { ...shown, operator: "turno-2" })).status
})
