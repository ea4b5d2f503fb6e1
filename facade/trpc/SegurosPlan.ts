import { Effect } from "effect"
import { choosePlan, plansOf, quoteInsurance } from "../../core/workflows/InsuranceSteps.ts"
import { input } from "../wire/Input.ts"
import { output } from "../wire/Output.ts"
import { cdTipoPlan, extrasWanted, insuranceId, version, wishes } from "../wire/SeguroFields.ts"
import {
  CotizacionView,
  cotizacionView,
  ElegidoView,
  elegidoView,
  PlanesView,
  planesView
} from "../wire/SeguroPlanView.ts"
import { allowed, answer } from "./Procedure.ts"
import { insured, plan, total, tow } from "./SegurosExample.ts"

// A step answers the insurance as it has left it: what was just chosen is there.
const made = <A>(choice: A | null) => Effect.orDie(Effect.fromNullishOr(choice))

/** Contract: 4.6, step 3. */
export const planes = allowed("recharges.create")
  .meta({
    openapi: {
      method: "GET",
      path: "/v1/seguros/{id}/planes",
      summary: "Paso 3: los planes para una versión del vehículo",
      tags: ["Seguros"]
    },
    alias: ["/v1/insurance/{id}/plans"],
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
  })
  .input(input({ id: insuranceId, version }))
  .output(output(PlanesView))
  .query(answer(({ ctx, input: wanted }) => Effect.map(plansOf(ctx.session, wanted.id, wanted.version), planesView)))

/** Contract: 4.6, step 4. */
export const elegirPlan = allowed("recharges.create")
  .meta({
    openapi: {
      method: "POST",
      path: "/v1/seguros/{id}/plan",
      summary: "Paso 4: elige versión y plan; una cotización anterior deja de valer",
      tags: ["Seguros"]
    },
    alias: ["/v1/insurance/{id}/plan"],
    message: "Plan confirmado.",
    errors: ["NOT_FOUND", "SEGURO_PASO_INVALIDO", "SEGURO_RECHAZADO", "SEGUROS_NO_DISPONIBLE"],
    example: {
      request: { version: "EX 1.5 T", cd_tipo_plan: "LEY-12" },
      data: {
        plan,
        servicios_opcionales: [tow, { codigo: "casa_conductor", nombre: "Casa del conductor", precio: 600 }]
      }
    }
  })
  .input(input({ id: insuranceId, version, cd_tipo_plan: cdTipoPlan }))
  .output(output(ElegidoView))
  .mutation(
    answer(
      Effect.fnUntraced(function* ({ ctx, input: wanted }) {
        const chosen = { version: wanted.version, plan: wanted.cd_tipo_plan }
        const insurance = yield* choosePlan(ctx.session, wanted.id, chosen)
        return elegidoView(insurance, yield* made(insurance.plan))
      })
    )
  )

/** Contract: 4.6, step 5. */
export const cotizar = allowed("recharges.create")
  .meta({
    openapi: {
      method: "POST",
      path: "/v1/seguros/{id}/cotizar",
      summary: "Paso 5: el precio, que vale 30 minutos; la última cotización es la que cuenta",
      tags: ["Seguros"]
    },
    alias: ["/v1/insurance/{id}/quote"],
    message: "Seguro cotizado.",
    errors: ["NOT_FOUND", "SEGURO_PASO_INVALIDO", "POLIZA_ACTIVA", "SEGURO_RECHAZADO", "SEGUROS_NO_DISPONIBLE"],
    example: {
      request: { incluye_grua: true, incluye_casa_conductor: false },
      data: {
        seguro_id: 1,
        service_id: 6,
        opcion_id: "seguro:1",
        monto_total: total,
        moneda: "DOP",
        valida_minutos: 30,
        ...insured,
        opcionales: [tow]
      }
    }
  })
  .input(input({ id: insuranceId, ...wishes }))
  .output(output(CotizacionView))
  .mutation(
    answer(
      Effect.fnUntraced(function* ({ ctx, input: { id, ...wanted } }) {
        const insurance = yield* quoteInsurance(ctx.session, id, extrasWanted(wanted))
        return cotizacionView(insurance, yield* made(insurance.quote))
      })
    )
  )
