import { Effect } from "effect"
import { consult } from "../../core/workflows/Consult.ts"
import { ConsultaView, consultaView } from "../wire/ConsultaView.ts"
import { identifier, serviceId } from "../wire/Fields.ts"
import { input } from "../wire/Input.ts"
import { output } from "../wire/Output.ts"
import { allowed, answer, router } from "./Procedure.ts"

/** Contract: 4.4. */
export const consultas = router({
  crear: allowed("consultas.create")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/consultas",
        summary: "Los paquetes de un número, las facturas de un contrato o el titular de una cuenta",
        tags: ["Ventas"]
      },
      message: "Resultado de la consulta.",
      errors: ["NOT_FOUND", "INVALID_PRODUCT", "SERVICE_TIMEOUT", "NOT_IMPLEMENTED"],
      example: {
        request: { service_id: 3, identifier: "8095551234" },
        data: {
          flujo: "paquetes",
          titular: null,
          requiere_seleccion: true,
          opciones: [
            {
              opcion_id: "paq-5d1c9c0e4f1b7a36e2d804af",
              nombre: "Semana 3 GB",
              precio: 150,
              vigencia: "7 días",
              datos: "3 GB"
            }
          ],
          sin_deuda: false,
          origen_datos: "simulado"
        }
      }
    })
    .input(input({ service_id: serviceId, identifier }))
    .output(output(ConsultaView))
    .mutation(
      answer(({ ctx, input: wanted }) =>
        Effect.map(consult(ctx.session, { serviceId: wanted.service_id, identifier: wanted.identifier }), consultaView)
      )
    )
})
