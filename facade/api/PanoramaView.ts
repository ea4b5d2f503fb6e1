import { DateTime, Duration } from "effect"
import { toPesos } from "../../core/domain/Money.ts"
import {
  type DayComparison,
  type DaySales,
  type LastAudit,
  type OpenMatters,
  type Panorama,
  type SalesCount,
  type Supplier,
  type SupplierResult,
  successRateOf
} from "../../core/domain/Panorama.ts"

/** The panorama in the form that the console and `saldo status --json` show. */

type Format = (instant: DateTime.Utc) => string

const orNull = (format: Format, instant: DateTime.Utc | null) => (instant === null ? null : format(instant))

const countView = ({ amount, failed, reversed, sold, unresolved }: SalesCount) => ({
  ventas: sold,
  monto: toPesos(amount),
  fallidas: failed,
  anuladas: reversed,
  sin_resolver: unresolved
})

const dayView = ({ day, hours, total }: DaySales) => ({
  dia: day,
  total: countView(total),
  horas: hours.map((count, hora) => ({ hora, ...countView(count) }))
})

const salesView = ({ before, beforeUntilNow, services, today }: DayComparison) => ({
  hoy: dayView(today),
  hace_una_semana: dayView(before),
  hace_una_semana_hasta_esta_hora: countView(beforeUntilNow),
  servicios: services.map((each) => ({
    service_id: each.service.id as number,
    servicio: each.service.name,
    hoy: countView(each.today),
    hace_una_semana: countView(each.before)
  }))
})

/** Names of the suppliers in flags and documents. */
export const supplierNames = { provider: "proveedor", insurer: "aseguradora" } as const satisfies Readonly<
  Record<Supplier, string>
>

const supplierView = (result: SupplierResult) => ({
  suplidor: supplierNames[result.supplier],
  service_id: result.service === null ? null : (result.service.id as number),
  servicio: result.service?.name ?? null,
  entregadas: result.delivered,
  fallidas: result.failed,
  exito: successRateOf(result),
  mediana_ms: result.median_ms,
  p95_ms: result.p95_ms
})

const openView = (
  { closing, held, lowBalances, oldestDelivery, webhooks }: OpenMatters,
  now: DateTime.Utc,
  format: Format
) => ({
  retenido: {
    total: toPesos(held.bands.reduce((sum, band) => sum + band.held, 0)),
    ventas: held.bands.reduce((sum, band) => sum + band.sales, 0),
    anulaciones: held.reversals,
    edades: held.bands.map(({ from_s, held, sales }) => ({
      desde_segundos: from_s,
      ventas: sales,
      monto: toPesos(held)
    })),
    mas_antigua:
      held.oldest === null
        ? null
        : {
            empresa_id: held.oldest.companyId as number,
            transaction_id: held.oldest.transactionId as number,
            sobre: held.oldest.about === "sale" ? "venta" : "anulacion",
            desde: format(held.oldest.since),
            edad_segundos: Math.floor(Duration.toSeconds(DateTime.distance(held.oldest.since, now)))
          }
  },
  saldos_bajos: {
    total: lowBalances.total,
    items: lowBalances.items.map(({ alert, available, companyId, name }) => ({
      empresa_id: companyId as number,
      razon_social: name,
      saldo_disponible: toPesos(available),
      alerta_saldo_bajo: toPesos(alert)
    }))
  },
  webhooks: {
    total: webhooks.total,
    items: webhooks.items.map((webhook) => ({
      empresa_id: webhook.companyId as number,
      razon_social: webhook.companyName,
      webhook_id: webhook.webhookId,
      url: webhook.url,
      estado: webhook.disabled ? "desactivado" : "fallando",
      falla_desde: orNull(format, webhook.failingSince),
      entrega_mas_antigua: orNull(format, webhook.oldestDue)
    })),
    entrega_mas_antigua: orNull(format, oldestDelivery)
  },
  cierres: { ultimo_dia: closing.day, empresas_al_dia: closing.closed, empresas_atrasadas: closing.unclosed }
})

const auditView = ({ duration_ms, endedAt, violated }: LastAudit, format: Format) => ({
  fecha: format(endedAt),
  duracion_ms: duration_ms,
  ok: violated.length === 0,
  violadas: violated.map(({ invariant, violations }) => ({ invariante: invariant, violaciones: violations }))
})

/** @param format writes an instant. Local days are always written as `YYYY-MM-DD`. */
export const panoramaView = ({ at, audit, environment, open, sales, suppliers }: Panorama, format: Format) => ({
  fecha: format(at),
  ambiente: environment,
  ...salesView(sales),
  suplidores: { hoy: suppliers.today.map(supplierView), ultima_hora: suppliers.lastHour.map(supplierView) },
  ...openView(open, at, format),
  auditoria: audit === null ? null : auditView(audit, format)
})

export type PanoramaView = ReturnType<typeof panoramaView>
