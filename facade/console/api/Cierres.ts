import { Effect, Option, Schema, Stream } from "effect"
import type { Closing, ClosingProblem } from "../../../core/domain/Closing.ts"
import { NotFound } from "../../../core/domain/Errors.ts"
import { formatOffset } from "../../../core/domain/LocalTime.ts"
import { toPesos } from "../../../core/domain/Money.ts"
import { Closings } from "../../../core/ports/Closings.ts"
import { closeByHand, verifyClosings } from "../../../core/workflows/CloseDays.ts"
import { companyOf } from "../../../core/workflows/ManageCompany.ts"
import { closingColumns, closingRows, closingView } from "../../api/ClosingView.ts"
import { csvFile } from "../../api/Csv.ts"
import { day, pageOf, paging } from "../../api/Fields.ts"
import { input } from "../../api/Input.ts"
import { pagesOf } from "../../api/Output.ts"
import { empresaId } from "./Fields.ts"
import { change, csvExport, read } from "./Procedure.ts"

const { date_from, date_to, page, per_page } = paging
const days = { date_from, date_to }

/** Maximum number of broken closings in a response. */
const shownBroken_max = 100

const shownClosing = (closing: Closing) => ({
  ...closingView(closing),
  empresa_id: closing.content.companyId as number,
  cerrado_en: formatOffset(closing.content.closedAt)
})

const problemView = ({ expected, found, part }: ClosingProblem) => ({
  parte: part,
  esperado: { cantidad: expected.count, monto: toPesos(expected.amount) },
  hallado: { cantidad: found.count, monto: toPesos(found.amount) }
})

export const cierres = {
  /** The closings of all companies or of one, newest day first. */
  listar: read({
    gate: "read",
    input: input({ empresa_id: Schema.optionalKey(empresaId), ...days, page, per_page }),
    handle: Effect.fnUntraced(function* ({ input: { empresa_id, ...wanted } }) {
      if (empresa_id !== undefined) yield* companyOf(empresa_id)
      const position = pageOf(wanted)
      const closings = yield* Closings
      const span = { from: wanted.date_from, to: wanted.date_to }
      const { items, total } = yield* closings.ofCompanies(empresa_id, span, position)
      return { items: items.map(shownClosing), pagination: pagesOf(position, total) }
    })
  }),
  ver: read({
    gate: "read",
    input: input({ empresa_id: empresaId, dia: day("El día.") }),
    handle: Effect.fnUntraced(function* ({ input: { dia, empresa_id } }) {
      const { legalName } = yield* companyOf(empresa_id)
      const closings = yield* Closings
      const found = yield* closings.find({ companyId: empresa_id, day: dia })
      if (Option.isNone(found)) return yield* new NotFound()
      return { ...shownClosing(found.value), razon_social: legalName }
    })
  }),
  /** Verifies the seals of all closings, from the first to the last. */
  verificar: read({
    gate: "read",
    input: input({}),
    handle: () =>
      Effect.map(verifyClosings(), ({ broken, closings, companies }) => ({
        cierres: closings,
        empresas: companies,
        rotos: broken
          .slice(0, shownBroken_max)
          .map(({ companyId, day, fault }) => ({ empresa_id: companyId as number, dia: day, motivo: fault })),
        rotos_total: broken.length
      }))
  }),
  /** Closes every unclosed day up to this day, which must be over. */
  cerrar: change({
    gate: "deposit",
    input: input({ dia: day("El último día."), empresa_id: Schema.optionalKey(empresaId) }),
    handle: Effect.fnUntraced(function* ({ input: { dia, empresa_id } }) {
      if (empresa_id !== undefined) yield* companyOf(empresa_id)
      const { isComplete, mismatches, stored, waiting } = yield* closeByHand(dia, empresa_id)
      return {
        cierres_nuevos: stored,
        en_curso: waiting.length,
        completo: isComplete,
        descuadres: mismatches.map(({ companyId, day, problems }) => ({
          empresa_id: companyId as number,
          dia: day,
          problemas: problems.map(problemView)
        }))
      }
    })
  })
}

/** The closings of a company. */
export const cierresCsv = csvExport({
  gate: "read",
  input: input({ empresa_id: empresaId, ...days }),
  file: Effect.fnUntraced(function* ({ date_from, date_to, empresa_id }) {
    yield* companyOf(empresa_id)
    const closings = yield* Closings
    const rows = Stream.flatMap(closings.all(empresa_id, { from: date_from, to: date_to }), (closing) =>
      Stream.fromIterable(closingRows(closingView(closing)))
    )
    return yield* csvFile(`cierres-${empresa_id}`, closingColumns, rows)
  })
})
