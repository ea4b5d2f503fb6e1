import { useState } from "preact/hooks"
import { Badge } from "../ui/Badge.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Choice, Field, Form } from "../ui/Form.tsx"
import { pesos } from "../ui/Format.ts"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { type Column, Pager, Table } from "../ui/Table.tsx"
import { api, faultOf } from "./Client.ts"
import { goTo, Link, type ScreenProps, setQuery } from "./Navigation.tsx"
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

const states = [
  { value: "", label: "Todos" },
  { value: "activa", label: "Activa" },
  { value: "vip", label: "VIP" },
  { value: "suspendida", label: "Suspendida" }
]

type Listed = Awaited<ReturnType<typeof api.empresas.saldos.query>>["items"][number]

const columns: ReadonlyArray<Column<Listed>> = [
  { title: "N.º", isNumber: true, cell: ({ empresa_id }) => empresa_id, sortBy: ({ empresa_id }) => empresa_id },
  {
    title: "Empresa",
    cell: ({ empresa_id, razon_social }) => <Link to={`/empresas/${empresa_id}`}>{razon_social}</Link>,
    sortBy: ({ razon_social }) => razon_social
  },
  { title: "Código", cell: ({ codigo_empresa }) => codigo_empresa, sortBy: ({ codigo_empresa }) => codigo_empresa },
  { title: "RNC", cell: ({ rnc }) => rnc ?? "—" },
  {
    title: "Ambiente",
    cell: ({ ambiente }) => (ambiente === "production" ? "Producción" : "Pruebas"),
    sortBy: ({ ambiente }) => ambiente
  },
  {
    title: "Estado",
    cell: ({ estado, saldo_bajo }) => (
      <>
        <Badge tone={estado === "suspendida" ? "bad" : "good"}>{estado}</Badge>{" "}
        {saldo_bajo && <Badge tone="warn">saldo bajo</Badge>}
      </>
    ),
    sortBy: ({ estado }) => estado
  },
  ...(
    [
      ["Disponible", "saldo_disponible"],
      ["Retenido", "saldo_retenido"],
      ["Consumo de hoy", "consumo_hoy"]
    ] as const
  ).map(([title, field]) => ({
    title,
    isNumber: true,
    cell: (row: Listed) => pesos(row[field]),
    sortBy: (row: Listed) => row[field]
  }))
]

const stateIn = (query: URLSearchParams): Listed["estado"] | undefined => {
  const state = query.get("estado")
  return state === "activa" || state === "vip" || state === "suspendida" ? state : undefined
}

const refresh_s = 30

export const CompaniesPage = ({ query }: ScreenProps) => {
  const buscar = query.get("buscar") ?? ""
  const estado = stateIn(query)
  const page = Number(query.get("pagina") ?? 1)
  const filter = { ...(buscar !== "" && { buscar }), ...(estado && { estado }) }
  const { data, error, reload } = useLive(
    () => api.empresas.saldos.query({ ...filter, page }),
    JSON.stringify([filter, page]),
    refresh_s
  )
  const [isCreating, setCreating] = useState(false)
  const mayCreate = useMay("company")
  return (
    <>
      <div class="filters">
        <Field
          name="buscar"
          label="Buscar"
          hint="Nombre, código, RNC o número."
          type="search"
          value={buscar}
          onInput={(sought) => setQuery({ buscar: sought, pagina: "" })}
        />
        <Choice
          name="estado"
          label="Estado"
          options={states}
          value={estado ?? ""}
          onInput={(chosen) => setQuery({ estado: chosen, pagina: "" })}
        />
        {mayCreate && (
          <button type="button" onClick={() => setCreating(true)}>
            Empresa nueva
          </button>
        )}
        <a class="button" href={`/exportar/empresas?${new URLSearchParams(filter)}`} download>
          Descargar CSV
        </a>
      </div>
      {data === undefined ? (
        error === undefined ? (
          <Loading />
        ) : (
          <Failed message={faultOf(error).message} retry={reload} />
        )
      ) : (
        <>
          <Table
            caption="Empresas"
            rows={data.items}
            keyOf={({ empresa_id }) => empresa_id}
            empty="Ninguna empresa coincide."
            columns={columns}
          />
          <Pager
            page={page}
            pages={data.pagination.total_pages}
            onPage={(next) => setQuery({ pagina: next === 1 ? "" : String(next) })}
          />
        </>
      )}
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </>
  )
}
