import { type DateTime, Option } from "effect"
import type { Company } from "./Company.ts"
import type { TransactionId } from "./Ids.ts"
import type { Amount } from "./Money.ts"
import { messages, type Status } from "./Status.ts"
import type { Transaction } from "./Transaction.ts"

/** Name of the service's operator on the receipt. */
export const issuer = "Saldo"

/** Data of a printed receipt. Contract: 2.5. */
export interface Receipt {
  readonly transactionId: TransactionId
  readonly xid: string
  readonly authCode: string
  readonly issuer: string
  /** Name of the company that sold. */
  readonly merchant: string
  readonly service: string
  readonly identifier: string
  readonly amount: Amount
  readonly processedAt: DateTime.Utc
  readonly message: string
  /** The receipt of a reversed sale is no proof of payment. */
  readonly status: Extract<Status, "SUCCESS" | "REVERSED">
  /** Electricity only: the token that the customer types into the meter. */
  readonly rechargeToken: string | null
}

/** The receipt of a sale in SUCCESS or REVERSED. Null in every other status. Contract: 4.7. */
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
