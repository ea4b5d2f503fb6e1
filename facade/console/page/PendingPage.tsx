import { Choice } from "../ui/Form.tsx"
import { ago, count, dateTime, pesos } from "../ui/Format.ts"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { Pager, Table } from "../ui/Table.tsx"
import { api, faultOf } from "./Client.ts"
import { CellChoice, CompanyChoice, FilterForm, filterIn, optionsOf, useCompanies } from "./Filters.tsx"
import { Link, type ScreenProps, setQuery } from "./Navigation.tsx"
import { bandName } from "./PanoramaParts.tsx"
import { Proposals } from "./Proposals.tsx"
import { SaleActions } from "./SaleActions.tsx"
import { shortNames } from "./SaleParts.tsx"
import { answerName } from "./Timeline.tsx"

type Found = Awaited<ReturnType<typeof api.pendientes.listar.query>>
type Pending = Found["items"][number]

const refresh_s = 15

const suppliers = { proveedor: "Proveedor", aseguradora: "Aseguradora" } as const
const environments = { production: "Producción", development: "Pruebas" } as const
const orderOptions = [
  { value: "", label: "Lo más antiguo primero" },
  { value: "monto", label: "Lo más grande primero" }
]

const filters = ["celda", "empresa_id", "suplidor", "orden"] as const

const PendingFilters = ({
  companies,
  query
}: { companies: ReturnType<typeof useCompanies> } & Pick<ScreenProps, "query">) => (
  <FilterForm>
    <CompanyChoice companies={companies} query={query} />
    <CellChoice companies={companies} query={query} />
    <Choice name="suplidor" label="Suplidor" options={optionsOf(suppliers)} value={query.get("suplidor") ?? ""} />
    <Choice name="orden" label="Orden" options={orderOptions} value={query.get("orden") ?? ""} />
  </FilterForm>
)

const Bands = ({ bands }: { bands: Found["edades"] }) => (
  <Table
    caption="Sin resolver por edad y suplidor"
    showCaption
    rows={bands}
    keyOf={({ ambiente, desde_segundos, suplidor }) => `${ambiente} ${suplidor} ${desde_segundos}`}
    empty="No hay nada sin resolver."
    columns={[
      {
        title: "Edad",
        cell: ({ desde_segundos, hasta_segundos }) => bandName(desde_segundos, hasta_segundos ?? undefined)
      },
      { title: "Suplidor", cell: ({ suplidor }) => suppliers[suplidor] },
      { title: "Ambiente", cell: ({ ambiente }) => environments[ambiente] },
      { title: "Ventas", isNumber: true, cell: ({ ventas }) => count(ventas) },
      { title: "Anulaciones", isNumber: true, cell: ({ anulaciones }) => count(anulaciones) },
      { title: "Retenido", isNumber: true, cell: ({ retenido }) => pesos(retenido) }
    ]}
  />
)

const LastAnswer = ({ pending: { ultima_respuesta } }: { pending: Pending }) =>
  ultima_respuesta === null ? (
    <>Todavía no se ha preguntado</>
  ) : (
    <>
      {answerName(ultima_respuesta.respuesta)}
      {ultima_respuesta.veces > 1 && `, ${count(ultima_respuesta.veces)} veces`}
      <br />
      <small>{dateTime(ultima_respuesta.fecha)}</small>
    </>
  )

const ProposalCell = ({ pending: { propuesta } }: { pending: Pending }) =>
  propuesta === null ? (
    <>—</>
  ) : (
    <>
      {propuesta.propuesta_por} propone que {shortNames[propuesta.resultado]}
      {propuesta.confirmada_por !== null && `; ${propuesta.confirmada_por} la confirmó`}
      <br />
      <small>{propuesta.motivo}</small>
    </>
  )

const List = ({
  companies,
  found: { fecha, items },
  onDone
}: {
  companies: ReturnType<typeof useCompanies>
  found: Found
  onDone: () => void
}) => (
  <Table
    caption="Ventas y anulaciones sin resolver"
    showCaption
    rows={items}
    keyOf={({ sobre, transaction_id }) => `${sobre} ${transaction_id}`}
    empty="No hay nada sin resolver."
    columns={[
      { title: "Edad", cell: ({ pendiente_desde }) => ago(pendiente_desde, Date.parse(fecha)) },
      {
        title: "Transacción",
        cell: ({ identifier, sobre, transaction_id }) => (
          <>
            <Link to={`/transacciones/${transaction_id}`}>
              {sobre === "venta" ? "Venta" : "Anulación de la venta"} {transaction_id}
            </Link>
            <br />
            <small>{identifier}</small>
          </>
        )
      },
      {
        title: "Empresa y servicio",
        cell: ({ empresa_id, service, suplidor }) => (
          <>
            <Link to={`/empresas/${empresa_id}`}>{companies.nameOf(empresa_id)}</Link>
            <br />
            <small>
              {service.nombre} ({suppliers[suplidor]})
            </small>
          </>
        )
      },
      { title: "Monto", isNumber: true, cell: ({ amount }) => pesos(amount) },
      { title: "Última respuesta", cell: (pending) => <LastAnswer pending={pending} /> },
      { title: "Propuesta", cell: (pending) => <ProposalCell pending={pending} /> },
      {
        title: "Qué hacer",
        cell: ({ acciones, tipo, transaction_id }) => (
          <SaleActions id={transaction_id} type={tipo} actions={acciones} onDone={onDone} />
        )
      }
    ]}
  />
)

/**
 * Shows pending proposals of deposits and adjustments. Then shows the sales and reversals with an unknown outcome, and
 * the possible actions.
 */
export const PendingPage = ({ query }: ScreenProps) => {
  const companies = useCompanies()
  // The filters in the address are plain texts. The server checks their values.
  const wanted = filterIn(query, [...filters, "page"]) as Parameters<typeof api.pendientes.listar.query>[0]
  const { data, error, reload } = useLive(() => api.pendientes.listar.query(wanted), query.toString(), refresh_s)
  return (
    <>
      <Proposals />
      <PendingFilters companies={companies} query={query} />
      {error !== undefined && <Failed message={faultOf(error).message} retry={reload} />}
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined && (
        <>
          <p>
            {count(data.pagination.total)} sin resolver, de ellas {count(data.anulaciones)} anulaciones. Retenido:{" "}
            <strong>{pesos(data.retenido)}</strong>.
          </p>
          {data.ilegibles.length > 0 && (
            <p class="wrong">Esta versión no puede leer estas transacciones: {data.ilegibles.join(", ")}.</p>
          )}
          <List companies={companies} found={data} onDone={reload} />
          <Pager
            page={data.pagination.page}
            pages={data.pagination.total_pages}
            onPage={(page) => setQuery({ page: String(page) })}
          />
          <Bands bands={data.edades} />
        </>
      )}
    </>
  )
}
