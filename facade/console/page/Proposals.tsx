import { useState } from "preact/hooks"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Field, Form } from "../ui/Form.tsx"
import { dateTime, pesos } from "../ui/Format.ts"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { Table } from "../ui/Table.tsx"
import { toast } from "../ui/Toast.tsx"
import { api, faultOf } from "./Client.ts"
import { useCompanies } from "./Filters.tsx"
import { Link } from "./Navigation.tsx"
import { useMay, useSession } from "./Session.ts"

type Proposal = Awaited<ReturnType<typeof api.propuestas.listar.query>>[number]

const tones: Readonly<Record<Proposal["estado"], Tone>> = {
  pendiente: "warn",
  confirmada: "good",
  rechazada: "bad",
  vencida: "plain"
}

interface DecisionProps {
  readonly proposal: Proposal
  readonly company: string
  readonly onDone: () => void
}

const ConfirmForm = ({ company, onDone, proposal: { monto, propuesta, propuesta_por, referencia } }: DecisionProps) => (
  <Form
    action={`Confirmar ${pesos(monto)}`}
    faultOf={faultOf}
    onSubmit={async () => {
      const { saldo_disponible } = await api.propuestas.confirmar.mutate({ propuesta })
      toast(`Confirmada. Disponible: ${pesos(saldo_disponible)}.`)
      onDone()
    }}
  >
    {() => (
      <p>
        {propuesta_por} propuso mover {pesos(monto)} en la empresa {company}, con la referencia {referencia}.
      </p>
    )}
  </Form>
)

const RejectForm = ({ onDone, proposal: { propuesta } }: Omit<DecisionProps, "company">) => (
  <Form
    action="Rechazar"
    isDangerous
    faultOf={faultOf}
    onSubmit={async ({ motivo = "" }) => {
      await api.propuestas.rechazar.mutate({ propuesta, motivo })
      toast("Propuesta rechazada.")
      onDone()
    }}
  >
    {(fault) => <Field name="motivo" label="Motivo" required maxLength={500} fault={fault} />}
  </Form>
)

interface Open {
  readonly kind: "confirm" | "reject"
  readonly proposal: Proposal
}

const Buttons = ({ onOpen, proposal }: { proposal: Proposal; onOpen: (open: Open) => void }) => {
  const { session } = useSession()
  const mayConfirm = useMay("confirm")
  const isOwn = session?.nombre === proposal.propuesta_por
  if (proposal.estado !== "pendiente") return null
  return (
    <div class="buttons">
      {mayConfirm && !isOwn && (
        <button type="button" onClick={() => onOpen({ kind: "confirm", proposal })}>
          Confirmar
        </button>
      )}
      {(mayConfirm || isOwn) && (
        <button type="button" onClick={() => onOpen({ kind: "reject", proposal })}>
          {isOwn ? "Retirar" : "Rechazar"}
        </button>
      )}
    </div>
  )
}

const refresh_s = 15

interface ProposalsProps {
  /**
   * Shows the proposals of this company. Without a company, shows the pending proposals of all companies, or nothing if
   * there are none.
   */
  readonly companyId?: number
  /** Each new value loads the proposals again. */
  readonly version?: number
  /** Called when a decision has moved money. */
  readonly onDecided?: () => void
}

/** Deposits and adjustments that two operators must agree on. */
export const Proposals = ({ companyId, onDecided, version = 0 }: ProposalsProps) => {
  const { nameOf } = useCompanies()
  const { data, error, reload } = useLive(
    () => api.propuestas.listar.query(companyId === undefined ? {} : { empresa_id: companyId }),
    `${companyId} ${version}`,
    refresh_s
  )
  const [open, setOpen] = useState<Open>()
  const close = () => {
    setOpen(undefined)
    reload()
    onDecided?.()
  }
  if (data === undefined)
    return error === undefined ? <Loading /> : <Failed message={faultOf(error).message} retry={reload} />
  const rows = companyId === undefined ? data.filter(({ estado }) => estado === "pendiente") : data
  if (companyId === undefined && rows.length === 0 && open === undefined) return null
  return (
    <>
      <Table
        caption={companyId === undefined ? "Depósitos y ajustes por confirmar" : "Propuestas de depósitos y ajustes"}
        showCaption={companyId === undefined}
        rows={rows}
        keyOf={({ propuesta }) => propuesta}
        empty="No hay propuestas."
        columns={[
          { title: "N.º", isNumber: true, cell: ({ propuesta }) => propuesta, sortBy: ({ propuesta }) => propuesta },
          ...(companyId === undefined
            ? [
                {
                  title: "Empresa",
                  cell: ({ empresa_id }: Proposal) => <Link to={`/empresas/${empresa_id}`}>{nameOf(empresa_id)}</Link>
                }
              ]
            : []),
          { title: "Tipo", cell: ({ tipo }) => (tipo === "deposito" ? "Depósito" : "Ajuste") },
          { title: "Monto", isNumber: true, cell: ({ monto }) => pesos(monto), sortBy: ({ monto }) => monto },
          { title: "Referencia", cell: ({ referencia }) => referencia },
          { title: "Motivo", cell: ({ motivo }) => motivo ?? "—" },
          { title: "Estado", cell: ({ estado }) => <Badge tone={tones[estado]}>{estado}</Badge> },
          {
            title: "Propuesta por",
            cell: ({ propuesta_en, propuesta_por }) => `${propuesta_por}, ${dateTime(propuesta_en)}`
          },
          {
            title: "Decidida por",
            cell: ({ decidida_por, motivo_rechazo }) =>
              decidida_por === null ? "—" : `${decidida_por}${motivo_rechazo === null ? "" : `: ${motivo_rechazo}`}`
          },
          { title: "Decidir", cell: (proposal) => <Buttons proposal={proposal} onOpen={setOpen} /> }
        ]}
      />
      {open && (
        <Dialog title={`Propuesta ${open.proposal.propuesta}`} onClose={() => setOpen(undefined)}>
          {open.kind === "confirm" ? (
            <ConfirmForm proposal={open.proposal} company={nameOf(open.proposal.empresa_id)} onDone={close} />
          ) : (
            <RejectForm proposal={open.proposal} onDone={close} />
          )}
        </Dialog>
      )}
    </>
  )
}
