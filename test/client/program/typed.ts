// A program as an integrator writes it. It is type-checked against the installed package, and never run.
import {
  type Cierre,
  createClient,
  type ErrorCode,
  isSaldoError,
  type Movimiento,
  SaldoError,
  SaldoNetworkError,
  type SaleResult,
  type Transaccion
} from "@saldo/client"
import { type SaldoEvent, SaldoWebhookError, verificarWebhook } from "@saldo/client/webhooks"

const saldo = createClient({ url: "https://api.example.com", apiKey: "k", apiSecret: "s", timeout_ms: 5_000 })

export const sell = async (signal: AbortSignal): Promise<string> => {
  const sold: SaleResult = await saldo.vender({ service_id: 1, identifier: "8095551234", amount: 100 }, { signal })
  switch (sold.status) {
    case "SUCCESS":
      return `${sold.auth_code} ${sold.service.nombre} ${sold.recharge_token ?? ""}`
    case "FAILED":
      return sold.code ?? sold.message
    case "PENDING":
      return sold.error === null ? sold.xid : sold.error.message
  }
}

export const explain = (error: unknown): string | number | undefined => {
  if (error instanceof SaldoNetworkError) return error.idempotencyKey
  if (!isSaldoError(error)) throw error
  const code: ErrorCode = error.code
  if (error.code === "INSUFFICIENT_BALANCE") return error.details.saldo_disponible
  if (error.code === "LIMIT_EXCEEDED") return error.details.periodo
  if (error.code === "VALIDATION_ERROR") return error.details["amount"]
  // @ts-expect-error: this code has no details.
  if (error.code === "NOT_FOUND") return error.details.motivo
  // @ts-expect-error: there is no such code.
  if (error.code === "NO_SUCH_CODE") return code
  return error.requestId
}

export const isSale = (error: unknown): boolean => error instanceof SaldoError && error.httpStatus === 422

export const read = async (): Promise<ReadonlyArray<Transaccion | Movimiento | SaldoEvent>> => {
  const found: Array<Transaccion | Movimiento | SaldoEvent> = []
  for await (const each of saldo.transaccionesTodas({ status: "PENDING", date_from: "2026-01-31" })) found.push(each)
  for await (const each of saldo.movimientosTodos()) found.push(each)
  for await (const each of saldo.eventosTodos({ despues_de: 17 })) found.push(each)
  const closings: Array<Cierre> = []
  for await (const each of saldo.cierresTodos({ date_from: "2026-01-31" })) closings.push(each)
  const closing: Uint8Array = await saldo.cierreArchivo(closings[0]?.dia ?? "2026-01-31", "csv")
  const { saldo_disponible } = await saldo.cuenta.saldo.query()
  const sale = await saldo.recargas.crear.mutate({ service_id: 1, identifier: "1", amount: "10.00" })
  const pdf: Uint8Array = closing.length > 0 ? closing : await saldo.reciboPdf(sale.transaction_id)
  // @ts-expect-error: the identifier is missing.
  await saldo.recargas.crear.mutate({ service_id: 1, amount: saldo_disponible })
  // @ts-expect-error: this procedure takes no input.
  await saldo.cuenta.saldo.query(pdf.length)
  // @ts-expect-error: there is no such status.
  saldo.transaccionesTodas({ status: "LOST" })
  return found
}

export const receive = async (body: string, headers: Headers, secreto?: string): Promise<string | number> => {
  try {
    const event = await verificarWebhook(body, headers, secreto)
    if (event.type === "balance.low") return event.data.saldo_disponible
    return event.type === "transaction.succeeded" ? event.data.identifier : event.id
  } catch (error) {
    return error instanceof SaldoWebhookError ? error.reason : "?"
  }
}
