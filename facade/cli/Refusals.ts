import { Predicate } from "effect"
import { formatLocal } from "../../core/domain/LocalTime.ts"
import { owned_max, toPesos } from "../../core/domain/Money.ts"
import { lowestRole } from "../../core/domain/Operator.ts"
import type {
  Confirmation,
  FundingNotDecidable,
  NotAskable,
  NotConfirmable,
  NotResolvable,
  OperatorError
} from "../../core/domain/OperatorErrors.ts"
import type { BadCatalogue } from "../settings/CatalogueFile.ts"
import type { BadStatement } from "../settings/StatementCsv.ts"
import { cellRefusals } from "./CellRefusals.ts"
import { signInRefusals } from "./SignInRefusals.ts"
import type { Document, Refusal } from "./terminal/Output.ts"

type RefusedError = OperatorError | BadCatalogue | BadStatement

const notResolvableMessages: { readonly [Why in NotResolvable["why"]]: (id: number, status: string) => string } = {
  settled: (id, status) => `Transaction ${id} is ${status}: it is already settled. Nothing was changed.`,
  reversal: (id, status) =>
    `Transaction ${id} is ${status}, and the outcome of its reversal is unknown. Propose --as reversed if the sale was reversed, --as stands if it was not.`,
  unsettled: (id, status) =>
    `Transaction ${id} is ${status}: the outcome of the sale itself is unknown, and it has no reversal. Propose --as success or --as failed.`,
  no_reversal: (id, status) => `Transaction ${id} is ${status} and has no unresolved reversal. Nothing was changed.`,
  young: (id) =>
    `Transaction ${id} is less than 15 minutes old, and its call or recovery may still settle it. Wait, then check it with "saldo transactions show ${id}".`,
  young_reversal: (id) =>
    `The reversal of transaction ${id} is less than 15 minutes old, and its call or recovery may still settle it. Wait, then check it with "saldo transactions show ${id}".`,
  no_validity: (id) =>
    `Transaction ${id} is a policy. Add --desde and --hasta, the first and the last day of its validity.`,
  validity: (id) => `Transaction ${id} is not a policy. Leave out --desde and --hasta.`,
  ends_before: (id) => `The policy of transaction ${id} cannot end before it begins. Correct --desde and --hasta.`,
  no_token: (id) =>
    `Transaction ${id} is electricity. Add --token, the 20 digits that the customer types into the meter.`,
  token: (id) => `Transaction ${id} is not electricity. Leave out --token.`,
  confirmed: (id) =>
    `A proposal for transaction ${id} is already confirmed, but the transaction is not settled yet. Nothing was proposed. Find the proposal's number with "saldo transactions show ${id}" and confirm it again, a minute after the first confirmation.`
}

const noAccount = (what: string): string =>
  `A second operator must confirm ${what}, and this shell has no account. Invite two operators with "saldo operator invite NAME --rol supervisor". Each accepts with "saldo operator accept". Then an operator who did not make the proposal confirms it.`

const notConfirmableMessages: { readonly [Why in NotConfirmable["why"]]: (id: number) => string } = {
  no_proposal: (id) => `Transaction ${id} has no proposal. Make one with "saldo transactions resolve ${id}".`,
  no_account: (id) => noAccount(`transaction ${id}`),
  same_operator: (id) => `You made this proposal yourself. A different operator must confirm transaction ${id}.`,
  changed: (id) =>
    `This is not the latest proposal for transaction ${id}. Check the latest one with "saldo transactions show ${id}" before you confirm it.`,
  outdated: (id) =>
    `This proposal is for an earlier reversal of transaction ${id}, which has ended. Make a new one with "saldo transactions resolve ${id}".`,
  not_asked: (id) =>
    `Transaction ${id} could not be checked with its provider or insurer, because no provider or insurer accepts calls from here. Run this command with the environment variables of the servers. If the provider or insurer no longer exists, add --sin-preguntar.`,
  confirmed: (id) =>
    `You did not settle transaction ${id}, because its proposal was already confirmed. Check it with "saldo transactions show ${id}". If it is not settled a minute after that confirmation, confirm it again.`
}

const notAskableMessages: { readonly [Why in NotAskable["why"]]: (id: number) => string } = {
  young: (id) =>
    `Transaction ${id} is less than a minute old, and its call may still be running. Nothing was asked. Check it with "saldo transactions show ${id}".`,
  reversed: (id) => `Transaction ${id} is reversed, which is final. Nothing was asked.`,
  unreachable: (id) =>
    `The question about transaction ${id} could not be sent, because no provider or insurer accepts calls from here. Run this command with the environment variables of the servers.`
}

const fundingMessages: { readonly [Why in FundingNotDecidable["why"]]: (number: number) => string } = {
  no_account: (number) => noAccount(`proposal ${number}`),
  same_operator: (number) => `You made proposal ${number} yourself. A different operator must confirm it.`,
  confirmed: (number) => `Proposal ${number} is already confirmed. Nothing was changed.`,
  rejected: (number) => `Proposal ${number} is rejected. Nothing was changed.`,
  expired: (number) => `Proposal ${number} has expired after 24 hours. Nothing was changed. Propose it again.`,
  reference_used: (number) =>
    `Since proposal ${number} was made, another movement has used its reference. Nothing was changed. Check that movement, then reject the proposal.`
}

/** The sentence that names the operator and the time of the earlier confirmation. Empty if there is none. */
const confirmedText = (confirmation: Confirmation | undefined): string =>
  confirmation === undefined ? "" : ` ${confirmation.by} confirmed the proposal at ${formatLocal(confirmation.at)}.`

const confirmedDetails = (confirmation: Confirmation | undefined): Document =>
  confirmation === undefined ? {} : { confirmada_por: confirmation.by, confirmada_en: formatLocal(confirmation.at) }

/** Names a column of a file, if the fault is not about the whole line. */
const columnText = (column: number | string | null): string => (column === null ? "" : `, column ${column}`)

/** The message of each error. A missing entry is a compile error. */
const refusals: { readonly [Tag in RefusedError["_tag"]]: (error: Extract<RefusedError, { _tag: Tag }>) => Refusal } = {
  ...signInRefusals,
  ...cellRefusals,
  NotAllowed: ({ action, isSignedIn, role }) => ({
    code: "NOT_ALLOWED",
    message: isSignedIn
      ? `Your role ${role} may not do this. Nothing was changed. An operator with the role ${lowestRole[action]} may.`
      : 'This installation has accounts of operators, so a change needs a signed-in operator. Nothing was changed. Sign in with "saldo login", or set OPERATOR_TOKEN.',
    details: { accion: action, rol_necesario: lowestRole[action], ...(isSignedIn && { rol: role }) }
  }),
  UnknownCompany: ({ companyId }) => ({
    code: "COMPANY_NOT_FOUND",
    message: `Company ${companyId} does not exist. List the companies with "saldo company list".`,
    details: { empresa_id: companyId }
  }),
  CodeTaken: ({ code }) => ({
    code: "COMPANY_CODE_TAKEN",
    message: `The code ${code} belongs to another company. Choose a different code. "saldo company list" shows the codes in use.`,
    details: { codigo_empresa: code }
  }),
  CompanyClosed: () => ({
    code: "COMPANY_CLOSED",
    message:
      'The company is closed, because its cell is closed, because it is moving to another cell, or because the server of its cell does not answer. Repeat the command later: it is safe to repeat. "saldo cell list" shows the closed cells, and "saldo doctor" the moves and the servers.'
  }),
  UnknownToken: ({ tokenId }) => ({
    code: "TOKEN_NOT_FOUND",
    message: `Token ${tokenId} does not exist. List a company's tokens with "saldo token list COMPANY".`,
    details: { token_id: tokenId }
  }),
  TokenRevoked: ({ tokenId }) => ({
    code: "TOKEN_REVOKED",
    message: `Token ${tokenId} is permanently revoked. Issue a new token with "saldo token issue".`,
    details: { token_id: tokenId }
  }),
  UnknownWebhook: ({ webhookId }) => ({
    code: "WEBHOOK_NOT_FOUND",
    message: `Webhook ${webhookId} does not exist. List the webhooks with "saldo webhook list".`,
    details: { webhook_id: webhookId }
  }),
  UnknownService: ({ serviceId }) => ({
    code: "SERVICE_NOT_FOUND",
    message: `Service ${serviceId} does not exist. List the services with "saldo catalog list".`,
    details: { service_id: serviceId }
  }),
  CategoryNameTaken: () => ({
    code: "CATEGORY_NAME_TAKEN",
    message: "A category outside the file already has the name of a category in the file. Rename one of the two."
  }),
  PackageCodeTaken: ({ code, otherPackageId, packageId, serviceId }) => ({
    code: "PACKAGE_CODE_TAKEN",
    message: `Package ${packageId} has the code ${code} of package ${otherPackageId}, which service ${serviceId} sells and which is not in the file. Nothing was imported. Change the code, or add package ${otherPackageId} with activo: false.`,
    details: { service_id: serviceId, codigo: code, paquete: packageId, otro_paquete: otherPackageId }
  }),
  UnreadableTransaction: ({ transactionId }) => ({
    code: "TRANSACTION_UNREADABLE",
    message: `Transaction ${transactionId} has a format that this version does not know. Nothing was changed, and its money stays held. Use the version that made the sale.`,
    details: { transaction_id: transactionId }
  }),
  UnknownTransaction: ({ transactionId }) => ({
    code: "TRANSACTION_NOT_FOUND",
    message: `Transaction ${transactionId} does not exist. List the latest transactions with "saldo transactions list".`,
    details: { transaction_id: transactionId }
  }),
  UnknownSale: ({ text }) => ({
    code: "TRANSACTION_NOT_FOUND",
    message: `No sale has the id or xid ${text}. Search with "saldo transactions list --buscar".`,
    details: { buscado: text }
  }),
  TooManyDays: ({ days_max }) => ({
    code: "TOO_MANY_DAYS",
    message: `Without --empresa, a list has at most ${days_max} days. Add --empresa, or choose fewer days.`,
    details: { dias_maximo: days_max }
  }),
  PageTooDeep: ({ rows_max }) => ({
    code: "PAGE_TOO_DEEP",
    message: `A list over several cells shows at most its first ${rows_max} rows. Narrow it with --cell, --empresa or --desde and --hasta, where the command has them.`,
    details: { filas_maximo: rows_max }
  }),
  ReferenceTaken: ({ asked, recorded, reference }) => ({
    code: "REFERENCE_TAKEN",
    message: `The reference ${reference} is already recorded with ${toPesos(recorded)}, not ${toPesos(asked)}. Nothing was added. Correct the amount, or use a different reference for a different movement.`,
    details: { referencia: reference, monto_registrado: toPesos(recorded), monto: toPesos(asked) }
  }),
  ReferenceElsewhere: ({ companyId, otherCompanyId, reference }) => ({
    code: "REFERENCE_AT_OTHER_COMPANY",
    message: `A deposit of company ${otherCompanyId} has the reference ${reference}. Nothing was added. Check the reference and the company. If company ${companyId} also made a deposit with this reference, add --repetida.`,
    details: { referencia: reference, otra_empresa_id: otherCompanyId }
  }),
  ReferenceProposed: ({ asked, number, proposed, reference }) => ({
    code: "REFERENCE_PROPOSED",
    message: `Proposal ${number} has the reference ${reference} with ${toPesos(proposed)}, not ${toPesos(asked)}. Nothing was proposed. Reject that proposal first, or use a different reference.`,
    details: { referencia: reference, propuesta: number, monto_propuesto: toPesos(proposed), monto: toPesos(asked) }
  }),
  UnknownFunding: ({ number }) => ({
    code: "PROPOSAL_NOT_FOUND",
    message: `Proposal ${number} does not exist. List the proposals with "saldo company proposals".`,
    details: { propuesta: number }
  }),
  FundingNotDecidable: ({ decision, number, why }) => ({
    code: "PROPOSAL_NOT_DECIDABLE",
    message: `${fundingMessages[why](number)}${decision === undefined ? "" : ` ${decision.by} decided at ${formatLocal(decision.at)}.`}`,
    details: {
      propuesta: number,
      motivo: why,
      ...(decision && { decidida_por: decision.by, decidida_en: formatLocal(decision.at) })
    }
  }),
  AdjustmentTooLarge: ({ asked, available }) => ({
    code: "ADJUSTMENT_TOO_LARGE",
    message: `The available amount is ${toPesos(available)}, so ${toPesos(-asked)} cannot be taken from it. Held money cannot be taken. Nothing was changed.`,
    details: { saldo_disponible: toPesos(available), monto: toPesos(asked) }
  }),
  DepositTooLarge: ({ asked }) => ({
    code: "DEPOSIT_TOO_LARGE",
    message: `A company's balance is limited to ${toPesos(owned_max)}. Adding ${toPesos(asked)} would exceed the limit. Nothing was added. Correct the amount.`,
    details: { monto: toPesos(asked), saldo_maximo: toPesos(owned_max) }
  }),
  NotResolvable: ({ confirmation, status, transactionId, why }) => ({
    code: "TRANSACTION_NOT_RESOLVABLE",
    message: `${notResolvableMessages[why](transactionId, status)}${confirmedText(confirmation)}`,
    details: { transaction_id: transactionId, status, motivo: why, ...confirmedDetails(confirmation) }
  }),
  NotConfirmable: ({ confirmation, transactionId, why }) => ({
    code: "RESOLUTION_NOT_CONFIRMABLE",
    message: `${notConfirmableMessages[why](transactionId)}${confirmedText(confirmation)}`,
    details: { transaction_id: transactionId, motivo: why, ...confirmedDetails(confirmation) }
  }),
  NotAskable: ({ transactionId, why }) => ({
    code: "TRANSACTION_NOT_ASKABLE",
    message: notAskableMessages[why](transactionId),
    details: { transaction_id: transactionId, motivo: why }
  }),
  SupplierDisagrees: ({ about, said, transactionId }) => ({
    code: "SUPPLIER_DISAGREES",
    message: `The supplier reports ${said} for ${about === "sale" ? "" : "the reversal of "}transaction ${transactionId}, which contradicts the proposal. Nothing was settled. Run "saldo reconcile" to settle the transaction by the supplier's answer.`,
    details: { transaction_id: transactionId, proveedor: said }
  }),
  UnknownCase: ({ caseId }) => ({
    code: "CASE_NOT_FOUND",
    message: `Case ${caseId} does not exist. List the cases with "saldo case list".`,
    details: { caso_id: caseId }
  }),
  CaseClosed: ({ caseId }) => ({
    code: "CASE_CLOSED",
    message: `Case ${caseId} is already closed. Nothing was changed. "saldo case show ${caseId}" shows its notes.`,
    details: { caso_id: caseId }
  }),
  StatementWithoutDates: () => ({
    code: "STATEMENT_WITHOUT_DATES",
    message:
      "The statement has no dates, so it is unknown which sales it should contain. Nothing was stored. Give the days with --desde and --hasta, or name the column of dates with --mapa."
  }),
  BadStatement: ({ faults, more }) => ({
    code: "STATEMENT_INVALID",
    message: `Nothing was compared and nothing was stored. Correct the following and run the command again:${faults.map(({ column, line, reason }) => `\n  line ${line}${columnText(column)}: ${reason}`).join("")}${more ? "\n  and more" : ""}`,
    details: {
      errores: faults.map(({ column, line, reason }) => ({ linea: line, columna: column, motivo: reason })),
      hay_mas: more
    }
  }),
  DayNotOver: ({ day }) => ({
    code: "DAY_NOT_OVER",
    message: `${day} is not over in Santo Domingo. Nothing was closed. Close it tomorrow, or leave out the day to close yesterday.`,
    details: { dia: day }
  }),
  BadCatalogue: ({ faults }) => ({
    code: "CATALOGUE_INVALID",
    message: `Nothing was imported. Correct the following and import the file again:${faults.map(({ at, column, line, reason }) => `\n  line ${line}${columnText(column)}: ${at}: ${reason}`).join("")}`,
    details: {
      errores: faults.map(({ at, column, line, reason }) => ({
        linea: line,
        columna: column,
        entrada: at,
        motivo: reason
      }))
    }
  })
}

/** The refusal that the operator sees: an entry of the table above, or the error's own message. */
export const refusalOf = (error: unknown): Refusal => {
  if (isRefused(error)) return (refusals[error._tag] as (error: RefusedError) => Refusal)(error)
  if (error instanceof Error) return { code: "FAILED", message: error.message }
  return { code: "FAILED", message: String(error) }
}

const isRefused = (error: unknown): error is RefusedError =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" && Object.hasOwn(refusals, error._tag)
