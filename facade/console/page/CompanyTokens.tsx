import { useState } from "preact/hooks"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Choice, Field, Form } from "../ui/Form.tsx"
import { dateTime } from "../ui/Format.ts"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { Table } from "../ui/Table.tsx"
import { toast } from "../ui/Toast.tsx"
import { api, faultOf } from "./Client.ts"
import { useMay } from "./Session.ts"

type TokenView = Awaited<ReturnType<typeof api.tokens.listar.query>>[number]
type TokenState = TokenView["estado"]

const states: Readonly<Record<TokenState, { readonly label: string; readonly tone: Tone }>> = {
  active: { label: "activo", tone: "good" },
  suspended: { label: "suspendido", tone: "warn" },
  revoked: { label: "revocado", tone: "bad" }
}

interface Credentials {
  readonly token_id: number
  readonly api_key: string
  readonly api_secret: string
}

/** Shows a new secret. It is not stored, so it cannot be shown again. */
const SecretDialog = ({ api_key, api_secret, onClose, token_id }: Credentials & { onClose: () => void }) => (
  <Dialog title={`Credenciales del token ${token_id}`} onClose={onClose}>
    <p>El secreto no se guarda y no se puede mostrar otra vez. Cópielo ahora.</p>
    <p>
      api_key: <code class="secret">{api_key}</code>
    </p>
    <p>
      api_secret: <code class="secret">{api_secret}</code>
    </p>
    <button type="button" onClick={onClose}>
      Ya lo copié
    </button>
  </Dialog>
)

const listOf = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/).filter((part) => part !== "")

const IssueForm = ({ companyId, onIssued }: { companyId: number; onIssued: (issued: Credentials) => void }) => (
  <Form
    action="Emitir"
    faultOf={faultOf}
    onSubmit={async ({ ips = "", nombre = "", por_minuto = "" }) =>
      onIssued(
        await api.tokens.emitir.mutate({
          empresa_id: companyId,
          nombre,
          ips: listOf(ips),
          ...(por_minuto !== "" && { por_minuto: Number(por_minuto) })
        })
      )
    }
  >
    {(fault) => (
      <>
        <Field
          name="nombre"
          label="Nombre"
          hint="Por ejemplo la caja o el programa."
          required
          maxLength={100}
          fault={fault}
        />
        <Field name="ips" label="Direcciones permitidas" hint="Opcional: direcciones y rangos CIDR." fault={fault} />
        <Field name="por_minuto" label="Llamadas por minuto" hint="Opcional." inputMode="numeric" fault={fault} />
      </>
    )}
  </Form>
)

const overlaps = [
  { value: "24", label: "24 horas, para cambiar los programas uno a uno" },
  { value: "168", label: "7 días" },
  { value: "0", label: "Nada: se rechaza de inmediato, porque se filtró" }
]

const RotateForm = ({ onRotated, token }: { token: TokenView; onRotated: (rotated: Credentials) => void }) => (
  <Form
    action="Rotar"
    isDangerous
    faultOf={faultOf}
    onSubmit={async ({ solape_horas = "24" }) =>
      onRotated(await api.tokens.rotar.mutate({ token_id: token.token_id, solape_horas: Number(solape_horas) }))
    }
  >
    {(fault) => (
      <Choice name="solape_horas" label="El secreto anterior sirve todavía" options={overlaps} fault={fault} />
    )}
  </Form>
)

const StateForm = ({ onDone, state, token }: { token: TokenView; state: TokenState; onDone: () => void }) => (
  <Form
    action={state === "active" ? "Activar" : state === "suspended" ? "Suspender" : "Revocar para siempre"}
    isDangerous={state !== "active"}
    faultOf={faultOf}
    onSubmit={async () => {
      await api.tokens.cambiar.mutate({ token_id: token.token_id, estado: state })
      toast(`Token ${token.token_id} ${states[state].label}.`)
      onDone()
    }}
  >
    {() => (
      <p>
        {state === "active"
          ? "Sus llamadas se aceptan otra vez."
          : state === "suspended"
            ? "Sus llamadas se rechazan hasta que se active otra vez."
            : "Sus llamadas se rechazan. Esto no se puede deshacer."}
      </p>
    )}
  </Form>
)

/** The open dialog of the page. */
type Open =
  | { readonly kind: "issue" }
  | { readonly kind: "rotate"; readonly token: TokenView }
  | { readonly kind: "state"; readonly token: TokenView; readonly state: TokenState }
  | { readonly kind: "secret"; readonly credentials: Credentials }

const TokenDialog = ({
  companyId,
  onClose,
  onOpen,
  open
}: {
  companyId: number
  open: Open
  onOpen: (open: Open) => void
  onClose: () => void
}) => {
  const showSecret = (credentials: Credentials) => onOpen({ kind: "secret", credentials })
  if (open.kind === "secret") return <SecretDialog {...open.credentials} onClose={onClose} />
  const title = open.kind === "issue" ? "Token nuevo" : `Token ${open.token.token_id}: ${open.token.nombre}`
  return (
    <Dialog title={title} onClose={onClose}>
      {open.kind === "issue" ? (
        <IssueForm companyId={companyId} onIssued={showSecret} />
      ) : open.kind === "rotate" ? (
        <RotateForm token={open.token} onRotated={showSecret} />
      ) : (
        <StateForm token={open.token} state={open.state} onDone={onClose} />
      )}
    </Dialog>
  )
}

const TokenButtons = ({ onOpen, token }: { token: TokenView; onOpen: (open: Open) => void }) =>
  token.estado === "revoked" ? null : (
    <div class="buttons">
      <button type="button" onClick={() => onOpen({ kind: "rotate", token })}>
        Rotar
      </button>
      <button
        type="button"
        onClick={() => onOpen({ kind: "state", token, state: token.estado === "active" ? "suspended" : "active" })}
      >
        {token.estado === "active" ? "Suspender" : "Activar"}
      </button>
      <button type="button" class="danger" onClick={() => onOpen({ kind: "state", token, state: "revoked" })}>
        Revocar
      </button>
    </div>
  )

/** The tokens of a company. */
export const CompanyTokens = ({ companyId }: { companyId: number }) => {
  const { data, error, reload } = useLive(() => api.tokens.listar.query({ empresa_id: companyId }), String(companyId))
  const [open, setOpen] = useState<Open>()
  const mayChange = useMay("token")
  const close = () => {
    setOpen(undefined)
    reload()
  }
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">Tokens</h2>
      {mayChange && (
        <div class="buttons">
          <button type="button" onClick={() => setOpen({ kind: "issue" })}>
            Token nuevo
          </button>
        </div>
      )}
      {data === undefined ? (
        error === undefined ? (
          <Loading />
        ) : (
          <Failed message={faultOf(error).message} retry={reload} />
        )
      ) : (
        <Table
          caption="Tokens"
          rows={data}
          keyOf={({ token_id }) => token_id}
          empty="Todavía no hay tokens."
          columns={[
            { title: "N.º", isNumber: true, cell: ({ token_id }) => token_id, sortBy: ({ token_id }) => token_id },
            { title: "Nombre", cell: ({ nombre }) => nombre, sortBy: ({ nombre }) => nombre },
            { title: "api_key", cell: ({ api_key }) => <code>{api_key}</code> },
            { title: "Estado", cell: ({ estado }) => <Badge tone={states[estado].tone}>{states[estado].label}</Badge> },
            { title: "Permisos", cell: ({ permisos }) => (permisos.length === 0 ? "todos" : permisos.join(", ")) },
            { title: "Direcciones", cell: ({ ips }) => (ips.length === 0 ? "todas" : ips.join(", ")) },
            { title: "Vence", cell: ({ expira }) => (expira === null ? "nunca" : dateTime(expira)) },
            { title: "Último uso", cell: ({ ultimo_uso }) => (ultimo_uso === null ? "nunca" : dateTime(ultimo_uso)) },
            ...(mayChange
              ? [{ title: "Cambiar", cell: (token: TokenView) => <TokenButtons token={token} onOpen={setOpen} /> }]
              : [])
          ]}
        />
      )}
      {open && <TokenDialog companyId={companyId} open={open} onOpen={setOpen} onClose={close} />}
    </section>
  )
}
