import { Predicate } from "effect"
import { owned_max, toPesos } from "../../core/domain/Money.ts"
import type { NotConfirmable, NotResolvable, OperatorError } from "../../core/domain/OperatorErrors.ts"
import type { BadCatalogue } from "../settings/CatalogueFile.ts"
import type { Refusal } from "./terminal/Output.ts"

type RefusedError = OperatorError | BadCatalogue

const notResolvableMessages: { readonly [Why in NotResolvable["why"]]: (id: number, status: string) => string } = {
  settled: (id, status) => `Transaction ${id} is ${status}: it is settled, and nothing was changed.`,
  reversal: (id, status) =>
    `Transaction ${id} is ${status}, and nobody knows how its reversal ended: propose --as reversed if it was taken back, --as stands if it was not.`,
  unsettled: (id, status) =>
    `Transaction ${id} is ${status}: nobody knows how it ended itself, and it has no reversal. Propose --as success or --as failed.`,
  no_reversal: (id, status) =>
    `Transaction ${id} is ${status} and has no reversal of unknown outcome: nothing was changed.`,
  young: (id) =>
    `Transaction ${id} is less than 15 minutes old: its call, or recovery, may still settle it. Wait, then look again with "saldo transactions show ${id}".`,
  young_reversal: (id) =>
    `The reversal of transaction ${id} is less than 15 minutes old: its call, or recovery, may still settle it. Wait, then look again with "saldo transactions show ${id}".`,
  no_validity: (id) =>
    `Transaction ${id} is a policy: give --desde and --hasta, the first and last day of its validity.`,
  validity: (id) => `Transaction ${id} is no policy: leave out --desde and --hasta.`,
  ends_before: (id) => `The policy of transaction ${id} cannot end before it begins: correct --desde and --hasta.`,
  no_token: (id) =>
    `Transaction ${id} is electricity: give --token, the 20 digits that the customer types into the meter.`,
  token: (id) => `Transaction ${id} is no electricity: leave out --token.`,
  confirmed: (id) =>
    `Somebody has already confirmed how transaction ${id} ended, and it is not settled yet: nothing was proposed. "saldo transactions show ${id}" tells the number of that proposal; confirm it once more.`
}

const notConfirmableMessages: { readonly [Why in NotConfirmable["why"]]: (id: number) => string } = {
  no_proposal: (id) => `Nobody has proposed how transaction ${id} ended. "saldo transactions resolve ${id}" does.`,
  same_operator: (id) => `You proposed this yourself. Somebody else has to confirm transaction ${id}.`,
  changed: (id) =>
    `That is not the latest proposal for transaction ${id}. Look at it with "saldo transactions show ${id}" before you confirm it.`,
  outdated: (id) =>
    `That was proposed for an earlier reversal of transaction ${id}, which has ended. "saldo transactions resolve ${id}" proposes how this one did.`,
  not_asked: (id) =>
    `Nobody could be asked about transaction ${id} once more, as no provider or insurer takes calls here. Run this with the variables of the servers; if there is nobody left to ask, add --sin-preguntar.`
}

/** The message of each error. A missing entry does not compile. */
const refusals: { readonly [Tag in RefusedError["_tag"]]: (error: Extract<RefusedError, { _tag: Tag }>) => Refusal } = {
  UnknownCompany: ({ companyId }) => ({
    code: "COMPANY_NOT_FOUND",
    message: `There is no company ${companyId}. "saldo company list" shows those that there are.`,
    details: { empresa_id: companyId }
  }),
  CodeTaken: ({ code }) => ({
    code: "COMPANY_CODE_TAKEN",
    message: `The code ${code} belongs to another company. Choose another, or see "saldo company list".`,
    details: { codigo_empresa: code }
  }),
  UnknownToken: ({ tokenId }) => ({
    code: "TOKEN_NOT_FOUND",
    message: `There is no token ${tokenId}. "saldo token list COMPANY" shows those of a company.`,
    details: { token_id: tokenId }
  }),
  TokenRevoked: ({ tokenId }) => ({
    code: "TOKEN_REVOKED",
    message: `Token ${tokenId} is revoked, and that is final. Issue a new one with "saldo token issue".`,
    details: { token_id: tokenId }
  }),
  UnknownService: ({ serviceId }) => ({
    code: "SERVICE_NOT_FOUND",
    message: `There is no service ${serviceId}. "saldo catalog list" shows those that there are.`,
    details: { service_id: serviceId }
  }),
  CategoryNameTaken: () => ({
    code: "CATEGORY_NAME_TAKEN",
    message: "A category that the file does not name already has one of its names. Rename one of the two."
  }),
  UnreadableTransaction: ({ transactionId }) => ({
    code: "TRANSACTION_UNREADABLE",
    message: `Transaction ${transactionId} is kept in a way that this version does not know. Nothing was changed, and what it holds stays held. Use the version that sold it.`,
    details: { transaction_id: transactionId }
  }),
  UnknownTransaction: ({ transactionId }) => ({
    code: "TRANSACTION_NOT_FOUND",
    message: `There is no transaction ${transactionId}. "saldo transactions list" shows the latest.`,
    details: { transaction_id: transactionId }
  }),
  ReferenceTaken: ({ asked, recorded, reference }) => ({
    code: "REFERENCE_TAKEN",
    message: `The reference ${reference} already stands for ${toPesos(recorded)}, not ${toPesos(asked)}: nothing was added. Correct the amount, or use another reference for another deposit.`,
    details: { referencia: reference, monto_registrado: toPesos(recorded), monto: toPesos(asked) }
  }),
  DepositTooLarge: ({ asked }) => ({
    code: "DEPOSIT_TOO_LARGE",
    message: `A company can own at most ${toPesos(owned_max)}; a deposit of ${toPesos(asked)} would exceed that and was not added. Correct the amount.`,
    details: { monto: toPesos(asked), saldo_maximo: toPesos(owned_max) }
  }),
  NotResolvable: ({ status, transactionId, why }) => ({
    code: "TRANSACTION_NOT_RESOLVABLE",
    message: notResolvableMessages[why](transactionId, status),
    details: { transaction_id: transactionId, status, motivo: why }
  }),
  NotConfirmable: ({ transactionId, why }) => ({
    code: "RESOLUTION_NOT_CONFIRMABLE",
    message: notConfirmableMessages[why](transactionId),
    details: { transaction_id: transactionId, motivo: why }
  }),
  SupplierDisagrees: ({ about, said, transactionId }) => ({
    code: "SUPPLIER_DISAGREES",
    message: `The supplier was asked about ${about === "sale" ? "" : "the reversal of "}transaction ${transactionId} and says ${said}: nothing was settled. "saldo reconcile" settles it so.`,
    details: { transaction_id: transactionId, proveedor: said }
  }),
  BadCatalogue: ({ faults }) => ({
    code: "CATALOGUE_INVALID",
    message: `Nothing was imported. Correct this and import the file again:${faults.map(({ at, line, reason }) => `\n  line ${line}: ${at}: ${reason}`).join("")}`,
    details: { errores: faults.map(({ at, line, reason }) => ({ linea: line, entrada: at, motivo: reason })) }
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
