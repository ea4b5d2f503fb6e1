import { Schema } from "effect"

/** Where a sale stands. Contract: 3.1. */
export const Status = Schema.Literals(["PROCESSING", "PENDING", "SUCCESS", "FAILED", "REVERSED"])
export type Status = typeof Status.Type

/** A sale, or a reversal, whose outcome is not known yet is in one of these. */
export const unresolvedStatuses = ["PROCESSING", "PENDING"] as const
export type UnresolvedStatus = (typeof unresolvedStatuses)[number]

/** May it still be settled? Contract: 3.1. */
export const isUnresolved = ({ status }: { readonly status: string }): boolean =>
  unresolvedStatuses.some((unresolved) => unresolved === status)

/** What a person reads of it. */
export const messages: Readonly<Record<Status, string>> = {
  PROCESSING: "Operación en proceso.",
  PENDING: "Resultado desconocido; el monto queda retenido.",
  SUCCESS: "Operación exitosa.",
  FAILED: "Operación no realizada; el monto fue devuelto.",
  REVERSED: "Operación anulada; el monto fue devuelto."
}
