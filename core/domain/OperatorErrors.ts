import { Schema } from "effect"
import { CompanyId, ServiceId, TokenId, TransactionId } from "./Ids.ts"
import { Amount } from "./Money.ts"
import { Status } from "./Status.ts"

/** There is no such company. */
export class UnknownCompany extends Schema.TaggedError<UnknownCompany>()("UnknownCompany", {
  companyId: CompanyId
}) {}

/** Another company already has this code. */
export class CodeTaken extends Schema.TaggedError<CodeTaken>()("CodeTaken", {
  code: Schema.String
}) {}

/** There is no such token. */
export class UnknownToken extends Schema.TaggedError<UnknownToken>()("UnknownToken", {
  tokenId: TokenId
}) {}

/** A revoked token stays revoked. */
export class TokenRevoked extends Schema.TaggedError<TokenRevoked>()("TokenRevoked", {
  tokenId: TokenId
}) {}

/** The catalogue has no such service. */
export class UnknownService extends Schema.TaggedError<UnknownService>()("UnknownService", {
  serviceId: ServiceId
}) {}

/** Another category, which this import does not touch, already has one of its names. */
export class CategoryNameTaken extends Schema.TaggedError<CategoryNameTaken>()("CategoryNameTaken", {}) {}

/** No company has such a transaction. */
export class UnknownTransaction extends Schema.TaggedError<UnknownTransaction>()("UnknownTransaction", {
  transactionId: TransactionId
}) {}

/** It is kept in a way that this version does not know: nothing was done, and what it holds stays held. */
export class UnreadableTransaction extends Schema.TaggedError<UnreadableTransaction>()("UnreadableTransaction", {
  transactionId: TransactionId
}) {}

/** The reference already stands for a deposit of another amount; nothing was added. */
export class ReferenceTaken extends Schema.TaggedError<ReferenceTaken>()("ReferenceTaken", {
  reference: Schema.String,
  recorded: Amount,
  asked: Amount
}) {}

/** The company would own more than it can; nothing was added. */
export class DepositTooLarge extends Schema.TaggedError<DepositTooLarge>()("DepositTooLarge", {
  asked: Amount
}) {}

/** How the sale, or its reversal, ended is not for an operator to say, or not so. */
export class NotResolvable extends Schema.TaggedError<NotResolvable>()("NotResolvable", {
  transactionId: TransactionId,
  status: Status,
  why: Schema.Literals([
    "settled",
    "reversal",
    "unsettled",
    "no_reversal",
    "young",
    "young_reversal",
    "no_validity",
    "validity",
    "ends_before",
    "no_token",
    "token",
    "confirmed"
  ])
}) {}

/** There is nothing that this operator could confirm. */
export class NotConfirmable extends Schema.TaggedError<NotConfirmable>()("NotConfirmable", {
  transactionId: TransactionId,
  why: Schema.Literals(["no_proposal", "same_operator", "changed", "outdated", "not_asked"])
}) {}

/** The supplier firmly says the opposite of what was proposed. */
export class SupplierDisagrees extends Schema.TaggedError<SupplierDisagrees>()("SupplierDisagrees", {
  transactionId: TransactionId,
  about: Schema.Literals(["sale", "reversal"]),
  said: Schema.String
}) {}

/** Every refusal that an operator can be told. */
export type OperatorError =
  | UnknownCompany
  | CodeTaken
  | UnknownToken
  | TokenRevoked
  | UnknownService
  | CategoryNameTaken
  | UnknownTransaction
  | UnreadableTransaction
  | ReferenceTaken
  | DepositTooLarge
  | NotResolvable
  | NotConfirmable
  | SupplierDisagrees
