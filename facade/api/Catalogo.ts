import { Effect, Schema } from "effect"
import { ServiceId } from "../../core/domain/Ids.ts"
import { toPesos } from "../../core/domain/Money.ts"
import {
  type Category,
  categoriesOf,
  Flow,
  matching,
  type Package,
  type Service,
  ServiceType
} from "../../core/domain/Service.ts"
import { Catalogue } from "../../core/ports/Catalogue.ts"
import { packagesOf } from "../../core/workflows/Queries.ts"
import { cleanText, pathId } from "./Fields.ts"
import { requires } from "./Gate.ts"
import { input } from "./Input.ts"
import { Pesos } from "./Output.ts"
import { query } from "./Procedure.ts"

/** A service in the API. Contract: 2.4. */
const ServiceView = Schema.Struct({
  id: Schema.Int,
  nombre: Schema.String,
  descripcion: Schema.String,
  tipo: ServiceType,
  categoria: Schema.String,
  categoria_id: Schema.Int,
  monto_minimo: Pesos,
  monto_maximo: Pesos,
  acepta_anulacion: Schema.Boolean,
  flujo: Flow,
  requiere_consulta: Schema.Boolean,
  como_comprar: Schema.String
}).annotate({ identifier: "Servicio" })

export const serviceView = (service: Service): typeof ServiceView.Type => ({
  id: service.id,
  nombre: service.name,
  descripcion: service.description,
  tipo: service.type,
  categoria: service.category,
  categoria_id: service.categoryId,
  monto_minimo: toPesos(service.minimum),
  monto_maximo: toPesos(service.maximum),
  acepta_anulacion: service.reversible,
  flujo: service.flow,
  requiere_consulta: service.requiresLookup,
  como_comprar: service.howToBuy
})

/** A package in the API. Contract: 2.4. */
const PackageView = Schema.Struct({
  id: Schema.Int,
  codigo: Schema.String,
  nombre: Schema.String,
  descripcion: Schema.String,
  precio: Pesos,
  duracion: Schema.String,
  datos: Schema.String,
  minutos: Schema.Int,
  sms: Schema.Int
}).annotate({ identifier: "Paquete" })

export const packageView = (item: Package): typeof PackageView.Type => ({
  id: item.id,
  codigo: item.code,
  nombre: item.name,
  descripcion: item.description,
  precio: toPesos(item.price),
  duracion: item.duration,
  datos: item.data,
  minutos: item.minutes,
  sms: item.sms
})

/** A category in the API. Contract: 2.4. */
const CategoryView = Schema.Struct({ id: Schema.Int, nombre: Schema.String, servicios: Schema.Int }).annotate({
  identifier: "Categoria"
})

const categoryView = (category: Category): typeof CategoryView.Type => ({
  id: category.id,
  nombre: category.name,
  servicios: category.services
})

/** The services that the caller's company may sell. Contract: 4.3. */
export const servicios = query({
  gate: requires("services.read"),
  input: input({
    categoria: Schema.optionalKey(cleanText("Nombre exacto de la categoría.")),
    q: Schema.optionalKey(cleanText("Parte del nombre, sin distinguir mayúsculas ni acentos."))
  }),
  output: Schema.Array(ServiceView),
  meta: {
    path: "/v1/servicios",
    aliases: ["/v1/services"],
    summary: "Servicios que la empresa puede vender",
    tag: "Catálogo",
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
  },
  handle: ({ input: { categoria, q }, session }) =>
    Effect.map(
      Catalogue.use((catalogue) => catalogue.services(session.company)),
      (services) => matching(services, { category: categoria, name: q }).map(serviceView)
    )
})

/** The packages of a service. Contract: 4.3. */
export const paquetes = query({
  gate: requires("services.read"),
  input: input({ id: pathId(ServiceId, "El servicio.") }),
  output: Schema.Array(PackageView),
  meta: {
    path: "/v1/servicios/{id}/paquetes",
    aliases: ["/v1/services/{id}/packages"],
    summary: "Los paquetes de un servicio",
    tag: "Catálogo",
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
  },
  handle: ({ input: { id }, session }) =>
    Effect.map(packagesOf(session.company, id), (packages) => packages.map(packageView))
})

/** The categories of the catalogue. Contract: 4.3. */
export const categorias = query({
  gate: requires("services.read"),
  input: input({}),
  output: Schema.Array(CategoryView),
  meta: {
    path: "/v1/categorias",
    aliases: ["/v1/categories"],
    summary: "Categorías del catálogo",
    tag: "Catálogo",
    message: "Categorías del catálogo.",
    cached: true,
    example: { data: [{ id: 1, nombre: "Recargas", servicios: 2 }] }
  },
  handle: ({ session }) =>
    Effect.map(
      Catalogue.use((catalogue) => catalogue.services(session.company)),
      (services) => categoriesOf(services).map(categoryView)
    )
})
