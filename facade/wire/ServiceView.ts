import { Schema } from "effect"
import { toPesos } from "../../core/domain/Money.ts"
import { type Category, Flow, type Service, ServiceType } from "../../core/domain/Service.ts"
import { Pesos } from "./Views.ts"

/** Contract: 2.4. */
export const ServiceView = Schema.Struct({
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

/** Contract: 2.4. */
export const CategoryView = Schema.Struct({ id: Schema.Int, nombre: Schema.String, servicios: Schema.Int }).annotate({
  identifier: "Categoria"
})

export const categoryView = (category: Category): typeof CategoryView.Type => ({
  id: category.id,
  nombre: category.name,
  servicios: category.services
})
