import { Effect, Schema } from "effect"
import { categoriesOf, matching } from "../../core/domain/Service.ts"
import { Catalogue } from "../../core/ports/Catalogue.ts"
import { cleanText } from "../wire/Fields.ts"
import { input } from "../wire/Input.ts"
import { output } from "../wire/Output.ts"
import { CategoryView, categoryView, ServiceView, serviceView } from "../wire/ServiceView.ts"
import { allowed, answer, router } from "./Procedure.ts"

/** Contract: 4.3. */
export const catalogo = router({
  servicios: allowed("services.read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/servicios",
        summary: "Servicios que la empresa puede vender",
        tags: ["Catálogo"]
      },
      alias: ["/v1/services"],
      message: "Catálogo de servicios.",
      cached: true,
      example: {
        data: [
          {
            id: 1,
            nombre: "Recarga Claro",
            descripcion: "Recarga de balance móvil.",
            tipo: "mobile_recharge",
            categoria: "Recargas",
            categoria_id: 1,
            monto_minimo: 20,
            monto_maximo: 5_000,
            acepta_anulacion: false,
            flujo: "monto_libre",
            requiere_consulta: false,
            como_comprar: "Envíe el número y el monto."
          }
        ]
      }
    })
    .input(
      input({
        categoria: Schema.optionalKey(cleanText("Nombre exacto de la categoría.")),
        q: Schema.optionalKey(cleanText("Parte del nombre, sin distinguir mayúsculas ni acentos."))
      })
    )
    .output(output(Schema.Array(ServiceView)))
    .query(
      answer(({ ctx, input: { categoria, q } }) =>
        Effect.map(
          Catalogue.use((catalogue) => catalogue.services(ctx.session.company)),
          (services) => matching(services, { category: categoria, name: q }).map(serviceView)
        )
      )
    ),

  categorias: allowed("services.read")
    .meta({
      openapi: { method: "GET", path: "/v1/categorias", summary: "Categorías del catálogo", tags: ["Catálogo"] },
      alias: ["/v1/categories"],
      message: "Categorías del catálogo.",
      cached: true,
      example: { data: [{ id: 1, nombre: "Recargas", servicios: 2 }] }
    })
    .input(input({}))
    .output(output(Schema.Array(CategoryView)))
    .query(
      answer(({ ctx }) =>
        Effect.map(
          Catalogue.use((catalogue) => catalogue.services(ctx.session.company)),
          (services) => categoriesOf(services).map(categoryView)
        )
      )
    )
})
