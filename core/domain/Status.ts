import { Schema } from "effect"

/** Where a sale stands. Contract: 3.1. */
export const Status = Schema.Literals(["PROCESSING", "PENDING", "SUCCESS", "FAILED", "REVERSED"])
export type Status = typeof Status.Type

/** What a person reads of it. */
export const messages: Readonly<Record<Status, string>> = {
  PROCESSING: "Operación en proceso.",
  PENDING: "Resultado desconocido; el monto queda retenido.",
  SUCCESS: "Operación exitosa.",
  FAILED: "Operación no realizada; el monto fue devuelto.",
  REVERSED: "Operación anulada; el monto fue devuelto."
}
