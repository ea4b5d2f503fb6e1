import { Choice, Field, Form } from "../ui/Form.tsx"
import { dateTime } from "../ui/Format.ts"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { Table } from "../ui/Table.tsx"
import { actionName, auditActions } from "./AuditActions.ts"
import { api, faultOf } from "./Client.ts"
import { Link, type ScreenProps, setQuery } from "./Navigation.tsx"

type Event = Awaited<ReturnType<typeof api.auditoria.listar.query>>["items"][number]

const places = { console: "consola", cli: "línea de comandos", server: "servicio" } as const

const filters = [
  "operador",
  "accion",
  "empresa_id",
  "transaction_id",
  "via",
  "direccion",
  "date_from",
  "date_to",
  "antes_de"
] as const

const all = { value: "", label: "Todas" }

const actionOptions = [
  all,
  ...Object.entries(auditActions)
    .map(([value, label]) => ({ value, label }))
    .sort((left, right) => left.label.localeCompare(right.label, "es"))
]

const placeOptions = [all, ...Object.entries(places).map(([value, label]) => ({ value, label }))]

type Facts = Event["detalles"]

const isFacts = (value: unknown): value is Facts => typeof value === "object" && value !== null && !Array.isArray(value)

const text = (value: unknown): string => {
  if (value === undefined || value === null) return "—"
  return typeof value === "string" ? value : JSON.stringify(value)
}

/** The facts of an event as names and texts. A change shows each changed field before and after. */
const factsOf = ({ after, before, ...others }: Facts): ReadonlyArray<readonly [string, string]> => {
  const plain = Object.entries(others).map(([name, value]) => [name, text(value)] as const)
  if (!(isFacts(before) && isFacts(after))) {
    const change = Object.entries({ before, after }).filter(([, value]) => value !== undefined)
    return [...plain, ...change.map(([name, value]) => [name === "before" ? "antes" : "después", text(value)] as const)]
  }
  const changed = Object.keys({ ...before, ...after }).filter((name) => text(before[name]) !== text(after[name]))
  return [...plain, ...changed.map((name) => [name, `${text(before[name])} → ${text(after[name])}`] as const)]
}

const Details = ({ details }: { details: Facts }) => {
  const facts = factsOf(details)
  if (facts.length === 0) return <>—</>
  return (
    <details>
      <summary>Ver</summary>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

const Events = ({ items }: { items: ReadonlyArray<Event> }) => (
  <Table
    caption="Registro de auditoría, lo más reciente primero"
    rows={items}
    keyOf={({ id }) => id}
    empty="No hay eventos con estos filtros."
    columns={[
      { title: "Fecha", cell: ({ fecha }) => dateTime(fecha) },
      { title: "Acción", cell: ({ accion }) => actionName(accion) },
      { title: "Operador", cell: ({ operador }) => operador ?? "—" },
      { title: "Vía", cell: ({ via }) => (via === null ? "—" : places[via]) },
      { title: "Dirección", cell: ({ direccion }) => direccion ?? "—" },
      {
        title: "Empresa",
        isNumber: true,
        cell: ({ empresa_id }) => (empresa_id === null ? "—" : <Link to={`/empresas/${empresa_id}`}>{empresa_id}</Link>)
      },
      {
        title: "Transacción",
        isNumber: true,
        cell: ({ transaction_id }) =>
          transaction_id === null ? "—" : <Link to={`/transacciones/${transaction_id}`}>{transaction_id}</Link>
      },
      { title: "Token", isNumber: true, cell: ({ token_id }) => token_id ?? "—" },
      { title: "Detalles", cell: ({ detalles }) => <Details details={detalles} /> }
    ]}
  />
)

const FilterForm = ({ query }: Pick<ScreenProps, "query">) => {
  const given = (name: string) => query.get(name) ?? ""
  return (
    <Form
      key={query.toString()}
      action="Buscar"
      faultOf={faultOf}
      onSubmit={async (values) => setQuery({ ...values, antes_de: undefined })}
    >
      {() => (
        <div class="filters">
          <Field name="operador" label="Operador" value={given("operador")} maxLength={80} />
          <Choice name="accion" label="Acción" options={actionOptions} value={given("accion")} />
          <Field name="empresa_id" label="Empresa (N.º)" inputMode="numeric" value={given("empresa_id")} />
          <Field name="transaction_id" label="Transacción (N.º)" inputMode="numeric" value={given("transaction_id")} />
          <Choice name="via" label="Vía" options={placeOptions} value={given("via")} />
          <Field name="direccion" label="Dirección" value={given("direccion")} maxLength={200} />
          <Field name="date_from" label="Desde" type="date" value={given("date_from")} />
          <Field name="date_to" label="Hasta" type="date" value={given("date_to")} />
        </div>
      )}
    </Form>
  )
}

/** The page with the audit log: the actions of operators and of the service. */
export const AuditPage = ({ query }: ScreenProps) => {
  const filter = Object.fromEntries(
    filters.flatMap((name) => {
      const value = query.get(name)
      return value === null || value === "" ? [] : [[name, value]]
    })
  )
  // The filters in the address are plain texts. The server checks their values.
  const { data, error, reload } = useLive(
    () => api.auditoria.listar.query(filter as Parameters<typeof api.auditoria.listar.query>[0]),
    query.toString()
  )
  return (
    <>
      <FilterForm query={query} />
      {error !== undefined && <Failed message={faultOf(error).message} retry={reload} />}
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined && (
        <>
          <Events items={data.items} />
          <div class="buttons">
            {query.has("antes_de") && (
              <button type="button" onClick={() => setQuery({ antes_de: undefined })}>
                Lo más reciente
              </button>
            )}
            {data.siguiente !== null && (
              <button type="button" onClick={() => setQuery({ antes_de: String(data.siguiente) })}>
                Anteriores
              </button>
            )}
          </div>
        </>
      )}
    </>
  )
}
