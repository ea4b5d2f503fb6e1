import { useState } from "preact/hooks"
import { Badge } from "../ui/Badge.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Choice, Field, Form } from "../ui/Form.tsx"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { Table } from "../ui/Table.tsx"
import { api, faultOf } from "./Client.ts"
import { goTo, Link, setQuery } from "./Navigation.tsx"
import type { ScreenProps } from "./Screens.tsx"
import { useMay } from "./Session.ts"

const environments = [
  { value: "production", label: "Producción" },
  { value: "development", label: "Pruebas (simulador)" }
]

const CreateDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Empresa nueva" onClose={onClose}>
    <Form
      action="Crear"
      faultOf={faultOf}
      onSubmit={async ({ ambiente, codigo_empresa = "", razon_social = "", rnc = "" }) => {
        const { empresa_id } = await api.empresas.crear.mutate({
          razon_social,
          codigo_empresa,
          ambiente: ambiente === "production" ? "production" : "development",
          ...(rnc !== "" && { rnc })
        })
        goTo(`/empresas/${empresa_id}`)
      }}
    >
      {(fault) => (
        <>
          <Field name="razon_social" label="Razón social" required maxLength={200} fault={fault} />
          <Field name="codigo_empresa" label="Código" hint="Corto y único." required maxLength={50} fault={fault} />
          <Field name="rnc" label="RNC" hint="Opcional: 9 dígitos, u 11 de una persona." fault={fault} />
          <Choice name="ambiente" label="Ambiente" options={environments} fault={fault} />
        </>
      )}
    </Form>
  </Dialog>
)

const folded = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()

export const CompaniesPage = ({ query }: ScreenProps) => {
  const { data, error, reload } = useLive(() => api.empresas.listar.query({}), "empresas")
  const [isCreating, setCreating] = useState(false)
  const mayCreate = useMay("company")
  const sought = folded(query.get("buscar") ?? "")
  if (data === undefined)
    return error === undefined ? <Loading /> : <Failed message={faultOf(error).message} retry={reload} />
  const found = data.filter(({ codigo_empresa, empresa_id, razon_social, rnc }) =>
    folded(`${empresa_id} ${razon_social} ${codigo_empresa} ${rnc ?? ""}`).includes(sought)
  )
  return (
    <>
      <div class="filters">
        <Field
          name="buscar"
          label="Buscar"
          type="search"
          value={query.get("buscar") ?? ""}
          onInput={(buscar) => setQuery({ buscar })}
        />
        {mayCreate && (
          <button type="button" onClick={() => setCreating(true)}>
            Empresa nueva
          </button>
        )}
      </div>
      <Table
        caption="Empresas"
        rows={found}
        keyOf={({ empresa_id }) => empresa_id}
        empty={data.length === 0 ? "Todavía no hay empresas." : "Ninguna empresa coincide."}
        columns={[
          {
            title: "N.º",
            isNumber: true,
            cell: ({ empresa_id }) => empresa_id,
            sortBy: ({ empresa_id }) => empresa_id
          },
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
          { title: "RNC", cell: ({ rnc }) => rnc ?? "—" },
          {
            title: "Ambiente",
            cell: ({ ambiente }) => (ambiente === "production" ? "Producción" : "Pruebas"),
            sortBy: ({ ambiente }) => ambiente
          },
          {
            title: "Estado",
            cell: ({ estado }) => <Badge tone={estado === "suspendida" ? "bad" : "good"}>{estado}</Badge>,
            sortBy: ({ estado }) => estado
          }
        ]}
      />
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </>
  )
}
