import { type AmountParts, HistoryEvent, type Moment, type Movement } from "../../../core/domain/History.ts"
import { formatOffset } from "../../../core/domain/LocalTime.ts"
import { toPesos } from "../../../core/domain/Money.ts"
import { type SaleAction, SaleAction as SaleActions } from "../../../core/domain/SaleActions.ts"
import type { SaleShown } from "../../../core/workflows/ShowSale.ts"
import { entryView } from "../../api/Movimientos.ts"
import { findings, iso, proposalView } from "./SaleView.ts"

const subjects = { sale: "venta", reversal: "anulacion" } as const

/** A step in the history of a sale. The field `evento` determines the other fields. */
const stepView = HistoryEvent.$match({
  Reserved: ({ amount, key }) => ({ evento: "reservada" as const, idempotency_key: key, monto: toPesos(amount) }),
  Answered: ({ by, outcome, repeatsUntil }) => ({
    evento: "respondida" as const,
    respuesta: outcome,
    por: by,
    se_repite_hasta: iso(repeatsUntil)
  }),
  Replayed: ({ about, times, until }) => ({
    evento: "repetida" as const,
    sobre: subjects[about],
    veces: times,
    ultima: formatOffset(until)
  }),
  Asked: ({ about, answer, times, until }) => ({
    evento: "preguntada" as const,
    sobre: subjects[about],
    respuesta: answer,
    veces: times,
    ultima: formatOffset(until)
  }),
  NotAsked: ({ about, times, until }) => ({
    evento: "no_preguntada" as const,
    sobre: subjects[about],
    veces: times,
    ultima: formatOffset(until)
  }),
  Settled: ({ authCode, by, refusal, status }) => ({
    evento: "resuelta" as const,
    status,
    por: by,
    auth_code: authCode,
    motivo: refusal
  }),
  Entered: ({ entry }) => {
    const { monto, movimiento_id, saldo, tipo } = entryView(entry)
    return {
      evento: "asentada" as const,
      movimiento_id,
      tipo,
      monto,
      saldo_antes: toPesos(entry.balance - entry.amount),
      saldo
    }
  },
  ReversalBegun: ({ xid }) => ({ evento: "anulacion_pedida" as const, xid }),
  ReversalEnded: ({ by, status, xid }) => ({ evento: "anulacion_resuelta" as const, xid, status, por: by }),
  Reported: ({ event: { deliveries, sequence, type } }) => ({
    evento: "evento" as const,
    secuencia: sequence as number,
    tipo: type,
    entregas: deliveries.map(({ attempts, error, httpStatus, state, webhookId }) => ({
      webhook_id: webhookId as number,
      estado: state,
      intentos: attempts,
      http_status: httpStatus,
      error
    }))
  }),
  Audited: ({ action, details }) => ({ evento: "registro" as const, accion: action, detalles: details })
})

const partsView = ({ available, charged, held }: AmountParts) => ({
  disponible: toPesos(available),
  retenido: toPesos(held),
  cobrado: toPesos(charged)
})

const moneyView = (money: Movement | null) =>
  money === null ? null : { antes: partsView(money.before), despues: partsView(money.after) }

/**
 * The history of a sale. For a step that moves money, `dinero` states how much was available, held and charged before
 * and after the step.
 */
export const timelineView = (timeline: ReadonlyArray<Moment>) =>
  timeline.map(({ at, event, money }) => ({ fecha: formatOffset(at), ...stepView(event), dinero: moneyView(money) }))

const askSubjects = { Sale: "venta", Reversal: "anulacion", Settled: "resuelta" } as const

const actionView = SaleActions.$match({
  Ask: ({ about }) => ({ accion: "preguntar" as const, sobre: askSubjects[about] }),
  Propose: ({ findings: allowed }) => ({
    accion: "proponer" as const,
    resultados: allowed.map((finding) => findings[finding])
  }),
  ProposeFrom: ({ at }) => ({ accion: "proponer_desde" as const, desde: formatOffset(at) }),
  Confirm: ({ proposal }) => ({ accion: "confirmar" as const, propuesta: proposalView(proposal) }),
  NotConfirm: ({ proposal, why }) => ({
    accion: "no_confirmar" as const,
    propuesta: proposalView(proposal),
    motivo: why
  }),
  ReplayEvents: ({ events, webhookId }) => ({
    accion: "reenviar" as const,
    webhook_id: webhookId as number,
    secuencias: events.map(({ sequence }) => sequence as number),
    desde: events.map(({ at }) => formatOffset(at))[0] ?? null
  }),
  Nothing: ({ why }) => ({ accion: "nada" as const, motivo: why })
})

/** The possible actions on a sale. `permitida`: whether the operator's role allows the action. */
export const actionViews = (actions: SaleShown["actions"]) =>
  actions.map(({ action, allowed }: { readonly action: SaleAction; readonly allowed: boolean }) => ({
    ...actionView(action),
    permitida: allowed
  }))
