import { Effect, Schema } from "effect"
import { formatOffset } from "../../../core/domain/LocalTime.ts"
import { toPesos } from "../../../core/domain/Money.ts"
import { ageBands_s } from "../../../core/domain/Panorama.ts"
import type { PendingBand } from "../../../core/ports/Transactions.ts"
import { withinCell } from "../../../core/workflows/ManageCells.ts"
import { type PendingShown, showPending } from "../../../core/workflows/ShowPending.ts"
import { pageOf, paging, wholeBetween } from "../../api/Fields.ts"
import { input } from "../../api/Input.ts"
import { pagesOf } from "../../api/Output.ts"
import { supplierNames } from "../../api/PanoramaView.ts"
import { celda, empresaId } from "./Fields.ts"
import { read } from "./Procedure.ts"
import { actionViews } from "./SaleTimeline.ts"
import { proposalView, saleView } from "./SaleView.ts"

const supplierOf = { proveedor: "provider", aseguradora: "insurer" } as const

const orders = { edad: "age", monto: "amount" } as const

const perPage_default = 25
const perPage_max = 50

const pendingView = (pending: PendingShown) => {
  const { actions, environment, lastAnswer, proposal, reversal, supplier, transaction } = pending
  return {
    ...saleView(pending),
    ambiente: environment,
    suplidor: supplierNames[supplier],
    /** The unresolved operation: the sale, or a reversal of the delivered sale. */
    sobre: reversal === null ? ("venta" as const) : ("anulacion" as const),
    xid_pendiente: reversal?.xid ?? transaction.xid,
    pendiente_desde: formatOffset(reversal?.createdAt ?? transaction.createdAt),
    ultima_respuesta:
      lastAnswer === null
        ? null
        : { respuesta: lastAnswer.answer, veces: lastAnswer.times, fecha: formatOffset(lastAnswer.at) },
    propuesta: proposal === null ? null : proposalView(proposal),
    acciones: actionViews(actions)
  }
}

const bandView = ({ environment, from_s, held, reversals, sales, supplier }: PendingBand) => ({
  ambiente: environment,
  suplidor: supplierNames[supplier],
  desde_segundos: from_s,
  /** Null if the age has no upper bound. */
  hasta_segundos: ageBands_s.find((bound) => bound > from_s) ?? null,
  ventas: sales,
  anulaciones: reversals,
  retenido: toPesos(held)
})

export const pendientes = {
  /** Unresolved sales and reversals, oldest or largest first, with what the supplier last said and what can be done. */
  listar: read({
    gate: "read",
    input: input({
      celda,
      empresa_id: Schema.optionalKey(empresaId),
      suplidor: Schema.optionalKey(Schema.Literals(["proveedor", "aseguradora"])),
      orden: Schema.optionalKey(Schema.Literals(["edad", "monto"])),
      page: paging.page,
      per_page: Schema.optionalKey(wholeBetween(1, perPage_max, "Elementos por página.", perPage_default))
    }),
    handle: Effect.fnUntraced(function* ({
      input: { celda: cell = null, empresa_id, orden = "edad", page, per_page = perPage_default, suplidor }
    }) {
      const wanted = pageOf({ per_page, ...(page !== undefined && { page }) })
      const filter = { companyId: empresa_id, supplier: suplidor && supplierOf[suplidor] }
      const found = yield* withinCell(cell)(showPending(filter, orders[orden], wanted))
      return {
        fecha: formatOffset(found.now),
        items: found.items.map(pendingView),
        ilegibles: found.unreadable,
        retenido: toPesos(found.held),
        anulaciones: found.reversals,
        edades: found.bands.map(bandView),
        pagination: pagesOf(wanted, found.total)
      }
    })
  })
}
