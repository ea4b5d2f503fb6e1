import { useState } from "preact/hooks"
import { Badge } from "../ui/Badge.tsx"
import { Choice } from "../ui/Form.tsx"
import { count, dateTime } from "../ui/Format.ts"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { Pager, Table } from "../ui/Table.tsx"
import { type Case, CaseBadge, kindNames, providers, sideText, stateNames } from "./CaseParts.tsx"
import { api, faultOf } from "./Client.ts"
import { FilterForm, filterIn, optionsOf } from "./Filters.tsx"
import { Link, type ScreenProps, setQuery } from "./Navigation.tsx"
import { useMay } from "./Session.ts"
import { StatementDialog } from "./StatementDialog.tsx"

type Float = Awaited<ReturnType<typeof api.casos.saldos.query>>[number]

const filters = ["proveedor", "tipo", "estado"] as const

const floatStates = { actual: "Actual", antigua: "Antigua", fallida: "Sin respuesta" } as const
const floatTones = { actual: "good", antigua: "warn", fallida: "bad" } as const

const floatText = ({ saldos }: Float): string =>
  saldos.length === 0
    ? "El proveedor no informa su saldo"
    : saldos
        .map(
          ({ bajo, disponible, retenido, unidad }) =>
            `${count(disponible)} ${unidad}${retenido === 0 ? "" : ` (${count(retenido)} retenidos)`}${bajo ? ", bajo" : ""}`
        )
        .join("; ")

const Floats = () => {
  const { data, error, reload } = useLive(() => api.casos.saldos.query({}), "saldos", 60)
  if (data === undefined)
    return error === undefined ? <Loading /> : <Failed message={faultOf(error).message} retry={reload} />
  return (
    <Table
      caption="Saldo con cada proveedor"
      showCaption
      rows={data}
      keyOf={({ proveedor }) => proveedor}
      empty="Todavía no se ha leído el saldo con ningún proveedor."
      columns={[
        { title: "Proveedor", cell: ({ proveedor }) => providers[proveedor] },
        { title: "Disponible", cell: floatText },
        { title: "Lectura", cell: ({ estado }) => <Badge tone={floatTones[estado]}>{floatStates[estado]}</Badge> },
        { title: "Leído", cell: ({ leido }) => (leido === null ? "—" : dateTime(leido)) }
      ]}
    />
  )
}

const List = ({ items }: { items: ReadonlyArray<Case> }) => (
  <Table
    caption="Diferencias con los extractos, la más reciente primero"
    showCaption
    rows={items}
    keyOf={({ caso_id }) => caso_id}
    empty="No hay casos con estos filtros."
    columns={[
      { title: "Caso", isNumber: true, cell: ({ caso_id }) => <Link to={`/casos/${caso_id}`}>{caso_id}</Link> },
      { title: "Diferencia", cell: ({ tipo }) => kindNames[tipo] },
      { title: "Estado", cell: ({ estado }) => <CaseBadge estado={estado} /> },
      { title: "Proveedor", cell: ({ proveedor }) => providers[proveedor] },
      { title: "Referencia", cell: ({ referencia }) => referencia },
      {
        title: "Transacción",
        isNumber: true,
        cell: ({ transaction_id }) =>
          transaction_id === null ? "—" : <Link to={`/transacciones/${transaction_id}`}>{transaction_id}</Link>
      },
      { title: "Saldo dice", cell: ({ nuestro }) => sideText(nuestro) },
      { title: "El proveedor dice", cell: ({ suyo }) => sideText(suyo) },
      { title: "Encontrado", cell: ({ encontrado }) => dateTime(encontrado) },
      {
        title: "Ya no aparece",
        cell: ({ ya_no_aparece }) => (ya_no_aparece === null ? "—" : dateTime(ya_no_aparece))
      }
    ]}
  />
)

/** The differences between statements of providers and the sales. Also shows the balance at each provider. */
export const CasesPage = ({ query }: ScreenProps) => {
  // The filters in the address are plain texts. The server checks their values.
  const wanted = filterIn(query, [...filters, "page"]) as Parameters<typeof api.casos.listar.query>[0]
  const { data, error, reload } = useLive(() => api.casos.listar.query(wanted), query.toString())
  const [isComparing, setComparing] = useState(false)
  const mayCompare = useMay("case")
  const given = (name: (typeof filters)[number]) => query.get(name) ?? ""
  return (
    <>
      <FilterForm>
        <Choice name="estado" label="Estado" options={optionsOf(stateNames)} value={given("estado")} />
        <Choice name="tipo" label="Diferencia" options={optionsOf(kindNames, "Todas")} value={given("tipo")} />
        <Choice name="proveedor" label="Proveedor" options={optionsOf(providers)} value={given("proveedor")} />
      </FilterForm>
      {mayCompare && (
        <div class="buttons">
          <button type="button" onClick={() => setComparing(true)}>
            Comparar un extracto
          </button>
        </div>
      )}
      {isComparing && <StatementDialog onClose={() => setComparing(false)} onDone={reload} />}
      {error !== undefined && <Failed message={faultOf(error).message} retry={reload} />}
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined && (
        <>
          <List items={data.items} />
          <Pager
            page={data.pagination.page}
            pages={data.pagination.total_pages}
            onPage={(page) => setQuery({ page: String(page) })}
          />
        </>
      )}
      <Floats />
    </>
  )
}
