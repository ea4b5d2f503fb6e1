/** The texts on the page of an error code. Contract: 7. */
export interface ErrorText {
  readonly meaning: string
  /** Whether money moved. */
  readonly money: string
  /** Whether the client may repeat the call, and with which key. */
  readonly again: string
  /** The steps that the client should take, in order. */
  readonly action: readonly [string, ...ReadonlyArray<string>]
}

export const untouched = "No se movió: la operación no llegó al proveedor."
export const returned = "Se reservó y se devolvió completo al saldo disponible."
export const none = "Esta llamada no mueve dinero."
export const perhaps = "Puede haberse movido: consulte la transacción antes de decidir."

export const sameKey = "Sí, con la misma Idempotency-Key."
export const newKey = "Sí, una vez corregida la causa y con una Idempotency-Key nueva."
export const corrected = "Sí, una vez corregida la causa."
export const pointless = "No: la respuesta sería la misma."
