import { DateTime, Effect } from "effect"
import type { CompanyId } from "../domain/Ids.ts"
import type { Amount } from "../domain/Money.ts"
import { DepositTooLarge, ReferenceTaken } from "../domain/OperatorErrors.ts"
import { Deposited, Ledger } from "../ports/Ledger.ts"
import { recordAudit } from "./AuditTrail.ts"
import { companyOf } from "./Company.ts"

/** The entry that a deposit stands for, and whether an earlier call had made it. */
interface DepositReceipt {
  readonly entryId: number
  readonly repeated: boolean
}

/**
 * Adds money to a company, once a reference: the same deposit again finds its entry, and the reference of another
 * amount is refused.
 */
export const deposit = Effect.fn("Deposit.deposit")(function* (
  companyId: CompanyId,
  amount: Amount,
  reference: string
) {
  yield* companyOf(companyId)
  const ledger = yield* Ledger
  // Before the money: if the process dies in between, the log has to say who asked for the entry.
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
