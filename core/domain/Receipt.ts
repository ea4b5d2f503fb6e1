import { Option, Schema } from "effect"
import type { Company } from "./Company.ts"
import { TransactionId } from "./Ids.ts"
import { Amount } from "./Money.ts"
import { messages, Status } from "./Status.ts"
import type { Transaction } from "./Transaction.ts"

/** Name of the payment service that issues the receipt. */
export const issuer = "Saldo"

/** Data of a printed receipt. Contract: 2.5. */
export const Receipt = Schema.Struct({
  transactionId: TransactionId,
  xid: Schema.String,
  authCode: Schema.String,
  issuer: Schema.String,
  /** Name of the company that made the sale. */
  merchant: Schema.String,
  service: Schema.String,
  identifier: Schema.String,
  amount: Amount,
  processedAt: Schema.DateTimeUtc,
  message: Schema.String,
  /** The receipt shows REVERSED, because the receipt of a reversed sale is no proof of payment. */
  status: Status.pick(["SUCCESS", "REVERSED"]),
  /** Electricity only: the token that the customer types into the meter. */
  rechargeToken: Schema.NullOr(Schema.String)
})
export type Receipt = typeof Receipt.Type

/** The receipt of a sale in SUCCESS or REVERSED. None in every other status. Contract: 4.7. */
export const receiptOf = (
  { amount, authCode, id, identifier, processedAt, rechargeToken, service, status, xid }: Transaction,
  company: Company
): Option.Option<Receipt> =>
  (status === "SUCCESS" || status === "REVERSED") && authCode !== null && processedAt !== null
    ? Option.some({
        transactionId: id,
        xid,
        authCode,
        issuer,
        merchant: company.legalName,
        service: service.name,
        identifier,
        amount,
        processedAt,
        message: messages[status],
        status,
        rechargeToken
      })
    : Option.none()
