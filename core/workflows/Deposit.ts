import { DateTime, Effect } from "effect"
import type { CompanyId } from "../domain/Ids.ts"
import type { Amount } from "../domain/Money.ts"
import { DepositTooLarge, ReferenceTaken } from "../domain/OperatorErrors.ts"
import { Deposited, Ledger } from "../ports/Ledger.ts"
import { recordAudit } from "./AuditTrail.ts"
import { companyOf } from "./Company.ts"

/** The entry of a deposit, and whether an earlier call made it. */
interface DepositReceipt {
  readonly entryId: number
  readonly repeated: boolean
}

/**
 * Adds money to a company's balance, once per reference. Repeating a deposit returns its entry. The same reference with
 * another amount is refused.
 */
export const deposit = Effect.fn("Deposit.deposit")(function* (
  companyId: CompanyId,
  amount: Amount,
  reference: string
) {
  yield* companyOf(companyId)
  const ledger = yield* Ledger
  // Recorded before the money moves. If the process dies in between, the log still names the request.
  yield* recordAudit("deposit_asked", { companyId }, { amount, reference })
  const left = (entryId: number, repeated: boolean) => {
    const action = repeated ? "deposit_repeated" : "deposit_recorded"
    const receipt: DepositReceipt = { entryId, repeated }
    return Effect.as(recordAudit(action, { companyId }, { entryId, amount, reference }), receipt)
  }
  const deposited = yield* ledger.deposit({ companyId, amount, reference, at: yield* DateTime.now })
  return yield* Deposited.$match(deposited, {
    Recorded: ({ entryId }) => left(entryId, false),
    AlreadyRecorded: ({ amount: recorded, entryId }) =>
      recorded === amount
        ? left(entryId, true)
        : Effect.fail(new ReferenceTaken({ reference, recorded, asked: amount })),
    BeyondRange: () => Effect.fail(new DepositTooLarge({ asked: amount }))
  })
})
