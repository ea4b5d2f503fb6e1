import { Badge } from "../ui/Badge.tsx"
import { ago, count, dateTime, duration, pesos } from "../ui/Format.ts"
import { Table } from "../ui/Table.tsx"
import type { api } from "./Client.ts"
import { Link } from "./Navigation.tsx"

export type Panorama = Awaited<ReturnType<typeof api.panorama.ver.query>>

/** The name of an age band, from its lower bound and the lower bound of the next band. */
export const bandName = (from_s: number, next_s: number | undefined): string => {
  if (next_s === undefined) return `más de ${duration(from_s)}`
  return from_s === 0 ? `menos de ${duration(next_s)}` : `de ${duration(from_s)} a ${duration(next_s)}`
}

/** Held money by age. */
export const HeldPart = ({ held }: { held: Panorama["retenido"] }) => {
  const rows = held.edades.map((band, place) => ({
    ...band,
    name: bandName(band.desde_segundos, held.edades[place + 1]?.desde_segundos)
  }))
  return (
    <>
      <h2>Dinero retenido</h2>
      {held.mas_antigua !== null && (
        <p>
          Lo más antiguo sin resolver:{" "}
          <Link to={`/transacciones/${held.mas_antigua.transaction_id}`}>
            {held.mas_antigua.sobre === "venta" ? "la venta" : "la anulación de la venta"}{" "}
            {held.mas_antigua.transaction_id}
          </Link>
          , {ago(held.mas_antigua.desde)}. <Link to="/pendientes">Ver todo lo pendiente</Link>
        </p>
      )}
      <Table
        caption="Ventas sin resolver por edad"
        rows={rows}
        keyOf={({ desde_segundos }) => desde_segundos}
        empty="No hay ventas sin resolver."
        columns={[
          { title: "Edad", cell: ({ name }) => name },
          { title: "Ventas", isNumber: true, cell: ({ ventas }) => count(ventas) },
          { title: "Retenido", isNumber: true, cell: ({ monto }) => pesos(monto) }
        ]}
      />
    </>
  )
}

/** How many items of a list are not shown. */
const More = ({ shown, total }: { shown: number; total: number }) =>
  total > shown ? <p>Y {count(total - shown)} más.</p> : null

const LowBalances = ({ low }: { low: Panorama["saldos_bajos"] }) => (
  <>
    <Table
      caption="Empresas con saldo bajo"
      showCaption
      rows={low.items}
      keyOf={({ empresa_id }) => empresa_id}
      empty="Ninguna empresa tiene saldo bajo."
      columns={[
        {
          title: "Empresa",
          cell: ({ empresa_id, razon_social }) => <Link to={`/empresas/${empresa_id}`}>{razon_social}</Link>
        },
        { title: "Disponible", isNumber: true, cell: ({ saldo_disponible }) => pesos(saldo_disponible) },
        { title: "Alerta", isNumber: true, cell: ({ alerta_saldo_bajo }) => pesos(alerta_saldo_bajo) }
      ]}
    />
    <More shown={low.items.length} total={low.total} />
  </>
)

const Webhooks = ({ webhooks }: { webhooks: Panorama["webhooks"] }) => (
  <>
    <Table
      caption="Webhooks que fallan"
      showCaption
      rows={webhooks.items}
      keyOf={({ webhook_id }) => webhook_id}
      empty="Ningún webhook falla."
      columns={[
        {
          title: "Empresa",
          cell: ({ empresa_id, razon_social }) => <Link to={`/empresas/${empresa_id}`}>{razon_social}</Link>
        },
        { title: "URL", cell: ({ url }) => url },
        {
          title: "Estado",
          cell: ({ estado }) => <Badge tone={estado === "desactivado" ? "bad" : "warn"}>{estado}</Badge>
        },
        { title: "Falla desde", cell: ({ falla_desde }) => (falla_desde === null ? "—" : dateTime(falla_desde)) },
        {
          title: "Entrega más antigua",
          cell: ({ entrega_mas_antigua }) => (entrega_mas_antigua === null ? "—" : ago(entrega_mas_antigua))
        }
      ]}
    />
    <More shown={webhooks.items.length} total={webhooks.total} />
    {webhooks.entrega_mas_antigua !== null && (
      <p>La entrega más antigua que espera debió salir {ago(webhooks.entrega_mas_antigua)}.</p>
    )}
  </>
)

/** Low balances and failing webhooks. */
export const AttentionPart = ({ data }: { data: Panorama }) => (
  <>
    <h2>Por atender</h2>
    <LowBalances low={data.saldos_bajos} />
    <Webhooks webhooks={data.webhooks} />
  </>
)
