import type { ComponentChildren } from "preact"
import { Choice, Form } from "../ui/Form.tsx"
import { useLive } from "../ui/Live.ts"
import { api, faultOf } from "./Client.ts"
import { setQuery } from "./Navigation.tsx"

/** The options of a choice, made from the name of each value. The first option stands for all values. */
export const optionsOf = (names: Readonly<Record<string, string>>, all = "Todos") => [
  { value: "", label: all },
  ...Object.entries(names).map(([value, label]) => ({ value, label }))
]

/**
 * The names of the companies by id, loaded once. `nameOf` returns the id until the names are loaded, and for
 * an unknown company.
 */
export const useCompanies = () => {
  const { data = [] } = useLive(() => api.empresas.listar.query({}), "empresas")
  const names = new Map(data.map(({ empresa_id, razon_social }) => [empresa_id, razon_social]))
  return {
    cells: [...new Set(data.map(({ celda }) => celda))].sort(),
    nameOf: (id: number): string => names.get(id) ?? `Empresa ${id}`,
    options: [
      { value: "", label: "Todas" },
      ...data.map(({ empresa_id, razon_social }) => ({ value: String(empresa_id), label: razon_social }))
    ]
  }
}

/** The values of the given names in the query of an address, without empty values. */
export const filterIn = (query: URLSearchParams, names: ReadonlyArray<string>): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = query.get(name)
      return value === null || value === "" ? [] : [[name, value]]
    })
  )

/** A form with the filters of a list. It writes them into the address, and the list starts at its first page. */
export const FilterForm = ({ children }: { children: ComponentChildren }) => (
  <Form action="Filtrar" faultOf={faultOf} onSubmit={async (values) => setQuery({ ...values, page: undefined })}>
    {() => <div class="filters">{children}</div>}
  </Form>
)

interface CompanyChoiceProps {
  readonly companies: ReturnType<typeof useCompanies>
  readonly query: URLSearchParams
}

/** The filter by company. When the names arrive, the new `key` renders it again with the company selected. */
export const CompanyChoice = ({ companies: { options }, query }: CompanyChoiceProps) => (
  <Choice
    key={options.length}
    name="empresa_id"
    label="Empresa"
    options={options}
    value={query.get("empresa_id") ?? ""}
  />
)

/** The filter by cell. Only shown if the companies are in several cells. */
export const CellChoice = ({ companies: { cells }, query }: CompanyChoiceProps) =>
  cells.length > 1 ? (
    <Choice
      key={cells.length}
      name="celda"
      label="Celda"
      options={[{ value: "", label: "Todas" }, ...cells.map((cell) => ({ value: cell, label: cell }))]}
      value={query.get("celda") ?? ""}
    />
  ) : null
