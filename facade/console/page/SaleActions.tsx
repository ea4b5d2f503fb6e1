import { useState } from "preact/hooks"
import { Dialog } from "../ui/Dialog.tsx"
import { Area, Choice, Field, Form, type Values } from "../ui/Form.tsx"
import { dateTime } from "../ui/Format.ts"
import { toast } from "../ui/Toast.tsx"
import { api, faultOf } from "./Client.ts"
import { Link } from "./Navigation.tsx"
import { type Finding, findingNames, type Proposal, ProposalFacts } from "./ProposalFacts.tsx"
import { shortNames, statusNames } from "./SaleParts.tsx"
import { answerName, type Sale } from "./Timeline.tsx"

export type Action = Sale["acciones"][number]
type ActionOf<Name extends Action["accion"]> = Extract<Action, { readonly accion: Name }>

interface Subject {
  readonly id: number
  readonly type: Sale["tipo"]
}

interface ActionProps extends Subject {
  /** Reads the sale again after a change. */
  readonly onDone: () => void
}

const AskButton = ({ id, onDone, settled }: { id: number; onDone: () => void; settled: boolean }) => {
  const [isAsking, setAsking] = useState(false)
  const ask = async () => {
    setAsking(true)
    try {
      const { contradiccion, respuesta, resuelta, status } = await api.transacciones.preguntar.mutate({
        transaction_id: id
      })
      const answer = `El proveedor ${answerName(respuesta)}.`
      if (contradiccion !== null)
        toast(`${answer} Contradice la venta, que está ${statusNames[status].toLowerCase()}. Se registró una alerta.`, {
          isError: true
        })
      else toast(`${answer} ${resuelta ? "La transacción quedó resuelta." : "La venta no cambió."}`)
      onDone()
    } catch (error) {
      toast(faultOf(error).message, { isError: true })
    } finally {
      setAsking(false)
    }
  }
  return (
    <button type="button" disabled={isAsking} onClick={() => void ask()}>
      {isAsking ? "Preguntando…" : settled ? "Comparar con el proveedor" : "Preguntar al proveedor"}
    </button>
  )
}

/** The fields that prove a delivery. */
const Evidence = ({ fault, type }: { fault: Parameters<typeof Field>[0]["fault"]; type: Subject["type"] }) => (
  <>
    <Field
      name="autorizacion"
      label={type === "insurance" ? "Número de la póliza" : "Código de autorización"}
      required
      maxLength={100}
      fault={fault}
    />
    {type === "electricity_prepaid" && (
      <Field
        name="token"
        label="Dígitos para el medidor"
        hint="Los 20 dígitos."
        required
        inputMode="numeric"
        fault={fault}
      />
    )}
    {type === "insurance" && (
      <>
        <Field name="desde" label="Primer día de la vigencia" type="date" required fault={fault} />
        <Field name="hasta" label="Último día de la vigencia" type="date" required fault={fault} />
      </>
    )}
  </>
)

const evidenceNames = ["autorizacion", "token", "desde", "hasta"] as const

const evidenceIn = (values: Values) =>
  Object.fromEntries(evidenceNames.flatMap((name) => (values[name] ? [[name, values[name]]] : [])))

const ProposeDialog = ({
  findings,
  id,
  onClose,
  onDone,
  type
}: ActionProps & { findings: ReadonlyArray<Finding>; onClose: () => void }) => {
  const [finding, setFinding] = useState<Finding | undefined>(findings[0])
  const propose = async (values: Values) => {
    if (finding === undefined) return
    const { propuesta } = await api.transacciones.proponer.mutate({
      transaction_id: id,
      resultado: finding,
      motivo: values["motivo"] ?? "",
      ...evidenceIn(values)
    })
    toast(`Propuesta ${propuesta} hecha. Otro operador tiene que confirmarla.`)
    onDone()
    onClose()
  }
  return (
    <Dialog title={`Proponer cómo terminó la transacción ${id}`} onClose={onClose}>
      <p>El dinero no se mueve hasta que otro operador confirme la propuesta.</p>
      <Form action="Proponer" faultOf={faultOf} onSubmit={propose}>
        {(fault) => (
          <>
            <fieldset onChange={({ target }) => setFinding((target as HTMLInputElement).value as Finding)}>
              <legend>Cómo terminó</legend>
              {findings.map((each) => (
                <label key={each} class="option">
                  <input type="radio" name="resultado" value={each} checked={each === finding} /> {findingNames[each]}
                </label>
              ))}
            </fieldset>
            {finding === "exitosa" && <Evidence fault={fault} type={type} />}
            <Area
              name="motivo"
              label="Motivo"
              hint="La prueba: el extracto, el caso o la carta del proveedor."
              required
              fault={fault}
            />
          </>
        )}
      </Form>
    </Dialog>
  )
}

const ConfirmDialog = ({
  id,
  onClose,
  onDone,
  proposal
}: ActionProps & { proposal: Proposal; onClose: () => void }) => {
  const confirm = async (values: Values) => {
    const { status } = await api.transacciones.confirmar.mutate({
      transaction_id: id,
      propuesta: proposal.numero,
      sin_preguntar: values["pregunta"] === "no"
    })
    toast(`Transacción ${id}: ${statusNames[status].toLowerCase()}.`)
    onDone()
    onClose()
  }
  return (
    <Dialog title={`Confirmar cómo terminó la transacción ${id}`} onClose={onClose}>
      <ProposalFacts proposal={proposal} />
      <p>Se pregunta una vez más al proveedor. Si da una respuesta firme, esta prevalece sobre la propuesta.</p>
      <Form action="Confirmar" isDangerous faultOf={faultOf} onSubmit={confirm}>
        {() => (
          <Choice
            name="pregunta"
            label="Si el proveedor no acepta preguntas"
            options={[
              { value: "si", label: "No hacer nada" },
              { value: "no", label: "Resolver de todos modos, porque el proveedor ya no existe" }
            ]}
          />
        )}
      </Form>
    </Dialog>
  )
}

const notConfirmTexts: Readonly<Record<ActionOf<"no_confirmar">["motivo"], string>> = {
  no_proposal: "no hay propuesta",
  same_operator: "otro operador tiene que confirmarla",
  no_account: "solo un operador con cuenta puede confirmarla",
  changed: "hay una propuesta más reciente",
  outdated: "es de una anulación anterior",
  not_asked: "no se pudo preguntar al proveedor",
  confirmed: "otro operador la confirmó hace menos de un minuto"
}

const settledTexts: Readonly<Record<ActionOf<"nada">["motivo"], string>> = {
  SUCCESS: "La venta se entregó y se cobró. No hace falta ninguna acción.",
  FAILED: "La venta no se hizo y el monto fue devuelto. No hace falta ninguna acción.",
  REVERSED: "La venta se anuló y el monto fue devuelto. No hace falta ninguna acción."
}

const OpenDialog = ({
  children,
  label
}: {
  label: string
  children: (close: () => void) => preact.ComponentChildren
}) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && children(() => setOpen(false))}
    </>
  )
}

/** The button of one action, or the reason why there is no button. */
const ActionPart = ({ action, ...props }: ActionProps & { action: Action }) => {
  switch (action.accion) {
    case "preguntar":
      return <AskButton id={props.id} onDone={props.onDone} settled={action.sobre === "resuelta"} />
    case "proponer":
      return (
        <OpenDialog label="Proponer cómo terminó">
          {(close) => <ProposeDialog {...props} findings={action.resultados} onClose={close} />}
        </OpenDialog>
      )
    case "proponer_desde":
      return <p>Puede resolverse sola. Desde el {dateTime(action.desde)} se puede proponer cómo terminó.</p>
    case "confirmar":
      return (
        <OpenDialog label={`Confirmar que ${shortNames[action.propuesta.resultado]}`}>
          {(close) => <ConfirmDialog {...props} proposal={action.propuesta} onClose={close} />}
        </OpenDialog>
      )
    case "no_confirmar":
      return (
        <p>
          {action.propuesta.propuesta_por} propone que {shortNames[action.propuesta.resultado]}:{" "}
          {notConfirmTexts[action.motivo]}.
        </p>
      )
    case "reenviar":
      return (
        <Link
          class="button"
          to={`/webhooks?webhook=${action.webhook_id}${action.desde === null ? "" : `&desde=${encodeURIComponent(action.desde)}`}`}
        >
          Reenviar al webhook {action.webhook_id} los eventos que fallaron
        </Link>
      )
    case "nada":
      return <p>{settledTexts[action.motivo]}</p>
  }
}

/** The actions on a sale that the operator's role allows. */
export const SaleActions = ({ actions, ...props }: ActionProps & { actions: ReadonlyArray<Action> }) => (
  <div class="buttons">
    {actions
      .filter(({ permitida }) => permitida)
      .map((action, place) => (
        <ActionPart key={`${action.accion} ${place}`} action={action} {...props} />
      ))}
  </div>
)
