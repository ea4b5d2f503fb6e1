import { Duration, Effect, Schema } from "effect"
import { type Insurance, insuranceOption, quoteLife } from "../../core/domain/Insurance.ts"
import type { Plan, PlanList, Quote } from "../../core/domain/InsuranceOffer.ts"
import { toPesos } from "../../core/domain/Money.ts"
import { choosePlan, plansOf, quoteInsurance } from "../../core/workflows/InsuranceSteps.ts"
import { requires } from "./Gate.ts"
import { input } from "./Input.ts"
import { Currency, currency, Pesos } from "./Output.ts"
import { mutation, query } from "./Procedure.ts"
import {
  cdTipoPlan,
  ExtraView,
  exampleInsured,
  examplePlan,
  exampleTotal,
  exampleTow,
  extraFields,
  extrasIn,
  extraView,
  insuranceId,
  insuredFields,
  insuredView,
  PlanView,
  planView,
  version
} from "./SeguroParts.ts"

// Requires a choice that the stored insurance must have after a plan was chosen or a quote was made. Null is a defect.
const required = <A>(choice: A | null) => Effect.orDie(Effect.fromNullishOr(choice))

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

/** The plans for a version of the vehicle. Contract: 4.6, step 3. */
const PlanesView = Schema.Struct({ detalle: Schema.String, planes: Schema.Array(OfferedPlanView) }).annotate({
  identifier: "SeguroPlanes"
})

const planesView = ({ detail, plans }: PlanList): typeof PlanesView.Type => ({
  detalle: detail,
  planes: plans.map(offeredPlanView)
})

/** Step 3: returns the plans for one version of the vehicle. Contract: 4.6. */
export const planes = query({
  gate: requires("recharges.create"),
  input: input({ id: insuranceId, version }),
  output: PlanesView,
  meta: {
    path: "/v1/seguros/{id}/planes",
    aliases: ["/v1/insurance/{id}/plans"],
    summary: "Paso 3: los planes para una versión del vehículo",
    tag: "Seguros",
    message: "Planes de la versión.",
    errors: ["NOT_FOUND", "SEGURO_PASO_INVALIDO", "SEGURO_RECHAZADO", "SEGUROS_NO_DISPONIBLE"],
    example: {
      data: {
        detalle: "Honda Civic EX 1.5 T, 2011",
        planes: [
          {
            cd_tipo_plan: "LEY-12",
            nombre: "Ley, un año",
            vigencia_meses: 12,
            cobertura: "Lesiones y daños a terceros, lo que la ley exige, por un año.",
            precio_referencia: 5_950.5,
            sugerido: true
          }
        ]
      }
    }
  },
  handle: ({ input, session }) => Effect.map(plansOf(session, input.id, input.version), planesView)
})

/** The chosen plan and the extras available with it. Contract: 4.6, step 4. */
const ElegidoView = Schema.Struct({ plan: PlanView, servicios_opcionales: Schema.Array(ExtraView) }).annotate({
  identifier: "SeguroElegido"
})

const elegidoView = ({ offeredExtras }: Insurance, plan: Plan): typeof ElegidoView.Type => ({
  plan: planView(plan),
  servicios_opcionales: offeredExtras.map(extraView)
})

/** Step 4: chooses a version and a plan; an earlier quote is no longer valid. Contract: 4.6. */
export const elegirPlan = mutation({
  gate: requires("recharges.create"),
  input: input({ id: insuranceId, version, cd_tipo_plan: cdTipoPlan }),
  output: ElegidoView,
  meta: {
    path: "/v1/seguros/{id}/plan",
    aliases: ["/v1/insurance/{id}/plan"],
    summary: "Paso 4: elige versión y plan; una cotización anterior deja de ser válida",
    tag: "Seguros",
    message: "Plan confirmado.",
    errors: ["NOT_FOUND", "SEGURO_PASO_INVALIDO", "SEGURO_RECHAZADO", "SEGUROS_NO_DISPONIBLE"],
    example: {
      request: { version: "EX 1.5 T", cd_tipo_plan: "LEY-12" },
      data: {
        plan: examplePlan,
        servicios_opcionales: [exampleTow, { codigo: "casa_conductor", nombre: "Casa del conductor", precio: 600 }]
      }
    }
  },
  handle: Effect.fnUntraced(function* ({ input, session }) {
    const chosen = { version: input.version, plan: input.cd_tipo_plan }
    const insurance = yield* choosePlan(session, input.id, chosen)
    return elegidoView(insurance, yield* required(insurance.plan))
  })
})

/** A quote in the API. Contract: 4.6, step 5. */
const CotizacionView = Schema.Struct({
  seguro_id: Schema.Int,
  service_id: Schema.Int,
  opcion_id: Schema.String,
  monto_total: Pesos,
  moneda: Currency,
  valida_minutos: Schema.Int,
  ...insuredFields,
  opcionales: Schema.Array(ExtraView)
}).annotate({ identifier: "Cotizacion" })

const cotizacionView = (insurance: Insurance, quote: Quote): typeof CotizacionView.Type => ({
  seguro_id: insurance.id,
  service_id: insurance.serviceId,
  opcion_id: insuranceOption(insurance.id),
  monto_total: toPesos(quote.total),
  moneda: currency,
  valida_minutos: Duration.toMinutes(quoteLife),
  ...insuredView(insurance),
  opcionales: quote.extras.map(extraView)
})

/** Step 5: returns a quote, valid for 30 minutes. Only the latest quote can be sold. Contract: 4.6. */
export const cotizar = mutation({
  gate: requires("recharges.create"),
  input: input({ id: insuranceId, ...extraFields }),
  output: CotizacionView,
  meta: {
    path: "/v1/seguros/{id}/cotizar",
    aliases: ["/v1/insurance/{id}/quote"],
    summary: "Paso 5: cotiza el precio, que es válido durante 30 minutos; solo vale la última cotización",
    tag: "Seguros",
    message: "Seguro cotizado.",
    errors: ["NOT_FOUND", "SEGURO_PASO_INVALIDO", "POLIZA_ACTIVA", "SEGURO_RECHAZADO", "SEGUROS_NO_DISPONIBLE"],
    example: {
      request: { incluye_grua: true, incluye_casa_conductor: false },
      data: {
        seguro_id: 1,
        service_id: 6,
        opcion_id: "seguro:1",
        monto_total: exampleTotal,
        moneda: "DOP",
        valida_minutos: 30,
        ...exampleInsured,
        opcionales: [exampleTow]
      }
    }
  },
  handle: Effect.fnUntraced(function* ({ input: { id, ...extras }, session }) {
    const insurance = yield* quoteInsurance(session, id, extrasIn(extras))
    return cotizacionView(insurance, yield* required(insurance.quote))
  })
})
