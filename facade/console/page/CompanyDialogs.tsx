import type { OperatorAction } from "../../../core/domain/Operator.ts"
import { Dialog } from "../ui/Dialog.tsx"
import { Choice, Field, Form, type FormFault } from "../ui/Form.tsx"
import { pesos } from "../ui/Format.ts"
import { toast } from "../ui/Toast.tsx"
import { api, faultOf } from "./Client.ts"

/** The dialogs that change a company, with the action that each needs. */
export const companyDialogs = [
  { kind: "deposit", title: "Depositar", action: "deposit" },
  { kind: "adjust", title: "Proponer un ajuste", action: "propose" },
  { kind: "limits", title: "Límites y alerta", action: "limits" },
  { kind: "settings", title: "Datos", action: "company" }
] as const satisfies ReadonlyArray<{ kind: string; title: string; action: OperatorAction }>

export type CompanyDialogKind = (typeof companyDialogs)[number]["kind"]

/** A company with its balance and limits. */
export type CompanyView = Awaited<ReturnType<typeof api.empresas.ver.query>>

interface PartProps {
  readonly company: CompanyView
  readonly onDone: () => void
}

const isOfOtherCompany = (fault: FormFault | null): boolean => fault?.details?.["otra_empresa_id"] !== undefined

type Funded = Awaited<ReturnType<typeof api.propuestas.depositar.mutate>>

const fundedText = ({ propuesta, saldo_disponible, ya_registrado }: Funded): string => {
  if (propuesta !== null)
    return `Queda propuesto con el número ${propuesta.propuesta}. Otro operador tiene que confirmarlo.`
  return ya_registrado ? "Ya estaba registrado. Nada cambió." : `Registrado. Disponible: ${pesos(saldo_disponible)}.`
}

const DepositForm = ({ company: { empresa_id }, onDone }: PartProps) => (
  <Form
    action="Depositar"
    faultOf={faultOf}
    onSubmit={async ({ monto = "", referencia = "", repetida }) => {
      const again = repetida === "si" && { repetida: true }
      toast(fundedText(await api.propuestas.depositar.mutate({ empresa_id, monto, referencia, ...again })))
      onDone()
    }}
  >
    {(fault) => (
      <>
        <Field
          name="monto"
          label="Monto en pesos"
          hint="Por ejemplo 25000 o 1500.50."
          required
          inputMode="decimal"
          fault={fault}
        />
        <Field
          name="referencia"
          label="Referencia"
          hint="La referencia de la transferencia bancaria. Repetir la misma referencia y monto no suma dos veces."
          required
          maxLength={200}
          fault={fault}
        />
        {isOfOtherCompany(fault) && (
          <Choice
            name="repetida"
            label="¿Las dos empresas usaron esta referencia?"
            options={[
              { value: "no", label: "No" },
              { value: "si", label: "Sí, es otro depósito" }
            ]}
          />
        )}
      </>
    )}
  </Form>
)

const AdjustForm = ({ company: { empresa_id }, onDone }: PartProps) => (
  <Form
    action="Proponer"
    faultOf={faultOf}
    onSubmit={async ({ monto = "", motivo = "", referencia = "" }) => {
      toast(fundedText(await api.propuestas.ajustar.mutate({ empresa_id, monto, referencia, motivo })))
      onDone()
    }}
  >
    {(fault) => (
      <>
        <p>El dinero se mueve cuando otro operador confirma.</p>
        <Field
          name="monto"
          label="Monto en pesos"
          hint="Con un signo menos delante, el monto se resta. Por ejemplo -500."
          required
          inputMode="text"
          fault={fault}
        />
        <Field name="referencia" label="Referencia" required maxLength={200} fault={fault} />
        <Field name="motivo" label="Motivo" required maxLength={500} fault={fault} />
      </>
    )}
  </Form>
)

const LimitsForm = ({ company: { empresa_id, saldo }, onDone }: PartProps) => (
  <Form
    action="Guardar"
    faultOf={faultOf}
    onSubmit={async ({ alerta_saldo_bajo = "", diario = "", mensual = "", semanal = "" }) => {
      await api.empresas.limites.mutate({ empresa_id, diario, semanal, mensual, alerta_saldo_bajo })
      toast("Límites guardados.")
      onDone()
    }}
  >
    {(fault) => (
      <>
        <p>En pesos. 0 significa sin límite o, en la alerta, sin avisos.</p>
        {(
          [
            ["diario", "Límite del día", saldo.limites.diario],
            ["semanal", "Límite de la semana", saldo.limites.semanal],
            ["mensual", "Límite del mes", saldo.limites.mensual],
            ["alerta_saldo_bajo", "Alerta de saldo bajo", saldo.alerta_saldo_bajo]
          ] as const
        ).map(([name, label, value]) => (
          <Field
            key={name}
            name={name}
            label={label}
            value={String(value)}
            required
            inputMode="decimal"
            fault={fault}
          />
        ))}
      </>
    )}
  </Form>
)

const states = [
  { value: "activa", label: "Activa" },
  { value: "vip", label: "VIP" },
  { value: "suspendida", label: "Suspendida: se rechazan sus llamadas" }
]

const stateOf = (value: string | undefined): CompanyView["estado"] =>
  value === "vip" || value === "suspendida" ? value : "activa"

const switches = [
  { name: "api", label: "API", on: "Habilitada", off: "Deshabilitada" },
  { name: "seguros", label: "Seguros", on: "Habilitados", off: "Deshabilitados" },
  { name: "eventos", label: "Eventos", on: "Se escriben", off: "No se escriben" }
] as const

const SettingsForm = ({ company, onDone }: PartProps) => (
  <Form
    action="Guardar"
    faultOf={faultOf}
    onSubmit={async ({ api: isApi, estado, eventos, razon_social = "", rnc = "", seguros }) => {
      await api.empresas.cambiar.mutate({
        empresa_id: company.empresa_id,
        razon_social,
        ...(rnc !== "" && { rnc }),
        estado: stateOf(estado),
        api: isApi === "si",
        seguros: seguros === "si",
        eventos: eventos === "si"
      })
      toast("Datos guardados.")
      onDone()
    }}
  >
    {(fault) => (
      <>
        <Field
          name="razon_social"
          label="Razón social"
          value={company.razon_social}
          required
          maxLength={200}
          fault={fault}
        />
        <Field name="rnc" label="RNC" value={company.rnc ?? ""} fault={fault} />
        <Choice name="estado" label="Estado" options={states} value={company.estado} fault={fault} />
        {switches.map(({ label, name, off, on }) => (
          <Choice
            key={name}
            name={name}
            label={label}
            options={[
              { value: "si", label: on },
              { value: "no", label: off }
            ]}
            value={company[name] ? "si" : "no"}
            fault={fault}
          />
        ))}
      </>
    )}
  </Form>
)

const forms = { deposit: DepositForm, adjust: AdjustForm, limits: LimitsForm, settings: SettingsForm }

interface CompanyDialogProps extends PartProps {
  readonly kind: CompanyDialogKind
  readonly onClose: () => void
}

export const CompanyDialog = ({ company, kind, onClose, onDone }: CompanyDialogProps) => {
  const Part = forms[kind]
  const title = companyDialogs.find((each) => each.kind === kind)?.title ?? ""
  return (
    <Dialog title={`${title}: ${company.razon_social}`} onClose={onClose}>
      <Part company={company} onDone={onDone} />
    </Dialog>
  )
}
