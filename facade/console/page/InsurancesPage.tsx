import { Badge, type Tone } from "../ui/Badge.tsx"
import { Choice } from "../ui/Form.tsx"
import { count, dateTime, day, pesos } from "../ui/Format.ts"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { Pager, Table } from "../ui/Table.tsx"
import { api, faultOf } from "./Client.ts"
import { CellChoice, CompanyChoice, FilterForm, filterIn, optionsOf, useCompanies } from "./Filters.tsx"
import { Link, type ScreenProps, setQuery } from "./Navigation.tsx"

type Found = Awaited<ReturnType<typeof api.seguros.listar.query>>
type State = Found["items"][number]["estado"]

const filters = ["celda", "empresa_id", "estado"] as const

const stateNames: Readonly<Record<State, string>> = {
  iniciada: "Iniciado",
  otp_enviado: "Código enviado",
  otp_validado: "Código validado",
  plan_confirmado: "Plan elegido",
  cotizado: "Cotizado",
  cobrando: "Cobrando",
  emitiendo: "Emitiendo",
  emitida: "Emitido",
  fallida: "Fallido"
}

const toneOf = (state: State): Tone =>
  state === "emitida"
    ? "good"
    : state === "fallida"
      ? "bad"
      : state === "cobrando" || state === "emitiendo"
        ? "warn"
        : "plain"

const States = ({ found: { estados } }: { found: Found }) => (
  <Table
    caption="Seguros por estado"
    showCaption
    rows={estados}
    keyOf={({ estado }) => estado}
    empty="Todavía no hay seguros."
    columns={[
      { title: "Estado", cell: ({ estado }) => stateNames[estado] },
      { title: "Seguros", isNumber: true, cell: ({ seguros }) => count(seguros) }
    ]}
  />
)

const List = ({ items, nameOf }: { items: Found["items"]; nameOf: (id: number) => string }) => (
  <Table
    caption="Seguros, el más reciente primero"
    rows={items}
    keyOf={({ seguro_id }) => seguro_id}
    empty="Ningún seguro coincide."
    columns={[
      { title: "N.º", isNumber: true, cell: ({ seguro_id }) => seguro_id },
      { title: "Creado", cell: ({ created_at }) => dateTime(created_at) },
      { title: "Empresa", cell: ({ empresa_id }) => <Link to={`/empresas/${empresa_id}`}>{nameOf(empresa_id)}</Link> },
      { title: "Estado", cell: ({ estado }) => <Badge tone={toneOf(estado)}>{stateNames[estado]}</Badge> },
      { title: "Placa", cell: ({ placa }) => placa },
      { title: "Titular", cell: ({ titular }) => titular },
      { title: "Teléfono", cell: ({ telefono }) => telefono },
      {
        title: "Vehículo",
        cell: ({ vehiculo: { anio, chasis, marca, modelo } }) => (
          <>
            {marca} {modelo} {anio}
            <br />
            <small>Chasis {chasis}</small>
          </>
        )
      },
      { title: "Plan", cell: ({ plan }) => plan ?? "—" },
      { title: "Prima", isNumber: true, cell: ({ prima }) => (prima === null ? "—" : pesos(prima)) },
      {
        title: "Venta",
        isNumber: true,
        cell: ({ transaction_id }) =>
          transaction_id === null ? "—" : <Link to={`/transacciones/${transaction_id}`}>{transaction_id}</Link>
      },
      {
        title: "Póliza",
        cell: ({ poliza }) =>
          poliza === null ? (
            "—"
          ) : (
            <>
              {poliza.numero}
              <br />
              <small>
                {day(poliza.desde)} a {day(poliza.hasta)}
              </small>
            </>
          )
      }
    ]}
  />
)

/** Insurances of all companies by state. Personal data is masked. */
export const InsurancesPage = ({ query }: ScreenProps) => {
  const companies = useCompanies()
  // The filters in the address are plain texts. The server checks their values.
  const wanted = filterIn(query, [...filters, "page"]) as Parameters<typeof api.seguros.listar.query>[0]
  const { data, error, reload } = useLive(() => api.seguros.listar.query(wanted), query.toString())
  return (
    <>
      <FilterForm>
        <CompanyChoice companies={companies} query={query} />
        <CellChoice companies={companies} query={query} />
        <Choice name="estado" label="Estado" options={optionsOf(stateNames)} value={query.get("estado") ?? ""} />
      </FilterForm>
      {error !== undefined && <Failed message={faultOf(error).message} retry={reload} />}
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined && (
        <>
          {data.ilegibles.length > 0 && (
            <p class="wrong">Esta versión no puede leer estos seguros: {data.ilegibles.join(", ")}.</p>
          )}
          <List items={data.items} nameOf={companies.nameOf} />
          <Pager
            page={data.pagination.page}
            pages={data.pagination.total_pages}
            onPage={(page) => setQuery({ page: String(page) })}
          />
          <States found={data} />
        </>
      )}
    </>
  )
}
