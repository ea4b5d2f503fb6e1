import { Badge } from "../ui/Badge.tsx"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { Table } from "../ui/Table.tsx"
import { api, faultOf } from "./Client.ts"
import { Link } from "./Navigation.tsx"

export const CompaniesPage = () => {
  const { data, error, reload } = useLive(() => api.empresas.listar.query({}), "empresas")
  if (data === undefined)
    return error === undefined ? <Loading /> : <Failed message={faultOf(error).message} retry={reload} />
  return (
    <Table
      caption="Empresas"
      rows={data}
      keyOf={({ empresa_id }) => empresa_id}
      empty="Todavía no hay empresas."
      columns={[
        { title: "N.º", isNumber: true, cell: ({ empresa_id }) => empresa_id, sortBy: ({ empresa_id }) => empresa_id },
        {
          title: "Empresa",
          cell: ({ empresa_id, razon_social }) => <Link to={`/empresas/${empresa_id}`}>{razon_social}</Link>,
          sortBy: ({ razon_social }) => razon_social
        },
        {
          title: "Código",
          cell: ({ codigo_empresa }) => codigo_empresa,
          sortBy: ({ codigo_empresa }) => codigo_empresa
        },
        {
          title: "Estado",
          cell: ({ estado }) => <Badge tone={estado === "suspendida" ? "bad" : "good"}>{estado}</Badge>
        }
      ]}
    />
  )
}
