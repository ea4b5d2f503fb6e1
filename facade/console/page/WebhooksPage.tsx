import { useState } from "preact/hooks"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Choice, Field, Form, type Values } from "../ui/Form.tsx"
import { ago, count, dateTime, day } from "../ui/Format.ts"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { Pager, Table } from "../ui/Table.tsx"
import { toast } from "../ui/Toast.tsx"
import { api, faultOf } from "./Client.ts"
import { CompanyChoice, FilterForm, filterIn, optionsOf, useCompanies } from "./Filters.tsx"
import { Link, type ScreenProps, setQuery } from "./Navigation.tsx"
import { useMay } from "./Session.ts"

type Webhook = Awaited<ReturnType<typeof api.webhooks.listar.query>>["items"][number]
type Shown = Awaited<ReturnType<typeof api.webhooks.ver.query>>

const refresh_s = 30

const filters = ["empresa_id", "estado"] as const

const states = { activo: "Activo", pausado: "Pausado por la empresa", desactivado: "Desactivado" } as const
const tones: Readonly<Record<Webhook["estado"], Tone>> = { activo: "good", pausado: "plain", desactivado: "bad" }

const StateBadge = ({ estado }: Pick<Webhook, "estado">) => <Badge tone={tones[estado]}>{states[estado]}</Badge>

const since = (iso: string | null): string => (iso === null ? "—" : `${dateTime(iso)} (${ago(iso)})`)

/** The instant of a day and a time of the Dominican Republic. */
const instantOf = (date: string, time: string): string => `${date}T${time}:00-04:00`

const localParts = (iso: string) => ({ date: iso.slice(0, 10), time: iso.slice(11, 16) })

const ReplayDialog = ({
  from,
  onClose,
  onDone,
  webhook
}: {
  webhook: Shown
  from: string | null
  onClose: () => void
  onDone: () => void
}) => {
  const first = from === null ? { date: "", time: "00:00" } : localParts(from)
  const replay = async ({ fecha = "", fecha_hasta = "", hora = "", hora_hasta = "", cuales }: Values) => {
    const { estado, eventos } = await api.webhooks.reenviar.mutate({
      webhook_id: webhook.webhook_id,
      desde: instantOf(fecha, hora),
      ...(fecha_hasta !== "" && { hasta: instantOf(fecha_hasta, hora_hasta) }),
      solo_fallidas: cuales === "fallidas"
    })
    toast(
      eventos === 0
        ? "Ningún evento coincide. Los eventos se guardan 30 días."
        : `${count(eventos)} eventos en cola.${estado === "activo" ? "" : " Esperan a que la empresa active el webhook."}`
    )
    onDone()
    onClose()
  }
  return (
    <Dialog title={`Reenviar eventos al webhook ${webhook.webhook_id}`} onClose={onClose}>
      <p>Cada evento conserva su id, así que el receptor reconoce los que ya tiene.</p>
      <Form action="Reenviar" faultOf={faultOf} onSubmit={replay}>
        {(fault) => (
          <>
            <Field name="fecha" label="Desde el día" type="date" required value={first.date} fault={fault} />
            <Field name="hora" label="Desde la hora" type="time" required value={first.time} fault={fault} />
            <Field name="fecha_hasta" label="Hasta el día" hint="Vacío: hasta ahora." type="date" fault={fault} />
            <Field name="hora_hasta" label="Hasta la hora" type="time" value="23:59" fault={fault} />
            <Choice
              name="cuales"
              label="Eventos"
              options={[
                { value: "fallidas", label: "Solo los que fallaron y ya no se reintentan" },
                { value: "todos", label: "Todos, también los que el webhook no eligió" }
              ]}
            />
          </>
        )}
      </Form>
    </Dialog>
  )
}

const DisableDialog = ({ onClose, onDone, webhook }: { webhook: Shown; onClose: () => void; onDone: () => void }) => (
  <Dialog title={`Desactivar el webhook ${webhook.webhook_id}`} onClose={onClose}>
    <p>
      No empieza ninguna entrega más a {webhook.url}. Solo la empresa puede activarlo de nuevo. Las entregas que esperan
      quedan en la cola.
    </p>
    <Form
      action="Desactivar"
      isDangerous
      faultOf={faultOf}
      onSubmit={async () => {
        await api.webhooks.desactivar.mutate({ webhook_id: webhook.webhook_id })
        toast(`Webhook ${webhook.webhook_id} desactivado.`)
        onDone()
        onClose()
      }}
    >
      {() => null}
    </Form>
  </Dialog>
)

const Buttons = ({ from, onDone, webhook }: { webhook: Shown; from: string | null; onDone: () => void }) => {
  const [open, setOpen] = useState<"replay" | "disable" | null>(from === null ? null : "replay")
  const close = () => setOpen(null)
  if (!useMay("webhook")) return null
  return (
    <div class="buttons">
      <button type="button" onClick={() => setOpen("replay")}>
        Reenviar eventos
      </button>
      {webhook.estado !== "desactivado" && (
        <button type="button" class="danger" onClick={() => setOpen("disable")}>
          Desactivar
        </button>
      )}
      {open === "replay" && <ReplayDialog webhook={webhook} from={from} onClose={close} onDone={onDone} />}
      {open === "disable" && <DisableDialog webhook={webhook} onClose={close} onDone={onDone} />}
    </div>
  )
}

const Errors = ({ errors }: { errors: Shown["ultimos_errores"] }) => (
  <Table
    caption="Últimas entregas con error"
    showCaption
    rows={errors}
    keyOf={({ evento_id }) => evento_id}
    empty="Ninguna entrega ha fallado."
    columns={[
      { title: "Evento", cell: ({ evento_id }) => evento_id },
      { title: "Tipo", cell: ({ type }) => type },
      { title: "Fecha", cell: ({ created_at }) => dateTime(created_at) },
      { title: "Estado", cell: ({ estado }) => estado },
      { title: "Intentos", isNumber: true, cell: ({ intento }) => count(intento) },
      { title: "HTTP", isNumber: true, cell: ({ http_status }) => http_status ?? "—" },
      { title: "Error", cell: ({ error }) => error ?? "—" },
      {
        title: "Próximo intento",
        cell: ({ proximo_intento }) => (proximo_intento === null ? "—" : dateTime(proximo_intento))
      }
    ]}
  />
)

/** Shows one webhook and its deliveries. */
const Detail = ({ from, id, onChange }: { id: string; from: string | null; onChange: () => void }) => {
  const { data, error, reload } = useLive(() => api.webhooks.ver.query({ webhook_id: id }), id, refresh_s)
  if (data === undefined)
    return error === undefined ? <Loading /> : <Failed message={faultOf(error).message} retry={reload} />
  const changed = () => {
    reload()
    onChange()
  }
  return (
    <section aria-label={`Webhook ${data.webhook_id}`}>
      <h2>Webhook {data.webhook_id}</h2>
      <dl class="facts">
        <dt>URL</dt>
        <dd>{data.url}</dd>
        <dt>Estado</dt>
        <dd>
          <StateBadge estado={data.estado} />
        </dd>
        <dt>Descripción</dt>
        <dd>{data.descripcion === "" ? "—" : data.descripcion}</dd>
        <dt>Tipos</dt>
        <dd>{data.eventos.length === 0 ? "Todos" : data.eventos.join(", ")}</dd>
        <dt>Falla desde</dt>
        <dd>{since(data.falla_desde)}</dd>
        <dt>Entrega más antigua en espera</dt>
        <dd>{since(data.espera_desde)}</dd>
        <dt>Entregas de 30 días</dt>
        <dd>
          {count(data.entregas.entregada)} entregadas, {count(data.entregas.pendiente)} pendientes,{" "}
          {count(data.entregas.fallida)} fallidas
        </dd>
        <dt>Creado</dt>
        <dd>{day(data.created_at)}</dd>
      </dl>
      <Buttons key={data.webhook_id} webhook={data} from={from} onDone={changed} />
      <Errors errors={data.ultimos_errores} />
    </section>
  )
}

const List = ({ items, nameOf }: { items: ReadonlyArray<Webhook>; nameOf: (id: number) => string }) => (
  <Table
    caption="Webhooks, los que fallan primero"
    rows={items}
    keyOf={({ webhook_id }) => webhook_id}
    empty="Ningún webhook coincide."
    columns={[
      {
        title: "N.º",
        isNumber: true,
        cell: ({ webhook_id }) => <Link to={`/webhooks?webhook=${webhook_id}`}>{webhook_id}</Link>
      },
      { title: "Empresa", cell: ({ empresa_id }) => <Link to={`/empresas/${empresa_id}`}>{nameOf(empresa_id)}</Link> },
      { title: "URL", cell: ({ url }) => url },
      { title: "Estado", cell: ({ estado }) => <StateBadge estado={estado} /> },
      { title: "Falla desde", cell: ({ falla_desde }) => since(falla_desde) },
      { title: "Entrega más antigua en espera", cell: ({ espera_desde }) => since(espera_desde) }
    ]}
  />
)

/** The webhooks of all companies. With `webhook` in the address, one of them with its deliveries. */
export const WebhooksPage = ({ query }: ScreenProps) => {
  const companies = useCompanies()
  const id = query.get("webhook")
  // The filters in the address are plain texts. The server checks their values.
  const wanted = filterIn(query, [...filters, "page"]) as Parameters<typeof api.webhooks.listar.query>[0]
  const { data, error, reload } = useLive(() => api.webhooks.listar.query(wanted), JSON.stringify(wanted), refresh_s)
  return (
    <>
      {id !== null && <Detail key={id} id={id} from={query.get("desde")} onChange={reload} />}
      {id !== null && <h2>Todos los webhooks</h2>}
      <FilterForm>
        <CompanyChoice companies={companies} query={query} />
        <Choice
          name="estado"
          label="Estado"
          options={optionsOf({ ...states, fallando: "Con fallos" })}
          value={query.get("estado") ?? ""}
        />
      </FilterForm>
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
