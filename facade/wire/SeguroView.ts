import { Schema } from "effect"
import type { InsuranceId } from "../../core/domain/Ids.ts"
import type { Insurance } from "../../core/domain/Insurance.ts"
import { InsuranceState } from "../../core/domain/InsuranceState.ts"
import { toPesos } from "../../core/domain/Money.ts"
import { ExtraView, extraView, insuredFields, insuredView, PlanView, planView } from "./SeguroParts.ts"
import { Pesos } from "./Views.ts"

const DocumentPaths = Schema.Struct({ poliza: Schema.String, marbete: Schema.String })

const documentPaths = (id: InsuranceId): typeof DocumentPaths.Type => ({
  poliza: `/v1/seguros/${id}/documento?tipo=poliza`,
  marbete: `/v1/seguros/${id}/documento?tipo=marbete`
})

/** A local day, once there is a policy. */
const Day = Schema.NullOr(Schema.String.annotate({ format: "date", examples: ["2026-01-31"] }))

/** An insurance as it stands: every key is there, null until it is known. Contract: 2.7. */
export const SeguroView = Schema.Struct({
  seguro_id: Schema.Int,
  estado: InsuranceState,
  ...insuredFields,
  plan: Schema.NullOr(PlanView),
  opcionales: Schema.NullOr(Schema.Array(ExtraView)),
  monto_total: Schema.NullOr(Pesos),
  transaction_id: Schema.NullOr(Schema.Int),
  numero_poliza: Schema.NullOr(Schema.String),
  vigencia_desde: Day,
  vigencia_hasta: Day,
  documentos: Schema.NullOr(DocumentPaths)
}).annotate({ identifier: "Seguro" })

export const seguroView = (insurance: Insurance): typeof SeguroView.Type => {
  const { id, plan, policy, quote, state, transactionId } = insurance
  return {
    seguro_id: id,
    estado: state,
    ...insuredView(insurance),
    plan: plan === null ? null : planView(plan),
    opcionales: quote?.extras.map(extraView) ?? null,
    monto_total: quote === null ? null : toPesos(quote.total),
    transaction_id: transactionId,
    numero_poliza: policy?.number ?? null,
    vigencia_desde: policy?.validity.from ?? null,
    vigencia_hasta: policy?.validity.until ?? null,
    documentos: policy === null ? null : documentPaths(id)
  }
}
