import { Effect, Schema } from "effect"
import { AuditAction } from "../../../core/domain/AuditAction.ts"
import { CompanyId, TransactionId } from "../../../core/domain/Ids.ts"
import { formatOffset } from "../../../core/domain/LocalTime.ts"
import { Actor } from "../../../core/domain/Operator.ts"
import { AuditEvents, type RecordedEvent } from "../../../core/ports/AuditEvents.ts"
import { cleanText, day, pathId, wholeBetween } from "../../api/Fields.ts"
import { input } from "../../api/Input.ts"
import { read } from "./Procedure.ts"

const perPage_default = 50
const perPage_max = 200

const eventView = ({ action, actor, at, companyId, details, id, tokenId }: RecordedEvent) => ({
  id,
  fecha: formatOffset(at),
  accion: action,
  empresa_id: companyId as number | null,
  transaction_id: typeof details["transactionId"] === "number" ? details["transactionId"] : null,
  token_id: tokenId as number | null,
  operador: actor?.name ?? null,
  via: actor?.via ?? null,
  direccion: actor?.address ?? null,
  detalles: details
})

export const auditoria = {
  /** The newest events first. `siguiente` is the `antes_de` of the next page. */
  listar: read({
    gate: "read",
    input: input({
      operador: Schema.optionalKey(cleanText("Nombre del operador, en mayúsculas o minúsculas.")),
      accion: Schema.optionalKey(AuditAction),
      empresa_id: Schema.optionalKey(pathId(CompanyId, "La empresa.", "invalido")),
      transaction_id: Schema.optionalKey(pathId(TransactionId, "La transacción.", "invalido")),
      via: Schema.optionalKey(Actor.fields.via),
      direccion: Schema.optionalKey(cleanText("Dirección, o usuario del sistema.")),
      date_from: Schema.optionalKey(day("Desde este día, inclusive.")),
      date_to: Schema.optionalKey(day("Hasta este día, inclusive.")),
      antes_de: Schema.optionalKey(
        wholeBetween(1, Number.MAX_SAFE_INTEGER, "Solo eventos anteriores al evento con este id.")
      ),
      per_page: Schema.optionalKey(wholeBetween(1, perPage_max, "Elementos por página.", perPage_default))
    }),
    handle: ({
      input: { accion, antes_de, date_from, date_to, direccion, empresa_id, operador, per_page, ...given }
    }) =>
      AuditEvents.use(({ page }) =>
        Effect.map(
          page(
            {
              actor: operador,
              action: accion,
              companyId: empresa_id,
              transactionId: given.transaction_id,
              via: given.via,
              address: direccion,
              from: date_from,
              to: date_to
            },
            antes_de,
            per_page ?? perPage_default
          ),
          ({ items, next }) => ({ items: items.map(eventView), siguiente: next })
        )
      )
  })
}
