import { Schema } from "effect"
import { toPesos } from "../../core/domain/Money.ts"
import type { Package } from "../../core/domain/Package.ts"
import { Pesos } from "./Views.ts"

/** Contract: 2.4. */
export const PackageView = Schema.Struct({
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
