import { Effect, Schema } from "effect"
import { InsuranceState } from "../../../core/domain/InsuranceState.ts"
import { formatOffset } from "../../../core/domain/LocalTime.ts"
import type { MaskedInsurance } from "../../../core/domain/MaskedInsurance.ts"
import { Centavos, toPesos } from "../../../core/domain/Money.ts"
import { listInsurances } from "../../../core/workflows/ListInsurances.ts"
import { withinCell } from "../../../core/workflows/ManageCells.ts"
import { pageOf, paging } from "../../api/Fields.ts"
import { input } from "../../api/Input.ts"
import { pagesOf } from "../../api/Output.ts"
import { celda, empresaId } from "./Fields.ts"
import { read } from "./Procedure.ts"

const insuranceView = (insurance: MaskedInsurance) => {
  const { companyId, createdAt, environment, holder, id, phone, plan, plate, policy, state, total, vehicle } = insurance
  return {
    seguro_id: id as number,
    empresa_id: companyId as number,
    ambiente: environment,
    estado: state,
    placa: plate as string,
    titular: holder,
    telefono: phone,
    vehiculo: { marca: vehicle.brand, modelo: vehicle.model, anio: vehicle.year, chasis: vehicle.chassis },
    plan,
    prima: total === null ? null : toPesos(Centavos.make(total)),
    transaction_id: insurance.transactionId as number | null,
    poliza:
      policy === null ? null : { numero: policy.number, desde: policy.validity.from, hasta: policy.validity.until },
    created_at: formatOffset(createdAt)
  }
}

export const seguros = {
  /** The insurances of all companies, newest first, with masked data, and the number in each state. */
  listar: read({
    gate: "read",
    input: input({
      celda,
      empresa_id: Schema.optionalKey(empresaId),
      estado: Schema.optionalKey(InsuranceState),
      page: paging.page,
      per_page: paging.per_page
    }),
    handle: Effect.fnUntraced(function* ({ input: { celda: cell = null, empresa_id, estado, ...wanted } }) {
      const page = pageOf(wanted)
      const { counts, items, total, unreadable } = yield* listInsurances(
        { companyId: empresa_id, state: estado },
        page
      ).pipe(withinCell(cell))
      return {
        items: items.map(insuranceView),
        ilegibles: unreadable,
        estados: InsuranceState.literals.flatMap((state) => {
          const insurances = counts[state]
          return insurances === undefined ? [] : [{ estado: state, seguros: insurances }]
        }),
        pagination: pagesOf(page, total)
      }
    })
  })
}
