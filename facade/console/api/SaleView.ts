import type { DateTime } from "effect"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { formatOffset } from "../../../core/domain/LocalTime.ts"
import type { Finding, Proposal } from "../../../core/domain/Resolution.ts"
import type { Transaction } from "../../../core/domain/Transaction.ts"
import { transactionView } from "../../api/TransactionView.ts"

/** An instant that may be absent, with its offset. */
export const iso = (at: DateTime.Utc | null): string | null => (at === null ? null : formatOffset(at))

/** A sale of any company. */
export const saleView = ({
  companyId,
  transaction
}: {
  readonly companyId: CompanyId
  readonly transaction: Transaction
}) => {
  const { createdAt, processedAt, reversal, service } = transaction
  const { anulacion, ...shown } = transactionView(transaction)
  return {
    ...shown,
    empresa_id: companyId as number,
    tipo: service.type,
    created_at: formatOffset(createdAt),
    processed_at: iso(processedAt),
    anulacion:
      anulacion === null || reversal === null
        ? null
        : {
            status: anulacion.status,
            solicitada_en: formatOffset(reversal.requestedAt),
            resuelta_en: iso(reversal.resolvedAt)
          }
  }
}

/** The names of the findings in the console. */
export const findings = {
  Success: "exitosa",
  Failed: "fallida",
  Reversed: "anulada",
  Stands: "no_anulada"
} as const satisfies Readonly<Record<Finding["_tag"], string>>

/** A proposal with the evidence that it rests on. */
export const proposalView = ({
  confirmation,
  finding,
  number,
  proposedAt,
  proposedBy,
  reason,
  reversalId
}: Proposal) => {
  const success = finding._tag === "Success" ? finding : null
  return {
    numero: number,
    sobre: reversalId === null ? ("venta" as const) : ("anulacion" as const),
    resultado: findings[finding._tag],
    autorizacion: success?.authCode ?? null,
    token: success?.rechargeToken ?? null,
    desde: success?.validity?.from ?? null,
    hasta: success?.validity?.until ?? null,
    motivo: reason,
    propuesta_por: proposedBy,
    propuesta_en: formatOffset(proposedAt),
    confirmada_por: confirmation?.by ?? null,
    confirmada_en: iso(confirmation?.at ?? null)
  }
}
