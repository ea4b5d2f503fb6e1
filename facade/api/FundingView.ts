import type { FundingProposal } from "../../core/domain/FundingProposal.ts"
import { formatOffset } from "../../core/domain/LocalTime.ts"
import { toPesos } from "../../core/domain/Money.ts"

const kinds = { deposit: "deposito", adjustment: "ajuste" } as const

const states = { pending: "pendiente", confirmed: "confirmada", rejected: "rechazada", expired: "vencida" } as const

/** A proposal of a deposit or adjustment as operators see it. */
export const fundingView = (proposal: FundingProposal) => {
  const { amount, companyId, decision, entryId, expiresAt, kind, number, proposedAt, proposedBy } = proposal
  return {
    propuesta: number,
    empresa_id: companyId as number,
    tipo: kinds[kind],
    monto: toPesos(amount),
    referencia: proposal.reference,
    motivo: proposal.reason,
    estado: states[proposal.state],
    propuesta_por: proposedBy,
    propuesta_en: formatOffset(proposedAt),
    vence_en: formatOffset(expiresAt),
    decidida_por: decision === null ? null : decision.by,
    decidida_en: decision === null ? null : formatOffset(decision.at),
    motivo_rechazo: decision === null ? null : decision.reason,
    movimiento_id: entryId
  }
}
