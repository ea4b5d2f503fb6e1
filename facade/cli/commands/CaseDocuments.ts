import type { Case, CaseNote } from "../../../core/domain/Case.ts"
import { formatLocal } from "../../../core/domain/LocalTime.ts"
import { toPesos } from "../../../core/domain/Money.ts"
import type { Document } from "../terminal/Output.ts"

/** Cases as documents and as rows of a table or of a CSV file. */

const sideDocument = (side: Case["ours"]) =>
  side === null
    ? null
    : {
        status: side.status,
        monto: side.amount === null ? null : toPesos(side.amount),
        fecha: side.at === null ? null : formatLocal(side.at)
      }

export const caseDocument = (found: Case): Document => ({
  caso_id: found.id,
  proveedor: found.provider,
  tipo: found.kind,
  estado: found.state,
  referencia: found.reference,
  external_id: found.externalId,
  empresa_id: found.companyId,
  transaction_id: found.transactionId,
  nuestro: sideDocument(found.ours),
  suyo: sideDocument(found.theirs),
  lineas: found.lines,
  linea: found.line,
  extracto: found.file,
  encontrado: formatLocal(found.foundAt),
  visto: formatLocal(found.seenAt),
  ya_no_aparece: found.goneAt === null ? null : formatLocal(found.goneAt)
})

export const noteDocument = ({ at, note, operator, state }: CaseNote): Document => ({
  fecha: formatLocal(at),
  operador: operator,
  estado: state,
  nota: note
})

/** The columns of a difference as CSV. */
export const caseColumns = [
  "caso_id",
  "tipo",
  "estado",
  "referencia",
  "external_id",
  "empresa_id",
  "transaction_id",
  "nuestro_status",
  "nuestro_monto",
  "nuestra_fecha",
  "suyo_status",
  "suyo_monto",
  "suya_fecha",
  "linea"
] as const

/** A difference as a row of a CSV file. */
export const caseRow = (found: Case): Readonly<Record<(typeof caseColumns)[number], string | number | null>> => {
  const [ours, theirs] = [sideDocument(found.ours), sideDocument(found.theirs)]
  return {
    caso_id: found.id,
    tipo: found.kind,
    estado: found.state,
    referencia: found.reference,
    external_id: found.externalId,
    empresa_id: found.companyId,
    transaction_id: found.transactionId,
    nuestro_status: ours?.status ?? null,
    nuestro_monto: ours?.monto ?? null,
    nuestra_fecha: ours?.fecha ?? null,
    suyo_status: theirs?.status ?? null,
    suyo_monto: theirs?.monto ?? null,
    suya_fecha: theirs?.fecha ?? null,
    linea: found.line
  }
}

const formatSide = (side: Case["ours"]): string | null => {
  const shown = sideDocument(side)
  return shown === null ? null : [shown.status, shown.monto].filter((part) => part !== null).join(" ")
}

/** A case as a row of a table. */
export const caseTableRow = (found: Case): Document => ({
  caso: found.id,
  tipo: found.kind,
  estado: found.state,
  referencia: found.reference,
  transaction_id: found.transactionId,
  nuestro: formatSide(found.ours),
  suyo: formatSide(found.theirs),
  linea: found.line,
  ya_no_aparece: found.goneAt === null ? null : formatLocal(found.goneAt)
})
