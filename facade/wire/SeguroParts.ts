import { Schema } from "effect"
import type { Insurance } from "../../core/domain/Insurance.ts"
import { type Extra, ExtraCode, type Plan, type Vehicle, VehicleType } from "../../core/domain/InsuranceOffer.ts"
import { toPesos } from "../../core/domain/Money.ts"
import { maskChassis, maskName } from "../../core/domain/Person.ts"
import { Pesos } from "./Views.ts"

/** Contract: 2.7. */
const VehicleView = Schema.Struct({
  marca: Schema.String,
  modelo: Schema.String,
  anio: Schema.Int,
  tipo: VehicleType,
  chasis: Schema.String.annotate({ description: "Enmascarado.", examples: ["***4521"] })
}).annotate({ identifier: "Vehiculo" })

const vehicleView = (vehicle: Vehicle): typeof VehicleView.Type => ({
  marca: vehicle.brand,
  modelo: vehicle.model,
  anio: vehicle.year,
  tipo: vehicle.type,
  chasis: maskChassis(vehicle.chassis)
})

/** Whom and what an insurance is for, as far as anybody is shown it. */
export const insuredFields = {
  titular: Schema.String.annotate({ description: "Enmascarado.", examples: ["J*** P***"] }),
  placa: Schema.String,
  vehiculo: VehicleView
}

export const insuredView = ({ insured, plate }: Insurance) => ({
  titular: maskName(insured.holder),
  placa: plate,
  vehiculo: vehicleView(insured.vehicle)
})

/** Contract: 2.7. */
export const PlanView = Schema.Struct({
  cd_tipo_plan: Schema.String,
  nombre: Schema.String,
  cobertura: Schema.String,
  vigencia_meses: Schema.Int,
  precio: Pesos
}).annotate({ identifier: "Plan" })

export const planView = (plan: Plan): typeof PlanView.Type => ({
  cd_tipo_plan: plan.code,
  nombre: plan.name,
  cobertura: plan.coverage,
  vigencia_meses: plan.months,
  precio: toPesos(plan.price)
})

/** Contract: 2.7 and 4.6, step 4. */
export const ExtraView = Schema.Struct({ codigo: ExtraCode, nombre: Schema.String, precio: Pesos }).annotate({
  identifier: "Opcional"
})

export const extraView = (extra: Extra): typeof ExtraView.Type => ({
  codigo: extra.code,
  nombre: extra.name,
  precio: toPesos(extra.price)
})
