import { Effect, Schema } from "effect"
import { ServiceId } from "../../core/domain/Ids.ts"
import { categoriesOf, matching } from "../../core/domain/Service.ts"
import { Catalogue } from "../../core/ports/Catalogue.ts"
import { packagesOf } from "../../core/workflows/Packages.ts"
import { cleanText, pathId } from "../wire/Fields.ts"
import { input } from "../wire/Input.ts"
import { output } from "../wire/Output.ts"
import { PackageView, packageView } from "../wire/PackageView.ts"
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
            nombre: "Recarga Caribe Móvil",
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

  paquetes: allowed("services.read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/servicios/{id}/paquetes",
        summary: "Los paquetes de un servicio",
        tags: ["Catálogo"]
      },
      alias: ["/v1/services/{id}/packages"],
      message: "Paquetes del servicio.",
      cached: true,
      errors: ["NOT_FOUND"],
      example: {
        data: [
          {
            id: 2,
            codigo: "CM-SEM-3GB",
            nombre: "Semana 3 GB",
            descripcion: "Siete días de internet con minutos y mensajes.",
            precio: 150,
            duracion: "7 días",
            datos: "3 GB",
            minutos: 60,
            sms: 50
          }
        ]
      }
    })
    .input(input({ id: pathId(ServiceId, "El servicio.") }))
    .output(output(Schema.Array(PackageView)))
    .query(
      answer(({ ctx, input: { id } }) =>
        Effect.map(packagesOf(ctx.session.company, id), (packages) => packages.map(packageView))
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
