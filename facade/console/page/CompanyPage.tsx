import { useState } from "preact/hooks"
import { Badge } from "../ui/Badge.tsx"
import { dateTime, pesos } from "../ui/Format.ts"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { api, faultOf } from "./Client.ts"
import { CompanyDialog, type CompanyDialogKind, type CompanyView, companyDialogs } from "./CompanyDialogs.tsx"
import { CompanyStatement } from "./CompanyStatement.tsx"
import { CompanyTokens } from "./CompanyTokens.tsx"
import { Link, type ScreenProps } from "./Navigation.tsx"
import { Proposals } from "./Proposals.tsx"
import { useSession } from "./Session.ts"

const limitText = (limit: number): string => (limit === 0 ? "sin límite" : `de ${pesos(limit)}`)

const Balance = ({ saldo }: { saldo: CompanyView["saldo"] }) => {
  const { consumo_periodo: spent, limites: limits } = saldo
  const cards = [
    { title: "Disponible", value: saldo.saldo_disponible, note: saldo.saldo_bajo ? "Saldo bajo" : "" },
    { title: "Retenido", value: saldo.saldo_retenido, note: "en ventas sin resolver" },
    { title: "Saldo actual", value: saldo.saldo_actual, note: `desde ${dateTime(saldo.actualizado_en)}` },
    { title: "Consumo de hoy", value: spent.diario, note: limitText(limits.diario) },
    { title: "Consumo de la semana", value: spent.semanal, note: limitText(limits.semanal) },
    { title: "Consumo del mes", value: spent.mensual, note: limitText(limits.mensual) }
  ]
  return (
    <div class="cards">
      {cards.map(({ note, title, value }) => (
        <div key={title} class="card">
          {title}
          <strong>{pesos(value)}</strong>
          <small>{note}</small>
        </div>
      ))}
    </div>
  )
}

const Facts = ({ company }: { company: CompanyView }) => {
  const facts = [
    ["Código", company.codigo_empresa],
    ["RNC", company.rnc ?? "—"],
    ["Ambiente", company.ambiente === "production" ? "Producción" : "Pruebas"],
    ["API", company.api ? "Habilitada" : "Deshabilitada"],
    ["Seguros", company.seguros ? "Habilitados" : "Deshabilitados"],
    ["Eventos", company.eventos ? "Se escriben" : "No se escriben"],
    ["Alerta de saldo bajo", company.saldo.alerta_saldo_bajo === 0 ? "—" : pesos(company.saldo.alerta_saldo_bajo)]
  ] as const
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  )
}

const Actions = ({ company, onChange }: { company: CompanyView; onChange: () => void }) => {
  const { session } = useSession()
  const [open, setOpen] = useState<CompanyDialogKind>()
  const close = () => setOpen(undefined)
  return (
    <div class="buttons">
      {companyDialogs.map(({ action, kind, title }) =>
        session?.acciones.includes(action) ? (
          <button key={kind} type="button" onClick={() => setOpen(kind)}>
            {title}
          </button>
        ) : null
      )}
      <Link class="button" to={`/transacciones?empresa_id=${company.empresa_id}`}>
        Ventas
      </Link>
      <Link class="button" to={`/webhooks?empresa_id=${company.empresa_id}`}>
        Webhooks
      </Link>
      {open && (
        <CompanyDialog
          kind={open}
          company={company}
          onClose={close}
          onDone={() => {
            close()
            onChange()
          }}
        />
      )}
    </div>
  )
}

const refresh_s = 15

/** A company: balance, settings, tokens and statement. */
export const CompanyPage = ({ id, query }: ScreenProps) => {
  const companyId = Number(id)
  const { data, error, reload } = useLive(() => api.empresas.ver.query({ empresa_id: companyId }), id, refresh_s)
  // The number of changes. A new number loads the proposals again, because a deposit or an adjustment may have become a
  // proposal.
  const [changes, setChanges] = useState(0)
  const changed = () => {
    reload()
    setChanges((times) => times + 1)
  }
  if (data === undefined)
    return error === undefined ? <Loading /> : <Failed message={faultOf(error).message} retry={reload} />
  const { estado, razon_social, saldo } = data
  return (
    <>
      <p>
        <strong>{razon_social}</strong> <Badge tone={estado === "suspendida" ? "bad" : "good"}>{estado}</Badge>
      </p>
      <Balance saldo={saldo} />
      <Actions company={data} onChange={changed} />
      <Facts company={data} />
      <section aria-labelledby="propuestas">
        <h2 id="propuestas">Propuestas</h2>
        <Proposals companyId={companyId} version={changes} onDecided={reload} />
      </section>
      <CompanyTokens companyId={companyId} />
      <CompanyStatement companyId={companyId} query={query} version={`${saldo.saldo_actual} ${saldo.actualizado_en}`} />
    </>
  )
}
