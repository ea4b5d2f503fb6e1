import { DateTime, Schema } from "effect"
import { type Closing, ClosingStatus, type CountedAmount, type ServiceFigures } from "../../core/domain/Closing.ts"
import { formatLocal } from "../../core/domain/LocalTime.ts"
import { toPesos } from "../../core/domain/Money.ts"
import type { PrintedTable } from "../../core/domain/PrintedTable.ts"
import { LocalTimestamp, Pesos } from "./Output.ts"

const Counted = Schema.Struct({ cantidad: Schema.Int, monto: Pesos }).annotate({ identifier: "CantidadYMonto" })

const Day = Schema.String.annotate({ format: "date", examples: ["2026-01-31"] })

const Seal = Schema.String.annotate({
  description: "SHA-256 del contenido del cierre y del sello del día anterior.",
  examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]
})

const ServiceView = Schema.Struct({
  servicio_id: Schema.Int,
  servicio: Schema.String,
  estado: ClosingStatus.annotate({
    description:
      "SUCCESS: cobradas en el día. FAILED: terminadas en el día sin cobro. PENDING: pendientes al final del día. REVERSED: anuladas en el día; el cobro está en el día de la venta."
  }),
  cantidad: Schema.Int,
  monto: Pesos
}).annotate({ identifier: "ServicioDelCierre" })

/** A closing in the API. Contract: 4.8. */
export const ClosingView = Schema.Struct({
  dia: Day,
  saldo_inicial: Pesos,
  depositos: Counted,
  ventas: Counted,
  anulaciones: Counted,
  ajustes: Counted,
  saldo_final: Pesos,
  retenido_inicial: Counted,
  retenido_final: Counted,
  servicios: Schema.Array(ServiceView),
  anulaciones_anteriores: Schema.Array(
    Schema.Struct({ transaction_id: Schema.Int, dia_venta: Day, monto: Pesos }).annotate({
      identifier: "AnulacionAnterior"
    })
  ).annotate({ description: "Las anulaciones del día que devuelven ventas cobradas en días anteriores." }),
  cerrado_en: LocalTimestamp,
  sello: Seal,
  sello_anterior: Schema.NullOr(Seal).annotate({ description: "null en el primer cierre de la empresa." })
}).annotate({ identifier: "Cierre" })

const counted = ({ amount, count }: CountedAmount) => ({ cantidad: count, monto: toPesos(amount) })

const serviceView = ({ amount, count, name, serviceId, status }: ServiceFigures): typeof ServiceView.Type => ({
  servicio_id: serviceId,
  servicio: name,
  estado: status,
  cantidad: count,
  monto: toPesos(amount)
})

export const closingView = ({ content, seal }: Closing): typeof ClosingView.Type => ({
  dia: content.day,
  saldo_inicial: toPesos(content.opening),
  depositos: counted(content.deposits),
  ventas: counted(content.sales),
  anulaciones: counted(content.reversals),
  ajustes: counted(content.adjustments),
  saldo_final: toPesos(content.closing),
  retenido_inicial: counted(content.heldBefore),
  retenido_final: counted(content.held),
  servicios: content.services.map(serviceView),
  anulaciones_anteriores: content.earlierReversals.map(({ amount, day, transactionId }) => ({
    transaction_id: transactionId,
    dia_venta: day,
    monto: toPesos(amount)
  })),
  cerrado_en: formatLocal(content.closedAt),
  sello: seal,
  sello_anterior: content.previousSeal
})

/** The kinds of closing lines (`concepto`), each with its name on paper. */
const concepts = {
  saldo_inicial: "Saldo inicial",
  depositos: "Depósitos",
  ventas: "Ventas",
  anulaciones: "Anulaciones",
  ajustes: "Ajustes",
  saldo_final: "Saldo final",
  retenido_inicial: "Retenido al inicio",
  retenido_final: "Retenido al final",
  servicio: "Por servicio",
  anulacion_anterior: "Anulación de otro día"
} as const

/** A line of a closing, for the CSV, the PDF and the command line. Amounts are pesos, as in the API. */
interface ClosingLine {
  readonly concepto: keyof typeof concepts
  readonly servicio_id: number | null
  readonly servicio: string | null
  readonly estado: string | null
  readonly transaction_id: number | null
  readonly dia_venta: string | null
  readonly cantidad: number | null
  readonly monto: number
}

const emptyLine = {
  servicio_id: null,
  servicio: null,
  estado: null,
  transaction_id: null,
  dia_venta: null,
  cantidad: null
}

/** The figures of a closing as lines. */
export const closingLines = (closing: typeof ClosingView.Type): ReadonlyArray<ClosingLine> => {
  const balance = (concepto: "saldo_inicial" | "saldo_final"): ClosingLine => ({
    ...emptyLine,
    concepto,
    monto: closing[concepto]
  })
  const sum = (
    concepto: "depositos" | "ventas" | "anulaciones" | "ajustes" | "retenido_inicial" | "retenido_final"
  ): ClosingLine => ({ ...emptyLine, concepto, ...closing[concepto] })
  return [
    balance("saldo_inicial"),
    sum("depositos"),
    sum("ventas"),
    sum("anulaciones"),
    sum("ajustes"),
    balance("saldo_final"),
    sum("retenido_inicial"),
    sum("retenido_final"),
    ...closing.servicios.map((service) => ({ ...emptyLine, concepto: "servicio" as const, ...service })),
    ...closing.anulaciones_anteriores.map((reversal) => ({
      ...emptyLine,
      concepto: "anulacion_anterior" as const,
      ...reversal
    }))
  ]
}

/** The columns of the CSV. */
export const closingColumns = [
  "dia",
  "concepto",
  "servicio_id",
  "servicio",
  "estado",
  "transaction_id",
  "dia_venta",
  "cantidad",
  "monto",
  "sello"
] as const

/** The rows of a closing in the CSV. */
export const closingRows = (closing: typeof ClosingView.Type) =>
  closingLines(closing).map((line) => ({ dia: closing.dia, ...line, sello: closing.sello }))

const centavos = (pesos: number): number => Math.round(pesos * 100)

const detailOf = ({ dia_venta, estado, servicio, transaction_id }: ClosingLine): string | null => {
  if (transaction_id !== null) return `Transacción ${transaction_id}, venta del ${dia_venta}`
  return servicio === null ? null : `${servicio}: ${estado}`
}

/** A closing as a printed table. */
export const printedClosing = (company: string, closing: Closing): PrintedTable => {
  const view = closingView(closing)
  return {
    title: `Cierre del día ${view.dia}`,
    facts: [
      company,
      `Cerrado: ${view.cerrado_en}`,
      `Sello: ${view.sello}`,
      `Sello del día anterior: ${view.sello_anterior ?? "ninguno, es el primer cierre"}`
    ],
    columns: [
      { heading: "Concepto", share: 3, kind: "text" },
      { heading: "Detalle", share: 5, kind: "text" },
      { heading: "Cantidad", share: 1.5, kind: "count" },
      { heading: "Monto (RD$)", share: 2.5, kind: "amount" }
    ],
    rows: closingLines(view).map((line) => [
      concepts[line.concepto],
      detailOf(line),
      line.cantidad,
      centavos(line.monto)
    ]),
    createdAt: closing.content.closedAt
  }
}

/** Several closings as a printed table with a row for each day. */
export const printedClosings = (company: string, closings: ReadonlyArray<Closing>): PrintedTable => ({
  title: "Cierres diarios",
  facts: [company],
  columns: [
    { heading: "Día", share: 2, kind: "text" },
    ...["Saldo inicial", "Depósitos", "Ventas", "Anulaciones", "Ajustes", "Saldo final", "Retenido"].map((heading) => ({
      heading,
      share: 2.2,
      kind: "amount" as const
    }))
  ],
  rows: closings.map(({ content }) => [
    content.day,
    content.opening,
    content.deposits.amount,
    content.sales.amount,
    content.reversals.amount,
    content.adjustments.amount,
    content.closing,
    content.held.amount
  ]),
  createdAt: closings[0]?.content.closedAt ?? DateTime.makeUnsafe(0)
})

/** The closing of the examples in the documentation. */
export const closingExample: typeof ClosingView.Type = {
  dia: "2026-01-31",
  saldo_inicial: 100_000,
  depositos: { cantidad: 1, monto: 50_000 },
  ventas: { cantidad: 2, monto: 300 },
  anulaciones: { cantidad: 1, monto: 100 },
  ajustes: { cantidad: 0, monto: 0 },
  saldo_final: 149_800,
  retenido_inicial: { cantidad: 0, monto: 0 },
  retenido_final: { cantidad: 1, monto: 250 },
  servicios: [
    { servicio_id: 1, servicio: "Recarga Caribe Móvil", estado: "SUCCESS", cantidad: 2, monto: 300 },
    { servicio_id: 1, servicio: "Recarga Caribe Móvil", estado: "PENDING", cantidad: 1, monto: 250 },
    { servicio_id: 1, servicio: "Recarga Caribe Móvil", estado: "REVERSED", cantidad: 1, monto: 100 }
  ],
  anulaciones_anteriores: [{ transaction_id: 1, dia_venta: "2026-01-30", monto: 100 }],
  cerrado_en: "2026-02-01 00:12:44",
  sello: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  sello_anterior: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"
}
