import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Environment } from "../../../core/domain/Company.ts"
import { formatLocal } from "../../../core/domain/LocalTime.ts"
import { withinCell } from "../../../core/workflows/ManageCells.ts"
import { Panoramas } from "../../../core/workflows/ReadPanorama.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { type PanoramaView, panoramaView } from "../../api/PanoramaView.ts"
import { orDefault } from "../terminal/Flags.ts"
import { type Document, formatTable, print } from "../terminal/Output.ts"
import { cellFilter } from "../terminal/Parameters.ts"

const tableOr = (rows: ReadonlyArray<Document>, none: string): string => (rows.length === 0 ? none : formatTable(rows))

const formatSales = ({ hace_una_semana, hace_una_semana_hasta_esta_hora, hoy }: PanoramaView): string =>
  formatTable([
    { dia: `${hoy.dia} (today)`, ...hoy.total },
    { dia: `${hace_una_semana.dia} until this time`, ...hace_una_semana_hasta_esta_hora },
    { dia: `${hace_una_semana.dia} (whole day)`, ...hace_una_semana.total }
  ])

const formatHours = ({ hace_una_semana, hoy }: PanoramaView): string =>
  tableOr(
    hoy.horas.flatMap(({ hora, monto, ventas }, index) => {
      const before = hace_una_semana.horas[index]
      const row = { hora, ventas, monto, ventas_antes: before?.ventas ?? 0, monto_antes: before?.monto ?? 0 }
      return row.ventas + row.ventas_antes === 0 ? [] : [row]
    }),
    "No sales."
  )

const formatServices = ({ servicios }: PanoramaView): string =>
  tableOr(
    servicios.map(({ hace_una_semana, hoy, service_id, servicio }) => ({
      service_id,
      servicio,
      ventas: hoy.ventas,
      monto: hoy.monto,
      ventas_antes: hace_una_semana.ventas,
      monto_antes: hace_una_semana.monto
    })),
    "No sales."
  )

const formatSuppliers = (results: PanoramaView["suplidores"]["hoy"]): string =>
  tableOr(
    results.map(({ entregadas, exito, fallidas, mediana_ms, p95_ms, servicio, suplidor }) => ({
      suplidor,
      servicio: servicio ?? "all services",
      entregadas,
      fallidas,
      exito: `${(100 * exito).toFixed(1)} %`,
      mediana_ms,
      p95_ms
    })),
    "No settled sales."
  )

const formatHeld = ({ retenido: { anulaciones, edades, mas_antigua, total, ventas } }: PanoramaView): string =>
  [
    `${total} pesos of ${ventas} sales. Unresolved reversals: ${anulaciones} (they hold no money).`,
    ...(ventas === 0 ? [] : [formatTable(edades)]),
    ...(mas_antigua === null
      ? []
      : [
          `Oldest: the ${mas_antigua.sobre === "venta" ? "sale" : "reversal of sale"} ${mas_antigua.transaction_id} of company ${mas_antigua.empresa_id}, since ${mas_antigua.desde}.`
        ])
  ].join("\n")

/** The beginning of a list, with the number of items that are not shown. */
const formatBeginning = ({ items, total }: { readonly items: ReadonlyArray<Document>; readonly total: number }) =>
  `${tableOr(items, "None.")}${total > items.length ? `\nAnd ${total - items.length} more.` : ""}`

const formatAudit = ({ auditoria }: PanoramaView): string => {
  if (auditoria === null) return "No audit has ended yet."
  const found = auditoria.violadas.map(({ invariante, violaciones }) => `${invariante} (${violaciones})`)
  return `${auditoria.fecha}, after ${auditoria.duracion_ms} ms: ${auditoria.ok ? "every invariant holds" : `BROKEN ${found.join(", ")}`}.`
}

const formatClosings = ({ cierres: { empresas_al_dia, empresas_atrasadas, ultimo_dia } }: PanoramaView): string =>
  ultimo_dia === null && empresas_atrasadas === 0
    ? "No day can be closed yet."
    : `Last closed day: ${ultimo_dia ?? "none"}. Companies closed until yesterday: ${empresas_al_dia}. Companies with an unclosed day: ${empresas_atrasadas}.`

const formatPanorama = (view: PanoramaView): string => {
  const sections: ReadonlyArray<readonly [string, string]> = [
    ["Sales", formatSales(view)],
    ["By hour, against a week before", formatHours(view)],
    ["By service, against a week before until this time", formatServices(view)],
    ["Suppliers in the last hour", formatSuppliers(view.suplidores.ultima_hora)],
    ["Suppliers today", formatSuppliers(view.suplidores.hoy)],
    ["Held money", formatHeld(view)],
    ["Low balances", formatBeginning(view.saldos_bajos)],
    [
      "Webhooks that fail or are disabled",
      `${formatBeginning(view.webhooks)}\nOldest waiting delivery: ${view.webhooks.entrega_mas_antigua ?? "none"}.`
    ],
    ["Closings", formatClosings(view)],
    ["Last audit", formatAudit(view)]
  ]
  return [
    `${view.ambiente}, ${view.fecha}`,
    ...sections.map(([title, text]) => `${title}\n${"-".repeat(title.length)}\n${text}`)
  ].join("\n\n")
}

export const status = Command.make(
  "status",
  {
    cell: cellFilter,
    environment: Flag.Literals("ambiente", Environment.literals).pipe(
      Flag.withDescription("Companies of this environment"),
      orDefault(undefined, "production, or development if no company is in production")
    )
  },
  Effect.fn(function* ({ cell, environment }) {
    const panoramas = yield* Panoramas
    const view = panoramaView(yield* withinCell(cell)(panoramas.read(environment)), formatLocal)
    yield* print(view, formatPanorama(view))
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Show the state of the service today, compared with the same weekday a week before: sales by hour and service, success and latency of each supplier, held money by age, low balances, failing webhooks, closings, and the last audit."
  ),
  Command.withShortDescription("Show today's sales and suppliers, and what needs attention"),
  Command.withExamples([{ command: "saldo status --json", description: "As JSON for a script" }])
)
