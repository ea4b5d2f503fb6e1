import { Schema } from "effect"

/** Status of a sale. Contract: 3.1. */
export const Status = Schema.Literals(["PROCESSING", "PENDING", "SUCCESS", "FAILED", "REVERSED"])
export type Status = typeof Status.Type

/**
 * Status of a reversal. After DENIED, or if the request was never sent, a new reversal of the sale may be requested.
 */
export const ReversalStatus = Schema.Literals(["PROCESSING", "PENDING", "CONFIRMED", "DENIED"])
export type ReversalStatus = typeof ReversalStatus.Type

/** Statuses of a sale or reversal with an unknown outcome. */
export const unresolvedStatuses = ["PROCESSING", "PENDING"] as const
export type UnresolvedStatus = (typeof unresolvedStatuses)[number]

/** Whether the operation can still be settled. Contract: 3.1. */
export const isUnresolved = ({ status }: { readonly status: string }): boolean =>
  unresolvedStatuses.some((unresolved) => unresolved === status)

/** The message for people in each status. */
export const messages: Readonly<Record<Status, string>> = {
  PROCESSING: "Operación en proceso.",
  PENDING: "Resultado desconocido; el monto queda retenido.",
  SUCCESS: "Operación exitosa.",
  FAILED: "Operación no realizada; el monto fue devuelto.",
  REVERSED: "Operación anulada; el monto fue devuelto."
}
