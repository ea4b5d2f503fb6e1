import { dateTime, day } from "../ui/Format.ts"
import type { Sale } from "./Timeline.tsx"

export type Proposal = NonNullable<Sale["propuesta"]>
export type Finding = Proposal["resultado"]

/** The effect of each finding on the money. */
export const findingNames: Readonly<Record<Finding, string>> = {
  exitosa: "La venta se entregó: se cobra lo retenido",
  fallida: "La venta no se entregó: se devuelve lo retenido",
  anulada: "La anulación se hizo: se devuelve el monto",
  no_anulada: "La anulación no se hizo: la venta sigue cobrada"
}

/** The finding and the proof of a proposal, and the operator who made it. */
export const ProposalFacts = ({ proposal }: { proposal: Proposal }) => (
  <dl class="facts">
    <dt>Propuesta {proposal.numero}</dt>
    <dd>{findingNames[proposal.resultado]}.</dd>
    {proposal.autorizacion !== null && (
      <>
        <dt>Autorización</dt>
        <dd>{proposal.autorizacion}</dd>
      </>
    )}
    {proposal.token !== null && (
      <>
        <dt>Dígitos para el medidor</dt>
        <dd>{proposal.token}</dd>
      </>
    )}
    {proposal.desde !== null && proposal.hasta !== null && (
      <>
        <dt>Vigencia</dt>
        <dd>
          {day(proposal.desde)} a {day(proposal.hasta)}
        </dd>
      </>
    )}
    <dt>Motivo</dt>
    <dd>{proposal.motivo}</dd>
    <dt>La hizo</dt>
    <dd>
      {proposal.propuesta_por}, {dateTime(proposal.propuesta_en)}
    </dd>
    {proposal.confirmada_por !== null && proposal.confirmada_en !== null && (
      <>
        <dt>La confirmó</dt>
        <dd>
          {proposal.confirmada_por}, {dateTime(proposal.confirmada_en)}
        </dd>
      </>
    )}
  </dl>
)
