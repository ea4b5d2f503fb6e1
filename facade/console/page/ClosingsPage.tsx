import { useState } from "preact/hooks"
import { Dialog } from "../ui/Dialog.tsx"
import { Field, Form } from "../ui/Form.tsx"
import { count, day, pesos } from "../ui/Format.ts"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { Pager, Table } from "../ui/Table.tsx"
import { toast } from "../ui/Toast.tsx"
import { api, faultOf } from "./Client.ts"
import { CompanyChoice, FilterForm, filterIn, useCompanies } from "./Filters.tsx"
import { Link, type ScreenProps, setQuery } from "./Navigation.tsx"
import { useMay } from "./Session.ts"

type Closing = Awaited<ReturnType<typeof api.cierres.listar.query>>["items"][number]
type Closed = Awaited<ReturnType<typeof api.cierres.cerrar.mutate>>

const filters = ["empresa_id", "date_from", "date_to"] as const

const closedText = ({ cierres_nuevos, completo, descuadres, en_curso }: Closed): string =>
  [
    cierres_nuevos === 1 ? "1 cierre nuevo." : `${count(cierres_nuevos)} cierres nuevos.`,
    en_curso > 0 ? `Otro proceso está cerrando ${count(en_curso)} días.` : "",
    completo ? "" : "Una celda no responde: los días de sus empresas siguen abiertos. Inténtelo de nuevo.",
    ...descuadres.map(
      ({ dia, empresa_id, problemas }) =>
        `Las cifras de la empresa ${empresa_id} del ${day(dia)} no cuadran: ${problemas.map(({ parte }) => parte).join(", ")}.`
    )
  ]
    .filter((part) => part !== "")
    .join(" ")

const CloseDialog = ({ onClose, onDone }: { onClose: () => void; onDone: () => void }) => (
  <Dialog title="Cerrar días" onClose={onClose}>
    <p>
      Se cierran los días que falten de todas las empresas, hasta el día que indique. Ese día tiene que haber terminado.
      El servicio cierra los días por sí mismo diez minutos después de la medianoche.
    </p>
    <Form
      action="Cerrar"
      faultOf={faultOf}
      onSubmit={async ({ dia = "" }) => {
        const closed = await api.cierres.cerrar.mutate({ dia })
        toast(closedText(closed), { isError: !closed.completo || closed.descuadres.length > 0 })
        onDone()
        onClose()
      }}
    >
      {(fault) => <Field name="dia" label="Hasta el día" type="date" required fault={fault} />}
    </Form>
  </Dialog>
)

type Verified = Awaited<ReturnType<typeof api.cierres.verificar.query>>

const faultNames: Readonly<Record<Verified["rotos"][number]["motivo"], string>> = {
  seal: "El sello no corresponde al contenido",
  gap: "Falta el cierre de un día anterior",
  "previous seal": "No contiene el sello del día anterior",
  opening: "El saldo inicial no es el saldo final del día anterior"
}

const Verification = ({ verified: { cierres, empresas, rotos, rotos_total } }: { verified: Verified }) =>
  rotos_total === 0 ? (
    <p role="status">
      Cierres verificados: {count(cierres)}, de {count(empresas)} {empresas === 1 ? "empresa" : "empresas"}. Todos están
      íntegros.
    </p>
  ) : (
    <>
      <p class="wrong" role="alert">
        {rotos_total === 1 ? "1 cierre está roto" : `${count(rotos_total)} cierres están rotos`}, de {count(cierres)}.
        Avise al responsable del servicio.
      </p>
      <Table
        caption="Cierres rotos"
        rows={rotos}
        keyOf={({ dia, empresa_id }) => `${empresa_id} ${dia}`}
        empty=""
        columns={[
          { title: "Día", cell: ({ dia, empresa_id }) => <Link to={`/cierres/${empresa_id}-${dia}`}>{day(dia)}</Link> },
          { title: "Empresa", isNumber: true, cell: ({ empresa_id }) => empresa_id },
          { title: "Motivo", cell: ({ motivo }) => faultNames[motivo] }
        ]}
      />
    </>
  )

const VerifyDialog = ({ onClose }: { onClose: () => void }) => {
  const [verified, setVerified] = useState<Verified>()
  return (
    <Dialog title="Verificar los sellos" onClose={onClose}>
      <p>
        Cada cierre tiene el sello del cierre anterior. La verificación recorre todos los cierres de todas las empresas,
        del primero al último, y no cambia nada.
      </p>
      <Form
        action="Verificar"
        faultOf={faultOf}
        onSubmit={async () => setVerified(await api.cierres.verificar.query({}))}
      >
        {() => null}
      </Form>
      {verified && <Verification verified={verified} />}
    </Dialog>
  )
}

const List = ({ items, nameOf }: { items: ReadonlyArray<Closing>; nameOf: (id: number) => string }) => (
  <Table
    caption="Cierres diarios, el más reciente primero"
    rows={items}
    keyOf={({ dia, empresa_id }) => `${empresa_id} ${dia}`}
    empty="No hay cierres con estos filtros."
    columns={[
      {
        title: "Día",
        cell: ({ dia, empresa_id }) => <Link to={`/cierres/${empresa_id}-${dia}`}>{day(dia)}</Link>
      },
      { title: "Empresa", cell: ({ empresa_id }) => <Link to={`/empresas/${empresa_id}`}>{nameOf(empresa_id)}</Link> },
      { title: "Saldo inicial", isNumber: true, cell: ({ saldo_inicial }) => pesos(saldo_inicial) },
      { title: "Depósitos", isNumber: true, cell: ({ depositos }) => pesos(depositos.monto) },
      { title: "Ventas", isNumber: true, cell: ({ ventas }) => pesos(ventas.monto) },
      { title: "Anulaciones", isNumber: true, cell: ({ anulaciones }) => pesos(anulaciones.monto) },
      { title: "Ajustes", isNumber: true, cell: ({ ajustes }) => pesos(ajustes.monto) },
      { title: "Saldo final", isNumber: true, cell: ({ saldo_final }) => pesos(saldo_final) },
      { title: "Retenido", isNumber: true, cell: ({ retenido_final }) => pesos(retenido_final.monto) }
    ]}
  />
)

/** The daily closings of all companies. */
export const ClosingsPage = ({ query }: ScreenProps) => {
  const companies = useCompanies()
  const [isClosing, setClosing] = useState(false)
  const [isVerifying, setVerifying] = useState(false)
  const mayClose = useMay("deposit")
  const filter = filterIn(query, filters)
  // The filters in the address are plain texts. The server checks their values.
  const wanted = filterIn(query, [...filters, "page"]) as Parameters<typeof api.cierres.listar.query>[0]
  const { data, error, reload } = useLive(() => api.cierres.listar.query(wanted), query.toString())
  return (
    <>
      <FilterForm>
        <CompanyChoice companies={companies} query={query} />
        <Field name="date_from" label="Desde" type="date" value={query.get("date_from") ?? ""} />
        <Field name="date_to" label="Hasta" type="date" value={query.get("date_to") ?? ""} />
      </FilterForm>
      <div class="buttons">
        {mayClose && (
          <button type="button" onClick={() => setClosing(true)}>
            Cerrar días
          </button>
        )}
        <button type="button" onClick={() => setVerifying(true)}>
          Verificar los sellos
        </button>
        {query.has("empresa_id") && (
          <a class="button" href={`/exportar/cierres?${new URLSearchParams(filter)}`} download>
            Descargar CSV
          </a>
        )}
      </div>
      {isVerifying && <VerifyDialog onClose={() => setVerifying(false)} />}
      {isClosing && <CloseDialog onClose={() => setClosing(false)} onDone={reload} />}
      {error !== undefined && <Failed message={faultOf(error).message} retry={reload} />}
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined && (
        <>
          <List items={data.items} nameOf={companies.nameOf} />
          <Pager
            page={data.pagination.page}
            pages={data.pagination.total_pages}
            onPage={(page) => setQuery({ page: String(page) })}
          />
        </>
      )}
    </>
  )
}
