import { Choice, Field, Form } from "../ui/Form.tsx"
import { count, dateTime, pesos } from "../ui/Format.ts"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { Pager, Table } from "../ui/Table.tsx"
import { api, faultOf } from "./Client.ts"
import { CellChoice, CompanyChoice, filterIn, optionsOf, useCompanies } from "./Filters.tsx"
import { Link, type ScreenProps, setQuery } from "./Navigation.tsx"
import { StatusBadge, statusNames, typeNames } from "./SaleParts.tsx"

type Companies = ReturnType<typeof useCompanies>
type Found = Awaited<ReturnType<typeof api.transacciones.listar.query>>

const filters = [
  "buscar",
  "celda",
  "empresa_id",
  "estado",
  "servicio_id",
  "tipo",
  "terminal",
  "date_from",
  "date_to"
] as const

const SearchForm = ({ companies, query }: { companies: Companies } & Pick<ScreenProps, "query">) => {
  const given = (name: (typeof filters)[number]) => query.get(name) ?? ""
  return (
    <Form
      key={query.toString()}
      action="Buscar"
      faultOf={faultOf}
      onSubmit={async (values) => setQuery({ ...values, page: undefined })}
    >
      {() => (
        <>
          <Field
            name="buscar"
            type="search"
            label="Buscar"
            hint="Número, xid, clave (Idempotency-Key), identificador o teléfono, en cualquier forma."
            value={given("buscar")}
            maxLength={200}
          />
          <div class="filters">
            <CompanyChoice companies={companies} query={query} />
            <CellChoice companies={companies} query={query} />
            <Choice name="estado" label="Estado" options={optionsOf(statusNames)} value={given("estado")} />
            <Choice name="tipo" label="Tipo de servicio" options={optionsOf(typeNames)} value={given("tipo")} />
            <Field name="servicio_id" label="Servicio (N.º)" inputMode="numeric" value={given("servicio_id")} />
            <Field name="terminal" label="Terminal" value={given("terminal")} maxLength={50} />
            <Field name="date_from" label="Desde" type="date" value={given("date_from")} />
            <Field name="date_to" label="Hasta" type="date" value={given("date_to")} />
          </div>
        </>
      )}
    </Form>
  )
}

const Sales = ({ companies, found: { items } }: { companies: Companies; found: Found }) => (
  <Table
    caption="Transacciones, la más reciente primero"
    rows={items}
    keyOf={({ transaction_id }) => transaction_id}
    empty="Ninguna transacción coincide."
    columns={[
      {
        title: "N.º",
        isNumber: true,
        cell: ({ transaction_id }) => <Link to={`/transacciones/${transaction_id}`}>{transaction_id}</Link>
      },
      { title: "Fecha", cell: ({ created_at }) => dateTime(created_at) },
      {
        title: "Empresa",
        cell: ({ empresa_id }) => <Link to={`/empresas/${empresa_id}`}>{companies.nameOf(empresa_id)}</Link>
      },
      { title: "Servicio", cell: ({ service }) => service.nombre },
      { title: "Identificador", cell: ({ identifier }) => identifier },
      { title: "Monto", isNumber: true, cell: ({ amount }) => pesos(amount) },
      { title: "Estado", cell: ({ status }) => <StatusBadge status={status} /> },
      { title: "Terminal", cell: ({ terminal_id }) => terminal_id ?? "—" }
    ]}
  />
)

const Totals = ({ ilegibles, pagination: { total } }: Found) => (
  <>
    <p>{total === null ? "Hay más páginas." : total === 1 ? "1 transacción." : `${count(total)} transacciones.`}</p>
    {ilegibles.length > 0 && (
      <p class="wrong">Esta versión no puede leer estas transacciones, que no cambiaron: {ilegibles.join(", ")}.</p>
    )}
  </>
)

/** Finds sales of all companies. */
export const TransactionsPage = ({ query }: ScreenProps) => {
  const companies = useCompanies()
  const filter = filterIn(query, filters)
  // The filters in the address are plain texts. The server checks their values.
  const wanted = filterIn(query, [...filters, "page"]) as Parameters<typeof api.transacciones.listar.query>[0]
  const { data, error, reload } = useLive(() => api.transacciones.listar.query(wanted), query.toString())
  return (
    <>
      <SearchForm companies={companies} query={query} />
      {error !== undefined && <Failed message={faultOf(error).message} retry={reload} />}
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined && (
        <>
          <Totals {...data} />
          <Sales companies={companies} found={data} />
          <Pager
            page={data.pagination.page}
            pages={data.pagination.total_pages}
            onPage={(page) => setQuery({ page: String(page) })}
          />
          <div class="buttons">
            <a class="button" href={`/exportar/transacciones?${new URLSearchParams(filter)}`} download>
              Descargar CSV
            </a>
          </div>
        </>
      )}
    </>
  )
}
