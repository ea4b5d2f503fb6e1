import { Duration, Option, Result, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { CaseId } from "../../../core/domain/Case.ts"
import { CellName, NodeName } from "../../../core/domain/Cell.ts"
import { WebhookId } from "../../../core/domain/Event.ts"
import { ProposalNumber } from "../../../core/domain/FundingProposal.ts"
import { CompanyId, ServiceId, TokenId, TransactionId } from "../../../core/domain/Ids.ts"
import { isDay, readInstant } from "../../../core/domain/LocalTime.ts"
import { AmountLiteral, readAdjustment, readAmount, readLimit } from "../../../core/domain/Money.ts"
import { OperatorName } from "../../../core/domain/Operator.ts"
import { readRnc } from "../../../core/domain/Rnc.ts"
import { phoneSpellings } from "../../../core/domain/SaleSearch.ts"
import { isAddressRange } from "../../../core/domain/Session.ts"
import { canonicalText, isBlank, isClean, isStorable, lengthOf } from "../../../core/domain/Text.ts"
import { Permission } from "../../../core/domain/Token.ts"
import { pesosFormat } from "../../settings/CatalogueFile.ts"
import { commaList, commaListOf, orDefault, toggle, wholeNumber, withNote } from "./Flags.ts"

/** Arguments and flags that several commands share. A rejected value is wrong usage, exit code 2. */

const isId = (number: number): boolean => Number.isSafeInteger(number) && number > 0
const idExpected = () => "Expected: a whole number above zero"

const idArgument = (name: string, description: string) =>
  Argument.Int(name).pipe(Argument.withDescription(description), Argument.filter(isId, idExpected))

export const companyId = Argument.map(idArgument("company", "Id of the company (empresa_id)"), CompanyId.make)
export const tokenId = Argument.map(idArgument("token", "Id of the token (token_id)"), TokenId.make)
export const serviceId = Argument.map(idArgument("service", "Id of the service (service_id)"), ServiceId.make)
export const webhookId = Argument.map(idArgument("webhook", "Id of the webhook (webhook_id)"), WebhookId.make)
export const caseId = Argument.map(idArgument("case", "Id of the case (caso_id)"), CaseId.make)
export const transactionId = Argument.map(
  idArgument("transaction", "Id of the transaction (transaction_id)"),
  TransactionId.make
)

const nameForm = "1 to 80 Latin letters, digits, spaces, dots, hyphens and apostrophes"

/** The name of an operator. */
export const operatorName = Argument.String("name").pipe(
  Argument.withDescription("Name of the operator"),
  Argument.filterMap(
    (typed) => Schema.decodeOption(OperatorName)(canonicalText(typed)),
    () => `Expected: ${nameForm}; not "local" or "server"`
  )
)

const cellNameExpected = () =>
  'Expected: 2 to 31 lower-case letters, digits and underscores, beginning with a letter and not with "pg_"'

/** The name of a cell. */
export const cellName = Argument.String("name").pipe(
  Argument.withDescription("Name of the cell"),
  Argument.filterMap(Schema.decodeOption(CellName), cellNameExpected)
)

/** The node that gets a cell. */
export const targetNode = Flag.String("node").pipe(
  Flag.withDescription("Postgres server of the cell; CELL_NODE_<NAME>_URL has its address"),
  Flag.filterMap(
    Schema.decodeOption(NodeName),
    () => "Expected: up to 31 lower-case letters and digits, beginning with a letter"
  )
)

/** The node of a new cell. */
export const nodeFlag = targetNode.pipe(orDefault(NodeName.make("main"), "main, the server of DATABASE_URL"))

/** Ends a move after its source server was lost. */
export const sourceLost = toggle(
  "source-lost",
  "End a move whose old server is lost for good, once the directory names the new place"
)

/** A flag with the name of a cell. */
export const cellFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.filterMap(Schema.decodeOption(CellName), cellNameExpected)
  )

export const proposalNumber = Argument.map(
  idArgument("proposal", "Number of the proposal (propuesta)"),
  ProposalNumber.make
)

/** Filters by cell. Null means all cells. */
export const cellFilter = cellFlag("cell", "Only companies of this cell").pipe(orDefault(null, "all cells"))

/** Filters by company. Undefined means all companies. */
export const companyFilter = Flag.Int("empresa").pipe(
  Flag.withDescription("Only this company, by its id (empresa_id)"),
  Flag.filter(isId, idExpected),
  Flag.map(CompanyId.make),
  orDefault(undefined, "all companies")
)

/** Filters by service. */
export const serviceFilter = Flag.Int("servicio").pipe(
  Flag.withDescription("Only sales of this service, by its id (service_id)"),
  Flag.filter(isId, idExpected),
  Flag.map(ServiceId.make),
  orDefault(undefined, "any")
)

/** A flag with a value to search for. */
export const soughtFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.filter(
      (text) => !isBlank(text),
      () => "Expected: a text that is not empty"
    ),
    orDefault(undefined, "none")
  )

/** A flag with a phone to search for. */
export const phoneFlag = Flag.String("telefono").pipe(
  Flag.withDescription("The phone of the sale, with or without +1"),
  withNote("such as 809-555-1234"),
  Flag.filter(
    (text) => phoneSpellings(text).length > 0,
    () => "Expected: a Dominican phone of ten digits, such as 809-555-1234"
  ),
  orDefault(undefined, "none")
)

export const dayFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.withMetavar("YYYY-MM-DD"),
    withNote("such as 2027-01-31"),
    Flag.filter(isDay, () => "Expected: a day such as 2027-01-31")
  )

export const pageNumber = wholeNumber("page", { minimum: 1, maximum: 1_000_000 }, "Page number").pipe(orDefault(1))
export const pageSize = (maximum: number) =>
  wholeNumber("per-page", { minimum: 1, maximum }, "Page size").pipe(orDefault(50))

const textLiteral = (text: string) => AmountLiteral.TextLiteral({ text })

export const amountArgument = Argument.String("amount").pipe(
  Argument.withDescription("Pesos above zero with at most two decimals, such as 1500 or 1500.50"),
  Argument.filterMap(
    (text) => Result.getSuccess(readAmount(textLiteral(text))),
    () => `Expected: ${pesosFormat}, such as 1500 or 1500.50`
  )
)

/** The amount of an adjustment, which may be negative. */
export const adjustmentArgument = Argument.String("amount").pipe(
  Argument.withDescription("Pesos with at most two decimals, such as 1500.50, or -1500.50 to take them away"),
  Argument.filterMap(
    (text) => Result.getSuccess(readAdjustment(text)),
    () => `Expected: ${pesosFormat}, such as 1500.50 or -1500.50`
  )
)

/** A flag with an amount in pesos. 0 means no limit. */
export const limitFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    withNote("such as 50000 or 1500.50"),
    Flag.withMetavar("pesos"),
    Flag.filterMap(
      (text) => Result.getSuccess(readLimit(textLiteral(text))),
      () => `Expected: ${pesosFormat}, such as 50000, or 0 for none`
    )
  )

const textFlagWith =
  (spelled: (typed: string) => string, isAllowed: (typed: string) => boolean) =>
  (name: string, length_max: number, description: string) => {
    const form = `1 to ${length_max} characters`
    const isFit = (value: string) => !isBlank(value) && lengthOf(value) <= length_max
    return Flag.String(name).pipe(
      Flag.withDescription(description),
      withNote(form),
      Flag.filterMap(
        (typed) => (isAllowed(typed) ? Option.liftPredicate(spelled(typed), isFit) : Option.none()),
        () => `Expected: ${form}, without control or hidden characters`
      )
    )
  }

/** A flag with text that is kept as typed. */
export const textFlag = textFlagWith((typed) => typed, isClean)

/**
 * A flag with text that identifies something. It is normalised, so that the same reference is recognized when it is
 * typed or pasted again.
 */
export const labelFlag = textFlagWith(canonicalText, isStorable)

/** The taxpayer number of a business. */
export const rncFlag = Flag.String("rnc").pipe(
  Flag.withDescription("RNC of the business: 9 digits, or the 11 digits of a person; hyphens are ignored"),
  withNote("such as 1-01-85004-3"),
  Flag.withMetavar("digits"),
  Flag.filterMap(readRnc, () => "Expected: an RNC of 9 digits with a valid check digit, or 11 digits of a person")
)

export const onOffFlag = (name: string, description: string) =>
  Flag.ChoiceWithValue(name, [
    ["on", true],
    ["off", false]
  ]).pipe(Flag.withDescription(description))

// An empty list means no restriction.
export const permissions = commaListOf("permisos", Permission.literals, "Permissions of the token").pipe(
  orDefault<ReadonlyArray<Permission>>([], "all")
)

export const addresses = commaList("ips", "Addresses and CIDR ranges that may use the token, separated by commas").pipe(
  withNote("such as 203.0.113.7,10.0.0.0/8"),
  Flag.filter(
    (ranges) => ranges.every(isAddressRange),
    () =>
      "Expected: addresses or CIDR ranges separated by commas, such as 203.0.113.7,10.0.0.0/8,2001:db8::/32; a range must begin with its first address"
  ),
  orDefault<ReadonlyArray<string>>([], "any")
)

export const instantFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(`${description}, in ISO 8601 with an offset`),
    withNote("such as 2027-01-01T00:00:00-04:00"),
    Flag.withMetavar("instant"),
    Flag.filterMap(readInstant, () => "Expected: an ISO 8601 instant with an offset, such as 2027-01-01T00:00:00-04:00")
  )

export const expiry = instantFlag("expira", "Instant from which the token is refused").pipe(orDefault(null, "never"))

const overlapPattern = /^(?:0|(?<count>\d{1,5})(?<unit>[mhd]))$/
const units = { m: Duration.minutes, h: Duration.hours, d: Duration.days }
const overlap_max = Duration.days(30)

const readOverlap = (text: string): Option.Option<Duration.Duration> => {
  const groups = overlapPattern.exec(text)?.groups
  if (groups === undefined) return Option.none()
  const { count = "0", unit = "m" } = groups
  const duration = units[unit as keyof typeof units](Number(count))
  return Duration.isLessThanOrEqualTo(duration, overlap_max) ? Option.some(duration) : Option.none()
}

/** How long the previous secret stays valid after a rotation. */
export const overlap = Flag.String("solape").pipe(
  Flag.withDescription(
    "How long the old secret stays valid, in minutes, hours or days, at most 30d; 0 to refuse it immediately"
  ),
  withNote("such as 30m, 24h or 7d"),
  Flag.withMetavar("duration"),
  Flag.filterMap(readOverlap, () => "Expected: 0, or minutes, hours or days up to 30d, such as 30m, 24h or 7d"),
  orDefault(Duration.hours(24), "24h")
)
