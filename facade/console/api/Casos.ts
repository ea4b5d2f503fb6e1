import { Effect, Schema } from "effect"
import { type Case, CaseId, CaseKind, type CaseNote, CaseState, caseNoteLength_max } from "../../../core/domain/Case.ts"
import { formatOffset } from "../../../core/domain/LocalTime.ts"
import { toPesos } from "../../../core/domain/Money.ts"
import { ProviderName } from "../../../core/domain/ProviderStatement.ts"
import { closeCase, listCases, noteCase, showCase } from "../../../core/workflows/ManageCases.ts"
import { showFloats } from "../../../core/workflows/ReadFloat.ts"
import { pageOf, paging, pathId } from "../../api/Fields.ts"
import { input } from "../../api/Input.ts"
import { pagesOf } from "../../api/Output.ts"
import { Settings } from "../../settings/Settings.ts"
import { text } from "./Fields.ts"
import { change, read } from "./Procedure.ts"
import { iso } from "./SaleView.ts"
import { comparar } from "./StatementComparison.ts"

const casoId = pathId(CaseId, "El caso.", "invalido")

const sideView = (side: Case["ours"]) =>
  side === null
    ? null
    : { status: side.status, monto: side.amount === null ? null : toPesos(side.amount), fecha: iso(side.at) }

const caseView = (found: Case) => ({
  caso_id: found.id as number,
  proveedor: found.provider,
  tipo: found.kind,
  estado: found.state,
  referencia: found.reference,
  external_id: found.externalId,
  empresa_id: found.companyId as number | null,
  transaction_id: found.transactionId as number | null,
  nuestro: sideView(found.ours),
  suyo: sideView(found.theirs),
  linea: found.line,
  extracto: found.file,
  encontrado: formatOffset(found.foundAt),
  visto: formatOffset(found.seenAt),
  ya_no_aparece: iso(found.goneAt)
})

const noteView = ({ at, note, operator, state }: CaseNote) => ({
  fecha: formatOffset(at),
  operador: operator,
  estado: state,
  nota: note
})

const shownCase = ({ found, notes }: { readonly found: Case; readonly notes: ReadonlyArray<CaseNote> }) => ({
  ...caseView(found),
  notas: notes.map(noteView)
})

const noteInput = input({ caso_id: casoId, nota: text(caseNoteLength_max) })

export const casos = {
  /** The differences between statements of providers and the sales, newest first. */
  listar: read({
    gate: "read",
    input: input({
      proveedor: Schema.optionalKey(ProviderName),
      tipo: Schema.optionalKey(CaseKind),
      estado: Schema.optionalKey(CaseState),
      page: paging.page,
      per_page: paging.per_page
    }),
    handle: Effect.fnUntraced(function* ({ input: { estado, proveedor, tipo, ...wanted } }) {
      const page = pageOf(wanted)
      const { items, total } = yield* listCases({ provider: proveedor, kind: tipo, state: estado }, page)
      return { items: items.map(caseView), pagination: pagesOf(page, total) }
    })
  }),
  ver: read({
    gate: "read",
    input: input({ caso_id: casoId }),
    handle: ({ input: { caso_id } }) => Effect.map(showCase(caso_id), shownCase)
  }),
  /**
   * The last known balance of Saldo at each provider. Empty if FLOAT_EVERY is off, because then no server reads the
   * balances.
   */
  saldos: read({
    gate: "read",
    input: input({}),
    handle: Effect.fnUntraced(function* () {
      const { floatAlert, floatEvery } = (yield* Settings).externalServices
      const floats = floatEvery === null ? [] : yield* showFloats(floatEvery, floatAlert)
      return floats.map(({ balances, failedAt, provider, readAt, state }) => ({
        proveedor: provider,
        estado: state,
        leido: iso(readAt),
        sin_respuesta: iso(failedAt),
        saldos: balances.map(({ available, held, low, unit }) => ({
          unidad: unit,
          disponible: available,
          retenido: held,
          bajo: low
        }))
      }))
    })
  }),
  comparar,
  anotar: change({
    gate: "case",
    input: noteInput,
    handle: ({ input: { caso_id, nota } }) => Effect.map(noteCase(caso_id, nota), shownCase)
  }),
  cerrar: change({
    gate: "case",
    input: noteInput,
    handle: ({ input: { caso_id, nota } }) => Effect.map(closeCase(caso_id, nota), shownCase)
  })
}
