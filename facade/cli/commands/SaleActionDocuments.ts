import { formatLocal, formatOffset } from "../../../core/domain/LocalTime.ts"
import type { NotConfirmable } from "../../../core/domain/OperatorErrors.ts"
import type { Finding } from "../../../core/domain/Resolution.ts"
import { SaleAction } from "../../../core/domain/SaleActions.ts"
import type { SaleShown } from "../../../core/workflows/ShowSale.ts"
import type { Document } from "../terminal/Output.ts"

/** Names of the findings (proposed outcomes), as the flag --as accepts them. */
export const findingNames: Readonly<Record<Finding["_tag"], string>> = {
  Success: "success",
  Failed: "failed",
  Reversed: "reversed",
  Stands: "stands"
}

const namesOf = (findings: ReadonlyArray<Finding["_tag"]>) => findings.map((finding) => findingNames[finding])

/** An action that an operator can take on a sale, as JSON. */
const actionDocument = SaleAction.$match({
  Ask: ({ about }): Document => ({ accion: "ask", sobre: about === "Reversal" ? "reversal" : "sale" }),
  Propose: ({ findings }): Document => ({ accion: "resolve", resultados: namesOf(findings) }),
  ProposeFrom: ({ at }): Document => ({ accion: "wait", hasta: formatLocal(at) }),
  Confirm: ({ proposal: { finding, number, proposedBy } }): Document => ({
    accion: "confirm",
    propuesta: number,
    resultado: findingNames[finding._tag],
    propuesta_por: proposedBy
  }),
  NotConfirm: ({ proposal: { finding, number, proposedBy }, why }): Document => ({
    accion: "not_confirm",
    propuesta: number,
    resultado: findingNames[finding._tag],
    propuesta_por: proposedBy,
    motivo: why
  }),
  ReplayEvents: ({ events, webhookId }): Document => ({
    accion: "replay",
    webhook_id: webhookId,
    secuencias: events.map(({ sequence }) => sequence)
  }),
  Nothing: ({ why }): Document => ({ accion: "nothing", motivo: why })
})

const notConfirmTexts: Readonly<Record<NotConfirmable["why"], string>> = {
  no_proposal: "there is no proposal",
  same_operator: "another operator must confirm it",
  no_account: "only an operator with an account may confirm it",
  changed: "there is a later proposal",
  outdated: "it is about an earlier reversal",
  not_asked: "the provider could not be asked",
  confirmed: "it was confirmed less than a minute ago"
}

/** An action as text, with the command that performs it. */
const formatAction = (id: number) =>
  SaleAction.$match({
    Ask: ({ about }) =>
      `ask the provider now, ${about === "Settled" ? "to compare its answer" : "and settle by a firm answer"}: saldo transactions ask ${id}`,
    Propose: ({ findings }) =>
      `propose how it ended: saldo transactions resolve ${id} --as ${namesOf(findings).join("|")} --motivo TEXT`,
    ProposeFrom: ({ at }) => `wait: the outcome may be proposed from ${formatLocal(at)}`,
    Confirm: ({ proposal: { finding, number, proposedBy } }) =>
      `confirm the proposal ${findingNames[finding._tag]} of ${proposedBy}: saldo transactions confirm ${id} --propuesta ${number}`,
    NotConfirm: ({ proposal: { finding, number, proposedBy }, why }) =>
      `proposal ${number}, ${findingNames[finding._tag]}, of ${proposedBy}: ${notConfirmTexts[why]}`,
    ReplayEvents: ({ events, webhookId }) =>
      `send event ${events.map(({ sequence }) => sequence).join(", ")} again, because its delivery failed: saldo webhook replay ${webhookId} --solo-fallidas --desde ${events.map(({ at }) => formatOffset(at))[0]}`,
    Nothing: ({ why }) => `nothing about its money, because the sale is settled as ${why}`
  })

/** The possible actions on a sale, as JSON. */
export const actionDocuments = (actions: SaleShown["actions"]): ReadonlyArray<Document> =>
  actions.map(({ action, allowed }) => ({ ...actionDocument(action), permitida: allowed }))

/** The possible actions on a sale, as text. */
export const formatActions = (id: number, actions: SaleShown["actions"]): string =>
  actions
    .map(({ action, allowed }) => `- ${formatAction(id)(action)}${allowed ? "" : " (your role does not allow it)"}`)
    .join("\n")
