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

type Account = Awaited<ReturnType<typeof api.operadores.listar.query>>[number]
type Role = Account["rol"]

const states: Readonly<Record<Account["estado"], { readonly label: string; readonly tone: Tone }>> = {
  invited: { label: "invitado", tone: "warn" },
  active: { label: "activo", tone: "good" },
  suspended: { label: "suspendido", tone: "bad" }
}

const roles: ReadonlyArray<{ readonly value: Role; readonly label: string }> = [
  { value: "lector", label: "lector: ve todo" },
  { value: "cajero", label: "cajero: también deposita" },
  { value: "supervisor", label: "supervisor: también propone, confirma y cambia límites" },
  { value: "admin", label: "admin: todo" }
]

const roleOf = (value: string | undefined): Role => roles.find((role) => role.value === value)?.value ?? "lector"

interface Invitation {
  readonly enlace: string
  readonly vence_en: string
}

/** The open dialog of the page. */
type Open =
  | { readonly kind: "invite" }
  | { readonly kind: "reinvite" | "role" | "suspend" | "token"; readonly account: Account }
  | { readonly kind: "link"; readonly invitation: Invitation }

const LinkDialog = ({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) => (
  <Dialog title="Invitación" onClose={onClose}>
    <p>
      Envíe este enlace al operador. Sirve una vez y no se muestra otra vez. Vence el {dateTime(invitation.vence_en)}
    </p>
    <code class="secret">
      {location.origin}/invitacion#{invitation.enlace}
    </code>
    <button type="button" onClick={onClose}>
      Ya lo copié
    </button>
  </Dialog>
)

const InviteForm = ({ onInvited }: { onInvited: (invitation: Invitation) => void }) => (
  <Form
    action="Invitar"
    faultOf={faultOf}
    onSubmit={async ({ correo = "", nombre = "", rol }) =>
      onInvited(await api.operadores.invitar.mutate({ nombre, rol: roleOf(rol), ...(correo !== "" && { correo }) }))
    }
  >
    {(fault) => (
      <>
        <Field
          name="nombre"
          label="Nombre"
          hint="Letras latinas, dígitos y espacios."
          required
          maxLength={80}
          fault={fault}
        />
        <Choice name="rol" label="Rol" options={roles} fault={fault} />
        <Field
          name="correo"
          label="Correo"
          hint="Solo si entra con un proveedor de identidad (OIDC)."
          type="email"
          fault={fault}
        />
      </>
    )}
  </Form>
)

interface AccountFormProps {
  readonly account: Account
  readonly onDone: () => void
}

const RoleForm = ({ account: { nombre, rol }, onDone }: AccountFormProps) => (
  <Form
    action="Guardar"
    faultOf={faultOf}
    onSubmit={async (values) => {
      await api.operadores.cambiar.mutate({ nombre, rol: roleOf(values["rol"]) })
      toast(`Rol de ${nombre} guardado.`)
      onDone()
    }}
  >
    {(fault) => <Choice name="rol" label="Rol" options={roles} value={rol} fault={fault} />}
  </Form>
)

const SuspendForm = ({ account: { estado, nombre }, onDone }: AccountFormProps) => {
  const isSuspended = estado === "suspended"
  return (
    <Form
      action={isSuspended ? "Reactivar" : "Suspender"}
      isDangerous={!isSuspended}
      faultOf={faultOf}
      onSubmit={async () => {
        await api.operadores.cambiar.mutate({ nombre, suspendido: !isSuspended })
        toast(isSuspended ? `${nombre} puede entrar otra vez.` : `${nombre} ya no puede entrar.`)
        onDone()
      }}
    >
      {() => <p>{isSuspended ? "Puede entrar otra vez." : "Sus sesiones terminan de inmediato, y no podrá entrar."}</p>}
    </Form>
  )
}

const ReinviteForm = ({ account, onInvited }: { account: Account; onInvited: (invitation: Invitation) => void }) => (
  <Form
    action="Invitar de nuevo"
    isDangerous
    faultOf={faultOf}
    onSubmit={async () => onInvited(await api.operadores.reinvitar.mutate({ nombre: account.nombre }))}
  >
    {() => <p>Su contraseña y su aplicación de autenticación dejan de servir, y sus sesiones terminan.</p>}
  </Form>
)

const TokenForm = ({ account: { nombre }, onDone }: AccountFormProps) => (
  <Form
    action="Quitar el token"
    isDangerous
    faultOf={faultOf}
    onSubmit={async () => {
      await api.operadores.quitarFicha.mutate({ nombre })
      toast(`El token de ${nombre} ya no sirve.`)
      onDone()
    }}
  >
    {() => <p>Los programas que usan su OPERATOR_TOKEN dejan de tener acceso.</p>}
  </Form>
)

interface DialogProps {
  readonly open: Open
  readonly onOpen: (open: Open) => void
  readonly onClose: () => void
}

const OperatorDialog = ({ onClose, onOpen, open }: DialogProps) => {
  if (open.kind === "link") return <LinkDialog invitation={open.invitation} onClose={onClose} />
  const showLink = (invitation: Invitation) => onOpen({ kind: "link", invitation })
  if (open.kind === "invite")
    return (
      <Dialog title="Invitar a un operador" onClose={onClose}>
        <InviteForm onInvited={showLink} />
      </Dialog>
    )
  const { account } = open
  return (
    <Dialog title={account.nombre} onClose={onClose}>
      {open.kind === "reinvite" && <ReinviteForm account={account} onInvited={showLink} />}
      {open.kind === "role" && <RoleForm account={account} onDone={onClose} />}
      {open.kind === "suspend" && <SuspendForm account={account} onDone={onClose} />}
      {open.kind === "token" && <TokenForm account={account} onDone={onClose} />}
    </Dialog>
  )
}

const buttons = [
  { kind: "role", title: () => "Rol", isShown: () => true },
  { kind: "reinvite", title: () => "Invitar de nuevo", isShown: ({ estado }: Account) => estado !== "suspended" },
  {
    kind: "suspend",
    title: ({ estado }: Account) => (estado === "suspended" ? "Reactivar" : "Suspender"),
    isShown: () => true
  },
  { kind: "token", title: () => "Quitar token", isShown: ({ tiene_ficha }: Account) => tiene_ficha }
] as const

const AccountButtons = ({ account, onOpen }: { account: Account; onOpen: (open: Open) => void }) => (
  <div class="buttons">
    {buttons.map(({ isShown, kind, title }) =>
      isShown(account) ? (
        <button key={kind} type="button" onClick={() => onOpen({ kind, account })}>
          {title(account)}
        </button>
      ) : null
    )}
  </div>
)

/** The page with the accounts of operators. */
export const OperatorsPage = () => {
  const { data, error, reload } = useLive(() => api.operadores.listar.query({}), "operadores")
  const [open, setOpen] = useState<Open>()
  const mayChange = useMay("operator")
  const close = () => {
    setOpen(undefined)
    reload()
  }
  if (data === undefined)
    return error === undefined ? <Loading /> : <Failed message={faultOf(error).message} retry={reload} />
  return (
    <>
      {mayChange && (
        <div class="buttons">
          <button type="button" class="primary" onClick={() => setOpen({ kind: "invite" })}>
            Invitar
          </button>
        </div>
      )}
      <Table
        caption="Operadores"
        rows={data}
        keyOf={({ nombre }) => nombre}
        empty="Todavía no hay operadores. Invite primero a un admin."
        columns={[
          { title: "Nombre", cell: ({ nombre }) => nombre, sortBy: ({ nombre }) => nombre },
          { title: "Rol", cell: ({ rol }) => rol, sortBy: ({ rol }) => rol },
          { title: "Estado", cell: ({ estado }) => <Badge tone={states[estado].tone}>{states[estado].label}</Badge> },
          { title: "Correo", cell: ({ correo }) => correo ?? "—" },
          {
            title: "Última entrada",
            cell: ({ ultima_entrada }) => (ultima_entrada === null ? "nunca" : dateTime(ultima_entrada)),
            sortBy: ({ ultima_entrada }) => ultima_entrada ?? ""
          },
          ...(mayChange
            ? [{ title: "Cambiar", cell: (account: Account) => <AccountButtons account={account} onOpen={setOpen} /> }]
            : [])
        ]}
      />
      {open && <OperatorDialog open={open} onOpen={setOpen} onClose={close} />}
    </>
  )
}
