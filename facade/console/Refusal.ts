/** tRPC's names for the kinds of refusals. Each name has an HTTP status. */
export type RefusalKind =
  | "UNAUTHORIZED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "CONFLICT"
  | "UNPROCESSABLE_CONTENT"
  | "TOO_MANY_REQUESTS"

/** An error as the console shows it. */
export interface Refusal {
  readonly kind: RefusalKind
  readonly code: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
}

const refusal =
  (kind: RefusalKind) =>
  (code: string, message: string, details?: Refusal["details"]): Refusal => ({
    kind,
    code,
    message,
    ...(details && { details })
  })

export const forbidden = refusal("FORBIDDEN")
export const missing = refusal("NOT_FOUND")
export const conflict = refusal("CONFLICT")
export const invalid = refusal("UNPROCESSABLE_CONTENT")
export const tooMany = refusal("TOO_MANY_REQUESTS")
export const unauthorized = refusal("UNAUTHORIZED")
