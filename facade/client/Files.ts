import type { Calls } from "./Calls.ts"
import type { CallOptions } from "./Connection.ts"
import type { Input } from "./Procedures.ts"

/** The filter of a list, for a read of all its pages. */
export type WholeList<Resource extends "movimientos" | "transacciones"> = Omit<
  Input<Resource, "listar">,
  "formato" | "page" | "per_page"
>

/** Calls that return a document or a table as the bytes of a file. */
export interface Files {
  /** The receipt of a sale, as PDF. */
  reciboPdf(transactionId: number, options?: CallOptions): Promise<Uint8Array>
  /** The policy of an insurance, or the sticker for the vehicle, as PDF. */
  documentoPdf(insuranceId: number, tipo: "poliza" | "marbete", options?: CallOptions): Promise<Uint8Array>
  /** The transactions that the filter finds, as CSV. */
  transaccionesCsv(filter?: WholeList<"transacciones">, options?: CallOptions): Promise<Uint8Array>
  /** The entries of the statement that the filter finds, as CSV. */
  movimientosCsv(filter?: WholeList<"movimientos">, options?: CallOptions): Promise<Uint8Array>
  /** The closing of a day, as CSV or PDF. */
  cierreArchivo(dia: string, formato: "csv" | "pdf", options?: CallOptions): Promise<Uint8Array>
}

const csv = (filter: object): string => {
  const fields = Object.entries(filter).filter(([, value]) => value !== undefined && value !== null)
  return new URLSearchParams([["formato", "csv"], ...fields.map(([name, value]) => [name, String(value)])]).toString()
}

/** The files of a service. REST sends them, because tRPC has only JSON. */
export const filesOver = ({ file }: Calls): Files => ({
  reciboPdf: (id, options) => file(`/v1/transacciones/${encodeURIComponent(id)}/recibo?formato=pdf`, options),
  documentoPdf: (id, tipo, options) =>
    file(`/v1/seguros/${encodeURIComponent(id)}/documento?tipo=${encodeURIComponent(tipo)}`, options),
  transaccionesCsv: (filter = {}, options) => file(`/v1/transacciones?${csv(filter)}`, options),
  movimientosCsv: (filter = {}, options) => file(`/v1/movimientos?${csv(filter)}`, options),
  cierreArchivo: (dia, formato, options) =>
    file(`/v1/cierres/${encodeURIComponent(dia)}?formato=${encodeURIComponent(formato)}`, options)
})
