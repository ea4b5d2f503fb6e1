import { dateTime, pesos } from "../ui/Format.ts"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { api, faultOf } from "./Client.ts"
import { Link, type ScreenProps } from "./Navigation.tsx"
import { ProposalFacts } from "./ProposalFacts.tsx"
import { SaleActions } from "./SaleActions.tsx"
import { StatusBadge } from "./SaleParts.tsx"
import { type Sale, Timeline } from "./Timeline.tsx"

/** Interval between two reads of the sale, in seconds. */
const refresh_s = 15

const reversalNames = { PENDING: "pendiente", REVERSED: "confirmada", DENIED: "negada" } as const

const Facts = ({ sale }: { sale: Sale }) => (
  <dl class="facts">
    <dt>Estado</dt>
    <dd>
      <StatusBadge status={sale.status} /> {sale.message}
    </dd>
    <dt>Monto</dt>
    <dd>{pesos(sale.amount)}</dd>
    <dt>Empresa</dt>
    <dd>
      <Link to={`/empresas/${sale.empresa_id}`}>{sale.razon_social}</Link>
    </dd>
    <dt>Servicio</dt>
    <dd>
      <Link to={`/transacciones?servicio_id=${sale.service.id}`}>{sale.service.nombre}</Link>
    </dd>
    <dt>Identificador</dt>
    <dd>
      <Link to={`/transacciones?buscar=${encodeURIComponent(sale.identifier)}`}>{sale.identifier}</Link>
    </dd>
    <dt>xid</dt>
    <dd>{sale.xid}</dd>
    <dt>Idempotency-Key</dt>
    <dd>{sale.idempotency_key}</dd>
    <dt>Autorización</dt>
    <dd>{sale.auth_code ?? "—"}</dd>
    <dt>Terminal</dt>
    <dd>{sale.terminal_id ?? "—"}</dd>
    <dt>Creada</dt>
    <dd>{dateTime(sale.created_at)}</dd>
    <dt>Resuelta</dt>
    <dd>{sale.processed_at === null ? "Sin resolver" : dateTime(sale.processed_at)}</dd>
    {sale.anulacion !== null && (
      <>
        <dt>Anulación</dt>
        <dd>
          {reversalNames[sale.anulacion.status]}, pedida el {dateTime(sale.anulacion.solicitada_en)}
        </dd>
      </>
    )}
  </dl>
)

/** A sale with its whole history, and the actions that are possible now. */
export const TransactionPage = ({ id }: ScreenProps) => {
  const { data, error, reload } = useLive(() => api.transacciones.ver.query({ transaction_id: id }), id, refresh_s)
  if (data === undefined)
    return error === undefined ? <Loading /> : <Failed message={faultOf(error).message} retry={reload} />
  return (
    <>
      <p>
        <Link to="/transacciones">Transacciones</Link> · N.º {data.transaction_id}
      </p>
      {error !== undefined && <Failed message={faultOf(error).message} retry={reload} />}
      <Facts sale={data} />
      <h2>Qué se puede hacer ahora</h2>
      <SaleActions id={data.transaction_id} type={data.tipo} actions={data.acciones} onDone={reload} />
      {data.propuesta !== null && <ProposalFacts proposal={data.propuesta} />}
      <h2>Historia</h2>
      <Timeline steps={data.historia} />
      <p>
        <Link to={`/auditoria?transaction_id=${data.transaction_id}`}>Ver lo que hicieron los operadores</Link>
      </p>
    </>
  )
}
