import { count, dateTime, day, pesos } from "../ui/Format.ts"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { Table } from "../ui/Table.tsx"
import { api, faultOf } from "./Client.ts"
import { Link, type ScreenProps } from "./Navigation.tsx"

type Closing = Awaited<ReturnType<typeof api.cierres.ver.query>>

const Lines = ({ closing }: { closing: Closing }) => {
  const balance = (concepto: string, monto: number) => ({ concepto, cantidad: null, monto })
  const sum = (concepto: string, figures: Closing["ventas"]) => ({ concepto, ...figures })
  return (
    <Table
      caption="Movimientos del día"
      showCaption
      rows={[
        balance("Saldo inicial", closing.saldo_inicial),
        sum("Depósitos", closing.depositos),
        sum("Ventas", closing.ventas),
        sum("Anulaciones", closing.anulaciones),
        sum("Ajustes", closing.ajustes),
        balance("Saldo final", closing.saldo_final),
        sum("Retenido al inicio", closing.retenido_inicial),
        sum("Retenido al final", closing.retenido_final)
      ]}
      keyOf={({ concepto }) => concepto}
      empty="Sin movimientos."
      columns={[
        { title: "Concepto", cell: ({ concepto }) => concepto },
        { title: "Cantidad", isNumber: true, cell: ({ cantidad }) => (cantidad === null ? "—" : count(cantidad)) },
        { title: "Monto", isNumber: true, cell: ({ monto }) => pesos(monto) }
      ]}
    />
  )
}

const states = { SUCCESS: "Cobradas", FAILED: "Fallidas", PENDING: "Pendientes", REVERSED: "Anuladas" } as const

const Services = ({ closing: { servicios } }: { closing: Closing }) => (
  <Table
    caption="Por servicio"
    showCaption
    rows={servicios}
    keyOf={({ estado, servicio_id }) => `${servicio_id} ${estado}`}
    empty="Ninguna venta."
    columns={[
      { title: "Servicio", cell: ({ servicio }) => servicio },
      { title: "Estado", cell: ({ estado }) => states[estado] },
      { title: "Cantidad", isNumber: true, cell: ({ cantidad }) => count(cantidad) },
      { title: "Monto", isNumber: true, cell: ({ monto }) => pesos(monto) }
    ]}
  />
)

const EarlierReversals = ({ closing: { anulaciones_anteriores } }: { closing: Closing }) => (
  <Table
    caption="Anulaciones de ventas de días anteriores"
    showCaption
    rows={anulaciones_anteriores}
    keyOf={({ transaction_id }) => transaction_id}
    empty="Ninguna anulación de una venta de otro día."
    columns={[
      {
        title: "Transacción",
        isNumber: true,
        cell: ({ transaction_id }) => <Link to={`/transacciones/${transaction_id}`}>{transaction_id}</Link>
      },
      { title: "Día de la venta", cell: ({ dia_venta }) => day(dia_venta) },
      { title: "Monto", isNumber: true, cell: ({ monto }) => pesos(monto) }
    ]}
  />
)

/** The closing of a company's day. The id in the address is the company's id and the day. */
export const ClosingPage = ({ id }: ScreenProps) => {
  const [, empresa_id = "", dia = ""] = /^(\d+)-(.+)$/.exec(id) ?? []
  const { data, error, reload } = useLive(() => api.cierres.ver.query({ empresa_id, dia }), id)
  if (data === undefined)
    return error === undefined ? <Loading /> : <Failed message={faultOf(error).message} retry={reload} />
  return (
    <>
      <p>
        <Link to="/cierres">Cierres</Link> · <Link to={`/empresas/${data.empresa_id}`}>{data.razon_social}</Link> ·{" "}
        {day(data.dia)}
      </p>
      <Lines closing={data} />
      <Services closing={data} />
      <EarlierReversals closing={data} />
      <dl class="facts">
        <dt>Cerrado</dt>
        <dd>{dateTime(data.cerrado_en)}</dd>
        <dt>Sello</dt>
        <dd>
          <code>{data.sello}</code>
        </dd>
        <dt>Sello del día anterior</dt>
        <dd>{data.sello_anterior === null ? "Es el primer cierre" : <code>{data.sello_anterior}</code>}</dd>
      </dl>
    </>
  )
}
