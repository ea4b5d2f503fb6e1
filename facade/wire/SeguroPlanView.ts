import { Duration, Schema } from "effect"
import { type Insurance, insuranceOption, quoteLife } from "../../core/domain/Insurance.ts"
import type { Plan, PlanList, Quote } from "../../core/domain/InsuranceOffer.ts"
import { toPesos } from "../../core/domain/Money.ts"
import { ExtraView, extraView, insuredFields, insuredView, PlanView, planView } from "./SeguroParts.ts"
import { Currency, currency, Pesos } from "./Views.ts"

const OfferedPlanView = Schema.Struct({
  cd_tipo_plan: Schema.String,
  nombre: Schema.String,
  vigencia_meses: Schema.Int,
  cobertura: Schema.String,
  precio_referencia: Pesos,
  sugerido: Schema.Boolean
}).annotate({ identifier: "PlanOfrecido" })

const offeredPlanView = (plan: Plan): typeof OfferedPlanView.Type => {
  const { precio, ...shown } = planView(plan)
  return { ...shown, precio_referencia: precio, sugerido: plan.suggested }
}

/** Step 3. Contract: 4.6. */
export const PlanesView = Schema.Struct({ detalle: Schema.String, planes: Schema.Array(OfferedPlanView) }).annotate({
  identifier: "SeguroPlanes"
})

export const planesView = ({ detail, plans }: PlanList): typeof PlanesView.Type => ({
  detalle: detail,
  planes: plans.map(offeredPlanView)
})

/** Step 4. Contract: 4.6. */
export const ElegidoView = Schema.Struct({ plan: PlanView, servicios_opcionales: Schema.Array(ExtraView) }).annotate({
  identifier: "SeguroElegido"
})

export const elegidoView = ({ offeredExtras }: Insurance, plan: Plan): typeof ElegidoView.Type => ({
  plan: planView(plan),
  servicios_opcionales: offeredExtras.map(extraView)
})

/** Step 5. Contract: 4.6. */
export const CotizacionView = Schema.Struct({
  seguro_id: Schema.Int,
  service_id: Schema.Int,
  opcion_id: Schema.String,
  monto_total: Pesos,
  moneda: Currency,
  valida_minutos: Schema.Int,
  ...insuredFields,
  opcionales: Schema.Array(ExtraView)
}).annotate({ identifier: "Cotizacion" })

export const cotizacionView = (insurance: Insurance, quote: Quote): typeof CotizacionView.Type => ({
  seguro_id: insurance.id,
  service_id: insurance.serviceId,
  opcion_id: insuranceOption(insurance.id),
  monto_total: toPesos(quote.total),
  moneda: currency,
  valida_minutos: Duration.toMinutes(quoteLife),
  ...insuredView(insurance),
  opcionales: quote.extras.map(extraView)
})
