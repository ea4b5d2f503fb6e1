import { Schema } from "effect"
import { CaseId } from "./Case.ts"
import type { CellError } from "./CellErrors.ts"
import { ClosingProblem } from "./Closing.ts"
import type { CompanyClosed } from "./Errors.ts"
import { WebhookId } from "./Event.ts"
import { CompanyId, ServiceId, TokenId, TransactionId } from "./Ids.ts"
import { Centavos } from "./Money.ts"
import { OperatorAction, Role } from "./Operator.ts"
import type { SignInError } from "./SignInErrors.ts"
import { Status } from "./Status.ts"

/** The role of the operator may not take this action. */
export class NotAllowed extends Schema.TaggedError<NotAllowed>()("NotAllowed", {
  action: OperatorAction,
  role: Role,
  /** False if the command line has no session, although operators have accounts. */
  isSignedIn: Schema.Boolean
}) {}

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

/** The token is revoked, which cannot be undone. */
export class TokenRevoked extends Schema.TaggedError<TokenRevoked>()("TokenRevoked", {
  tokenId: TokenId
}) {}

/** There is no such webhook. */
export class UnknownWebhook extends Schema.TaggedError<UnknownWebhook>()("UnknownWebhook", {
  webhookId: WebhookId
}) {}

/** The catalogue has no such service. */
export class UnknownService extends Schema.TaggedError<UnknownService>()("UnknownService", {
  serviceId: ServiceId
}) {}

/** Another category already has this name, and the import does not change that category. */
export class CategoryNameTaken extends Schema.TaggedError<CategoryNameTaken>()("CategoryNameTaken", {}) {}

/** A package outside the import is on sale with the same code for the same service. */
export class PackageCodeTaken extends Schema.TaggedError<PackageCodeTaken>()("PackageCodeTaken", {
  serviceId: ServiceId,
  code: Schema.String,
  packageId: Schema.Int,
  otherPackageId: Schema.Int
}) {}

/** No company has such a transaction. */
export class UnknownTransaction extends Schema.TaggedError<UnknownTransaction>()("UnknownTransaction", {
  transactionId: TransactionId
}) {}

/** No sale has this id or xid. */
export class UnknownSale extends Schema.TaggedError<UnknownSale>()("UnknownSale", {
  text: Schema.String
}) {}

/** The list covers too many days. Only a list of one company, or a search, may cover more than `days_max`. */
export class TooManyDays extends Schema.TaggedError<TooManyDays>()("TooManyDays", {
  days_max: Schema.Int
}) {}

/**
 * The page is too far from the beginning of a list over several cells. Each cell would read all rows up to
 * the page.
 */
export class PageTooDeep extends Schema.TaggedError<PageTooDeep>()("PageTooDeep", {
  rows_max: Schema.Int
}) {}

/** This version cannot read the stored transaction. Nothing was changed, and a held amount stays held. */
export class UnreadableTransaction extends Schema.TaggedError<UnreadableTransaction>()("UnreadableTransaction", {
  transactionId: TransactionId
}) {}

/** The reference was used before for another amount. Nothing was added. */
export class ReferenceTaken extends Schema.TaggedError<ReferenceTaken>()("ReferenceTaken", {
  reference: Schema.String,
  /** Signed amounts in centavos. Only the amount of an adjustment may be negative. */
  recorded: Schema.Int,
  asked: Schema.Int
}) {}

/** A pending proposal has this reference with another amount. Nothing was proposed. */
export class ReferenceProposed extends Schema.TaggedError<ReferenceProposed>()("ReferenceProposed", {
  reference: Schema.String,
  number: Schema.Int,
  /** Signed amounts in centavos. */
  proposed: Schema.Int,
  asked: Schema.Int
}) {}

/** A deposit of another company has this reference, and the operator did not allow to repeat it. Nothing was added. */
export class ReferenceElsewhere extends Schema.TaggedError<ReferenceElsewhere>()("ReferenceElsewhere", {
  reference: Schema.String,
  companyId: CompanyId,
  otherCompanyId: CompanyId
}) {}

/** There is no such proposal of a deposit or adjustment. */
export class UnknownFunding extends Schema.TaggedError<UnknownFunding>()("UnknownFunding", {
  number: Schema.Int
}) {}

/** The adjustment would take more than the available amount. Nothing was taken. */
export class AdjustmentTooLarge extends Schema.TaggedError<AdjustmentTooLarge>()("AdjustmentTooLarge", {
  available: Centavos,
  /** Negative centavos. */
  asked: Schema.Int
}) {}

/** The company's balance would exceed the maximum. Nothing was added. */
export class DepositTooLarge extends Schema.TaggedError<DepositTooLarge>()("DepositTooLarge", {
  /** Centavos. */
  asked: Schema.Int
}) {}

/** The operator who confirmed a proposal, and the time. */
export const Confirmation = Schema.Struct({ by: Schema.String, at: Schema.DateTimeUtc })
export type Confirmation = typeof Confirmation.Type

/** The operator may not resolve this transaction, or may not give it this status. */
export class NotResolvable extends Schema.TaggedError<NotResolvable>()("NotResolvable", {
  transactionId: TransactionId,
  status: Status,
  /** The earlier confirmation of the proposal. Absent if the proposal was not confirmed before. */
  confirmation: Schema.optionalKey(Confirmation),
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

/** There is no proposal that this operator may confirm. */
export class NotConfirmable extends Schema.TaggedError<NotConfirmable>()("NotConfirmable", {
  transactionId: TransactionId,
  why: Schema.Literals(["no_proposal", "no_account", "same_operator", "changed", "outdated", "not_asked", "confirmed"]),
  /** Present if another operator has already confirmed the proposal. */
  confirmation: Schema.optionalKey(Confirmation)
}) {}

/** The provider or insurer was not asked about this transaction, and nothing was changed. */
export class NotAskable extends Schema.TaggedError<NotAskable>()("NotAskable", {
  transactionId: TransactionId,
  /**
   * `young`: the call may still be running. `reversed`: the sale is reversed, which is final. `unreachable`:
   * no provider or insurer accepts calls of this process.
   */
  why: Schema.Literals(["young", "reversed", "unreachable"])
}) {}

/** This operator may not confirm or reject the proposal of a deposit or adjustment. */
export class FundingNotDecidable extends Schema.TaggedError<FundingNotDecidable>()("FundingNotDecidable", {
  number: Schema.Int,
  why: Schema.Literals(["no_account", "same_operator", "confirmed", "rejected", "expired", "reference_used"]),
  /** Present if an operator has already confirmed or rejected the proposal. */
  decision: Schema.optionalKey(Confirmation)
}) {}

/** The provider or insurer firmly reports an outcome that contradicts the proposal. */
export class SupplierDisagrees extends Schema.TaggedError<SupplierDisagrees>()("SupplierDisagrees", {
  transactionId: TransactionId,
  about: Schema.Literals(["sale", "reversal"]),
  said: Schema.String
}) {}

/** There is no such case. */
export class UnknownCase extends Schema.TaggedError<UnknownCase>()("UnknownCase", { caseId: CaseId }) {}

/** The case is closed. */
export class CaseClosed extends Schema.TaggedError<CaseClosed>()("CaseClosed", { caseId: CaseId }) {}

/** The statement has no dates, and the operator has given no days to compare. Nothing was stored. */
export class StatementWithoutDates extends Schema.TaggedError<StatementWithoutDates>()("StatementWithoutDates", {}) {}
/** The local day is not over yet, so it cannot be closed. */
export class DayNotOver extends Schema.TaggedError<DayNotOver>()("DayNotOver", { day: Schema.String }) {}

/** The figures of a day do not add up. The closing was not stored. */
export class ClosingMismatch extends Schema.TaggedError<ClosingMismatch>()("ClosingMismatch", {
  companyId: CompanyId,
  day: Schema.String,
  problems: Schema.Array(ClosingProblem)
}) {}

/** All errors that an operator may see. */
export type OperatorError =
  | SignInError
  | NotAllowed
  | UnknownCompany
  | CodeTaken
  | CompanyClosed
  | CellError
  | UnknownToken
  | TokenRevoked
  | UnknownWebhook
  | UnknownService
  | CategoryNameTaken
  | PackageCodeTaken
  | UnknownTransaction
  | UnknownSale
  | PageTooDeep
  | TooManyDays
  | UnreadableTransaction
  | ReferenceTaken
  | ReferenceProposed
  | UnknownFunding
  | AdjustmentTooLarge
  | FundingNotDecidable
  | ReferenceElsewhere
  | DepositTooLarge
  | NotResolvable
  | NotConfirmable
  | NotAskable
  | SupplierDisagrees
  | UnknownCase
  | CaseClosed
  | StatementWithoutDates
  | DayNotOver
