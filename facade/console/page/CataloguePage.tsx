import { useState } from "preact/hooks"
import { Badge } from "../ui/Badge.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Choice, Field, Form } from "../ui/Form.tsx"
import { pesos } from "../ui/Format.ts"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { Table } from "../ui/Table.tsx"
import { toast } from "../ui/Toast.tsx"
import { CatalogueImport } from "./CatalogueImport.tsx"
import { api, faultOf } from "./Client.ts"
import { type ScreenProps, setQuery } from "./Navigation.tsx"
import { typeNames } from "./SaleParts.tsx"
import { useMay } from "./Session.ts"

type Service = Awaited<ReturnType<typeof api.catalogo.listar.query>>["servicios"][number]

/** The change that the operator has asked for: offering or withdrawing a service for one company, or for all. */
interface Wanted {
  readonly service: Service
  readonly companyId: number | undefined
}

const textOf = ({ companyId, service: { activo, habilitado, nombre } }: Wanted) => {
  if (companyId === undefined)
    return activo
      ? { action: "Retirar de todas", text: `Ninguna empresa podrá vender ${nombre}.`, isOn: false }
      : { action: "Ofrecer a todas", text: `Las empresas podrán vender ${nombre} otra vez.`, isOn: true }
  return habilitado === true
    ? { action: "Retener", text: `La empresa ${companyId} no podrá vender ${nombre}.`, isOn: false }
    : { action: "Habilitar", text: `La empresa ${companyId} podrá vender ${nombre}.`, isOn: true }
}

const SwitchDialog = ({ onClose, wanted }: { wanted: Wanted; onClose: () => void }) => {
  const { action, isOn, text } = textOf(wanted)
  const { companyId, service } = wanted
  return (
    <Dialog title={service.nombre} onClose={onClose}>
      <Form
        action={action}
        isDangerous={!isOn}
        faultOf={faultOf}
        onSubmit={async () => {
          const { service_id } = service
          if (companyId === undefined) await api.catalogo.ofrecer.mutate({ service_id, activo: isOn })
          else await api.catalogo.habilitar.mutate({ empresa_id: companyId, service_id, habilitado: isOn })
          toast("Guardado.")
          onClose()
        }}
      >
        {() => <p>{text}</p>}
      </Form>
    </Dialog>
  )
}

const bound = (amount: number): string => (amount === 0 ? "—" : pesos(amount))

interface ServicesProps {
  readonly services: ReadonlyArray<Service>
  readonly companyId: number | undefined
  readonly onWant: (wanted: Wanted) => void
}

const Services = ({ companyId, onWant, services }: ServicesProps) => {
  const mayChange = useMay("catalogue")
  const states = ({ activo, habilitado }: Service) => (
    <>
      <Badge tone={activo ? "good" : "bad"}>{activo ? "ofrecido" : "retirado"}</Badge>{" "}
      {habilitado === false && <Badge tone="warn">no disponible para la empresa</Badge>}
    </>
  )
  return (
    <Table
      caption="Servicios"
      rows={services}
      keyOf={({ service_id }) => service_id}
      empty="Ningún servicio coincide."
      columns={[
        { title: "N.º", isNumber: true, cell: ({ service_id }) => service_id, sortBy: ({ service_id }) => service_id },
        { title: "Servicio", cell: ({ nombre }) => nombre, sortBy: ({ nombre }) => nombre },
        { title: "Categoría", cell: ({ categoria }) => categoria, sortBy: ({ categoria }) => categoria },
        { title: "Tipo", cell: ({ tipo }) => typeNames[tipo], sortBy: ({ tipo }) => typeNames[tipo] },
        { title: "Mínimo", isNumber: true, cell: ({ monto_minimo }) => bound(monto_minimo) },
        { title: "Máximo", isNumber: true, cell: ({ monto_maximo }) => bound(monto_maximo) },
        { title: "Estado", cell: states },
        ...(mayChange
          ? [
              {
                title: "Cambiar",
                cell: (service: Service) => (
                  <button type="button" onClick={() => onWant({ service, companyId })}>
                    {textOf({ service, companyId }).action}
                  </button>
                )
              }
            ]
          : [])
      ]}
    />
  )
}

const Filters = ({ query }: { query: URLSearchParams }) => {
  const { data: companies = [] } = useLive(() => api.empresas.listar.query({}), "empresas")
  const options = companies.map(({ empresa_id, razon_social }) => ({ value: String(empresa_id), label: razon_social }))
  return (
    <>
      <Field
        name="buscar"
        label="Buscar"
        type="search"
        value={query.get("buscar") ?? ""}
        onInput={(buscar) => setQuery({ buscar })}
      />
      <Choice
        name="empresa_id"
        label="Empresa"
        options={[{ value: "", label: "Todas" }, ...options]}
        value={query.get("empresa_id") ?? ""}
        onInput={(empresa_id) => setQuery({ empresa_id })}
      />
    </>
  )
}

const matches = (text: string, sought: string): boolean => text.toLowerCase().includes(sought.toLowerCase())

/** The catalogue, or what one company may sell of it. */
export const CataloguePage = ({ query }: ScreenProps) => {
  const chosen = query.get("empresa_id") ?? ""
  const companyId = chosen === "" ? undefined : Number(chosen)
  const { data, error, reload } = useLive(
    () => api.catalogo.listar.query(companyId === undefined ? {} : { empresa_id: companyId }),
    chosen
  )
  const [wanted, setWanted] = useState<Wanted>()
  const [isImporting, setImporting] = useState(false)
  const mayImport = useMay("catalogue")
  const sought = query.get("buscar") ?? ""
  return (
    <>
      <div class="filters">
        <Filters query={query} />
        {mayImport && (
          <button type="button" onClick={() => setImporting(true)}>
            Importar un archivo
          </button>
        )}
        <a class="button" href="/exportar/catalogo" download>
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
        <Services
          companyId={companyId}
          onWant={setWanted}
          services={data.servicios.filter(({ categoria, nombre }) => matches(`${nombre} ${categoria}`, sought))}
        />
      )}
      {wanted && (
        <SwitchDialog
          wanted={wanted}
          onClose={() => {
            setWanted(undefined)
            reload()
          }}
        />
      )}
      {isImporting && (
        <CatalogueImport
          onClose={() => {
            setImporting(false)
            reload()
          }}
        />
      )}
    </>
  )
}
