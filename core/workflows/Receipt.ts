import { Effect, Option } from "effect"
import type { Company } from "../domain/Company.ts"
import { NotFound } from "../domain/Errors.ts"
import type { TransactionId } from "../domain/Ids.ts"
import { receiptOf } from "../domain/Receipt.ts"
import { Transactions } from "../ports/Transactions.ts"

/** The receipt of a company's sale. Contract: 4.7. */
export const receipt = Effect.fn("Receipt.receipt")(function* (company: Company, id: TransactionId) {
  const transactions = yield* Transactions
  const found = yield* transactions.find(company.id, id)
  const receipt = Option.flatMap(found, (transaction) => receiptOf(transaction, company))
  return yield* Effect.mapError(Effect.fromOption(receipt), () => new NotFound())
})
