/**
 * Each error code with its HTTP status and its message for people. Clients decide by status and code, never by the
 * message. Contract: 7.
 */
export const codes = {
  UNAUTHENTICATED: { status: 401, message: "Credenciales ausentes o inválidas." },
  FORBIDDEN: { status: 403, message: "El token o la empresa no tiene permiso para esta operación." },
  NOT_FOUND: { status: 404, message: "El recurso no existe." },
  VALIDATION_ERROR: { status: 422, message: "Parámetros inválidos; vea los detalles." },
  INSUFFICIENT_BALANCE: { status: 422, message: "El saldo disponible no alcanza." },
  LIMIT_EXCEEDED: { status: 422, message: "La operación excede el límite de consumo del período." },
  IDEMPOTENT_REQUEST_IN_PROGRESS: {
    status: 409,
    message: "Ya hay una operación en curso; espere y repita esta llamada con su misma clave."
  },
  IDEMPOTENCY_CONFLICT: { status: 409, message: "La clave no puede resolverse; revise el historial antes de repetir." },
  RATE_LIMIT_EXCEEDED: { status: 429, message: "Demasiadas solicitudes; espere y repita." },
  TRANSACTION_PENDING: {
    status: 202,
    message: "Resultado desconocido; el monto queda retenido. Consulte la transacción y no repita la venta."
  },
  INVALID_PHONE: { status: 422, message: "Número inválido; el monto fue devuelto." },
  INVALID_PRODUCT: { status: 422, message: "El servicio no es válido; actualice el catálogo." },
  INVALID_AMOUNT: { status: 422, message: "El proveedor no aceptó el monto, que fue devuelto." },
  DUPLICATE_TRANSACTION: { status: 422, message: "Operación duplicada; revise el historial." },
  TRANSACTION_REJECTED: { status: 422, message: "El proveedor rechazó la operación; el monto fue devuelto." },
  SERVICE_TIMEOUT: { status: 422, message: "El servicio no respondió a tiempo." },
  SERVICE_UNAVAILABLE: { status: 422, message: "El servicio no está disponible; espere y repita con la misma clave." },
  REVERSAL_NOT_SUPPORTED: { status: 422, message: "El servicio no acepta anulación." },
  NOT_IMPLEMENTED: { status: 501, message: "Este servicio no se consulta por esta vía." },
  INTERNAL_ERROR: { status: 500, message: "Error interno; consulte la transacción y reporte el request_id." },
  SEGURO_NO_EMITIDO: { status: 422, message: "La póliza no fue emitida; el monto fue devuelto." },
  COTIZACION_VENCIDA: { status: 409, message: "La cotización venció; cotice de nuevo." },
  SEGURO_YA_VENDIDO: { status: 409, message: "Este seguro ya fue vendido o se está vendiendo." },
  SEGURO_SIN_COTIZAR: { status: 409, message: "Falta cotizar el seguro." },
  POLIZA_ACTIVA: { status: 422, message: "El vehículo ya tiene una póliza vigente." },
  POLIZA_NO_EMITIDA: { status: 409, message: "La póliza todavía no ha sido emitida." },
  VEHICULO_NO_SOPORTADO: { status: 422, message: "La aseguradora no cubre este tipo de vehículo." },
  SEGURO_RECHAZADO: { status: 422, message: "La aseguradora rechazó los datos." },
  OTP_INCORRECTO: { status: 422, message: "El código es incorrecto o venció." },
  OTP_BLOQUEADO: { status: 409, message: "Demasiados códigos fallidos o reenvíos; no se enviará otro código." },
  SEGURO_PASO_INVALIDO: { status: 409, message: "Este paso no corresponde al estado del seguro." },
  SEGUROS_NO_DISPONIBLE: { status: 503, message: "La venta de seguros no está disponible por ahora." }
} as const satisfies Record<string, { readonly status: number; readonly message: string }>

export type ErrorCode = keyof typeof codes

/** Further statuses of VALIDATION_ERROR: 413 for a body that is too large, 415 for a body that is not JSON. */
export const bodyStatuses = [413, 415] as const

export type ErrorStatus = (typeof codes)[ErrorCode]["status"] | (typeof bodyStatuses)[number]
