import { useState } from "preact/hooks"
import { Dialog } from "../ui/Dialog.tsx"
import { Area, Form } from "../ui/Form.tsx"
import { dateTime } from "../ui/Format.ts"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { Table } from "../ui/Table.tsx"
import { toast } from "../ui/Toast.tsx"
import { CaseBadge, kindNames, sideText } from "./CaseParts.tsx"
import { api, faultOf } from "./Client.ts"
import { Link, type ScreenProps } from "./Navigation.tsx"
import { useMay } from "./Session.ts"

type Shown = Awaited<ReturnType<typeof api.casos.ver.query>>

const actions = {
  anotar: { label: "Anotar", explained: "La nota queda en el caso con su nombre.", done: "Nota guardada." },
  cerrar: {
    label: "Cerrar el caso",
    explained: "Diga por qué se cierra. Nada más cambia: el dinero no se mueve.",
    done: "Caso cerrado."
  }
} as const

const NoteDialog = ({
  action,
  id,
  onClose,
  onDone
}: {
  action: keyof typeof actions
  id: number
  onClose: () => void
  onDone: () => void
}) => {
  const { done, explained, label } = actions[action]
  return (
    <Dialog title={`${label} (caso ${id})`} onClose={onClose}>
      <p>{explained}</p>
      <Form
        action={label}
        faultOf={faultOf}
        onSubmit={async ({ nota = "" }) => {
          await api.casos[action].mutate({ caso_id: id, nota })
          toast(done)
          onDone()
          onClose()
        }}
      >
        {(fault) => <Area name="nota" label="Nota" required fault={fault} />}
      </Form>
    </Dialog>
  )
}

const Buttons = ({ found: { caso_id, estado }, onDone }: { found: Shown; onDone: () => void }) => {
  const [open, setOpen] = useState<keyof typeof actions | null>(null)
  if (!useMay("case") || estado === "cerrado") return null
  return (
    <div class="buttons">
      <button type="button" onClick={() => setOpen("anotar")}>
        {actions.anotar.label}
      </button>
      <button type="button" onClick={() => setOpen("cerrar")}>
        {actions.cerrar.label}
      </button>
      {open !== null && <NoteDialog action={open} id={caso_id} onClose={() => setOpen(null)} onDone={onDone} />}
    </div>
  )
}

const Notes = ({ notes }: { notes: Shown["notas"] }) => (
  <Table
    caption="Notas, la más antigua primero"
    showCaption
    rows={notes}
    keyOf={({ fecha, nota }) => `${fecha} ${nota}`}
    empty="Todavía no hay notas."
    columns={[
      { title: "Fecha", cell: ({ fecha }) => dateTime(fecha) },
      { title: "Operador", cell: ({ operador }) => operador },
      { title: "Estado", cell: ({ estado }) => <CaseBadge estado={estado} /> },
      { title: "Nota", cell: ({ nota }) => nota }
    ]}
  />
)

/** A difference between a provider's statement and the sales, with the operators' notes. */
export const CasePage = ({ id }: ScreenProps) => {
  const { data, error, reload } = useLive(() => api.casos.ver.query({ caso_id: id }), id)
  if (data === undefined)
    return error === undefined ? <Loading /> : <Failed message={faultOf(error).message} retry={reload} />
  return (
    <>
      <p>
        <Link to="/casos">Casos</Link> · N.º {data.caso_id}
      </p>
      <dl class="facts">
        <dt>Estado</dt>
        <dd>
          <CaseBadge estado={data.estado} />
        </dd>
        <dt>Diferencia</dt>
        <dd>{kindNames[data.tipo]}</dd>
        <dt>Saldo dice</dt>
        <dd>{sideText(data.nuestro)}</dd>
        <dt>El proveedor dice</dt>
        <dd>{sideText(data.suyo)}</dd>
        <dt>Referencia</dt>
        <dd>{data.referencia}</dd>
        <dt>Transacción</dt>
        <dd>
          {data.transaction_id === null ? (
            "Ninguna"
          ) : (
            <Link to={`/transacciones/${data.transaction_id}`}>{data.transaction_id}</Link>
          )}
        </dd>
        <dt>Extracto</dt>
        <dd>
          {data.extracto}
          {data.linea !== null && `, línea ${data.linea}`}
        </dd>
        <dt>Encontrado</dt>
        <dd>{dateTime(data.encontrado)}</dd>
        <dt>Visto por última vez</dt>
        <dd>{dateTime(data.visto)}</dd>
        <dt>Ya no aparece desde</dt>
        <dd>{data.ya_no_aparece === null ? "—" : dateTime(data.ya_no_aparece)}</dd>
      </dl>
      <Buttons found={data} onDone={reload} />
      <Notes notes={data.notas} />
    </>
  )
}
