import { DateTime, Effect, Schema } from "effect"
import { Invalid } from "../../../core/domain/Errors.ts"
import { formatOffset } from "../../../core/domain/LocalTime.ts"
import { ProviderName, type StatementField, statementFields } from "../../../core/domain/ProviderStatement.ts"
import type { Comparison } from "../../../core/ports/ProviderStatements.ts"
import { compareStatement } from "../../../core/workflows/ManageCases.ts"
import { day } from "../../api/Fields.ts"
import { input } from "../../api/Input.ts"
import { type BadStatement, readStatement } from "../../settings/StatementCsv.ts"
import { text } from "./Fields.ts"
import { faultText } from "./FileFaults.ts"
import { change } from "./Procedure.ts"

/** Largest statement that the console compares. `saldo reconcile --extracto` compares larger ones. */
const file_max = 16 * 1024 * 1024

const columnName = Schema.optionalKey(text(200))

const comparisonView = ({ cases, differences, lines, matched, since, until }: Comparison) => ({
  desde: formatOffset(since),
  // The last instant that was compared. `until` is exclusive.
  hasta: formatOffset(DateTime.subtract(until, { milliseconds: 1 })),
  lineas: lines,
  conciliadas: matched,
  diferencias: differences,
  casos: { nuevos: cases.found, reabiertos: cases.reopened, ya_no_aparecen: cases.gone }
})

interface Compared {
  /** Null if the file has faults. Then nothing was stored. */
  readonly comparacion: ReturnType<typeof comparisonView> | null
  readonly faltas: ReadonlyArray<{ readonly linea: number; readonly columna: string | null; readonly motivo: string }>
  /** Whether the file may have more faults. */
  readonly hay_mas: boolean
}

const compared = (comparison: Comparison): Compared => ({
  comparacion: comparisonView(comparison),
  faltas: [],
  hay_mas: false
})

const faulty = ({ faults, more }: BadStatement): Compared => ({
  comparacion: null,
  faltas: faults.map(({ column, line, reason }) => ({ linea: line, columna: column, motivo: faultText(reason) })),
  hay_mas: more
})

const daysOf = (from: string | undefined, to: string | undefined) => {
  if (from === undefined && to === undefined) return Effect.succeed(null)
  if (from === undefined) return new Invalid({ details: { desde: "requerido" } })
  if (to === undefined) return new Invalid({ details: { hasta: "requerido" } })
  return from > to ? new Invalid({ details: { hasta: "invalido" } }) : Effect.succeed({ from, to })
}

/** Compares a provider's statement with the sales. Each difference becomes a case. No money moves. */
export const comparar = change({
  gate: "case",
  body_max: file_max,
  input: input({
    archivo: Schema.String,
    nombre: text(255),
    proveedor: ProviderName,
    desde: Schema.optionalKey(day("Primer día que se compara.")),
    hasta: Schema.optionalKey(day("Último día que se compara.")),
    columna_xid: columnName,
    columna_external_id: columnName,
    columna_status: columnName,
    columna_amount: columnName,
    columna_date: columnName
  }),
  handle: Effect.fnUntraced(function* ({ input: { archivo, desde, hasta, nombre, proveedor, ...columns } }) {
    const days = yield* daysOf(desde, hasta)
    const mapping = new Map<StatementField, string>()
    for (const field of statementFields) {
      const column = columns[`columna_${field}`]
      if (column !== undefined) mapping.set(field, column)
    }
    const lines = readStatement({ source: { text: archivo }, provider: proveedor, mapping })
    return yield* compareStatement({ provider: proveedor, file: nombre, lines, days }).pipe(
      Effect.map(compared),
      Effect.catchTag("BadStatement", (bad) => Effect.succeed(faulty(bad)))
    )
  })
})
