import type { ErrorCode } from "../../core/domain/ErrorCatalogue.ts"

/** What a person who met a code has to know. Contract: 7. */
interface ErrorText {
  readonly meaning: string
  /** What became of the money. */
  readonly money: string
  /** Whether the call may be repeated, and with which key. */
  readonly again: string
  /** What the client does, in order. */
  readonly action: readonly [string, ...ReadonlyArray<string>]
}

const untouched = "No se movió: la operación no llegó al proveedor."
const returned = "Se reservó y se devolvió completo al saldo disponible."
const held = "Queda retenido: ni cobrado ni devuelto, hasta que se conozca el resultado."
const none = "Esta llamada no mueve dinero."
const perhaps = "Puede haberse movido: hay que consultarlo antes de decidir."

const sameKey = "Sí, con la misma Idempotency-Key."
const newKey = "Sí, una vez corregida la causa y con una Idempotency-Key nueva."
const corrected = "Sí, una vez corregida la causa."
const pointless = "No: la respuesta sería la misma."

/** A page for each code: one without a text does not compile. */
export const errorTexts = {
  UNAUTHENTICATED: {
    meaning:
      "Faltan las credenciales, están mal escritas, no corresponden a ningún token, o el token ya venció. También ocurre cuando se envían dos credenciales distintas en la misma llamada.",
    money: untouched,
    again: "No, hasta corregir las credenciales: repetir en bucle solo agota el límite de llamadas.",
    action: [
      "Envíe Authorization: Bearer <api_key>.<api_secret>, o bien X-Api-Key y X-Api-Secret juntas.",
      "Compruebe que el secreto se guardó completo, sin espacios ni saltos de línea.",
      "Si el token venció, pida uno nuevo."
    ]
  },
  FORBIDDEN: {
    meaning:
      "Las credenciales son correctas, pero no alcanzan: el token está suspendido o revocado, le falta el permiso, se llama desde una IP no autorizada, la empresa no tiene la API o los seguros habilitados, o el cuerpo trae un empresa_id ajeno.",
    money: untouched,
    again: pointless,
    action: [
      "No envíe empresa_id: la empresa se deduce del token.",
      "Compruebe la IP de salida de su servidor y los permisos en GET /v1/cuenta.",
      "Si todo está en orden, escriba a soporte con el request_id."
    ]
  },
  NOT_FOUND: {
    meaning:
      "No existe la ruta, o no existe el recurso para su empresa. Un recurso de otra empresa se responde igual, para no revelar que existe. En una consulta, el número o contrato no existe.",
    money: none,
    again: pointless,
    action: [
      "Revise la ruta, el método y el identificador.",
      "Compruebe que usa las credenciales de la empresa que hizo la operación."
    ]
  },
  VALIDATION_ERROR: {
    meaning:
      "Algún dato no es válido. error.details tiene una entrada por campo con el motivo: requerido, invalido, fuera_de_rango, max_2_decimales, longitud, no_coincide, vencida o clave_reutilizada. Según la causa, el estado HTTP puede ser también 408, 413, 415 o 431.",
    money: untouched,
    again: corrected,
    action: [
      "Lea error.details y corrija cada campo que nombra.",
      "Si dice clave_reutilizada, esa Idempotency-Key ya pertenece a otra operación: use una nueva para la operación nueva.",
      "Si dice no_coincide, precio_real trae el precio vigente.",
      "Si falta opcion_id, haga antes la consulta que indica consultar_en."
    ]
  },
  INSUFFICIENT_BALANCE: {
    meaning:
      "El saldo disponible es menor que el monto. error.details trae saldo_disponible y monto_requerido. Lo retenido por operaciones sin resolver no está disponible.",
    money: untouched,
    again: "Sí, después de depositar; la misma Idempotency-Key sigue libre.",
    action: [
      "Deposite saldo, o venda un monto menor.",
      "Mire GET /v1/saldo: saldo_retenido vuelve o se cobra cuando se resuelven las operaciones pendientes."
    ]
  },
  LIMIT_EXCEEDED: {
    meaning:
      "La venta pasaría el límite de consumo diario, semanal o mensual. error.details dice el periodo, el limite, el consumo y el monto_requerido. Lo retenido cuenta como consumido.",
    money: untouched,
    again: "Sí, en el período siguiente; la misma Idempotency-Key sigue libre.",
    action: [
      "Espere al período siguiente: el día empieza a las 00:00, la semana el lunes y el mes el día 1, hora de Santo Domingo.",
      "Si el límite ya no le sirve, pida que se lo cambien."
    ]
  },
  IDEMPOTENT_REQUEST_IN_PROGRESS: {
    meaning:
      "La primera llamada con esta Idempotency-Key todavía no termina. Lo mismo se responde a una segunda anulación de la misma transacción.",
    money: "Lo mueve la primera llamada; esta no mueve nada.",
    again: `${sameKey} Nunca con otra: sería otra venta.`,
    action: [
      "Espere lo que dice Retry-After (2 segundos) y repita con la misma clave y el mismo cuerpo.",
      "Cuando la primera termine, recibirá su respuesta con Idempotent-Replay: true."
    ]
  },
  IDEMPOTENCY_CONFLICT: {
    meaning:
      "Esta Idempotency-Key ya nombró una operación y no se puede resolver con una repetición: lleva demasiado tiempo en curso, o se usó hace más de 24 horas.",
    money: "Esta llamada no mueve nada; la operación original conserva su efecto.",
    again: "Solo con una clave nueva, y solo si comprobó que la operación original no se ejecutó.",
    action: [
      "Consulte la transacción que nombra error.details.transaction_id.",
      "Si está en SUCCESS, la venta ya se hizo: no la repita.",
      "Si está en PROCESSING o PENDING, espere a que se resuelva.",
      "Solo si está en FAILED, venda de nuevo con una clave nueva."
    ]
  },
  RATE_LIMIT_EXCEEDED: {
    meaning:
      "Demasiadas llamadas en el minuto, por token o, sin credenciales válidas, por dirección IP. error.details.retry_after dice cuántos segundos faltan.",
    money: untouched,
    again: sameKey,
    action: [
      "Espere lo que dice Retry-After y repita con la misma clave.",
      "Si se repite, alargue la espera cada vez: 2, 4, 8 segundos...",
      "Mire X-RateLimit-Remaining en cada respuesta para no llegar a cero."
    ]
  },
  TRANSACTION_PENDING: {
    meaning:
      "La operación se envió y no hay una respuesta firme. No es un fallo: puede terminar en SUCCESS o en FAILED. La conciliación pregunta al proveedor hasta saberlo.",
    money: held,
    again: "Nunca, ni con la misma clave ni con otra: podría pagarse dos veces.",
    action: [
      "Muestre la operación como «verificando», no como fallida.",
      "Consulte la ruta de error.details.consultar_en (también en Location) cada 10 segundos, hasta 2 minutos.",
      "Si sigue PENDING, siga consultando más espaciado: se resolverá sola."
    ]
  },
  INVALID_PHONE: {
    meaning:
      "El proveedor no reconoce el número. Los guiones, los espacios y el prefijo +1 se envían tal cual y también causan este rechazo.",
    money: returned,
    again: newKey,
    action: ["Confirme el número con el cliente: 10 dígitos, sin separadores.", "Venda de nuevo con una clave nueva."]
  },
  INVALID_PRODUCT: {
    meaning: "El servicio no existe, está inactivo o no está habilitado para su empresa.",
    money: untouched,
    again: corrected,
    action: ["Actualice el catálogo con GET /v1/servicios.", "Deje de ofrecer los servicios que ya no aparecen."]
  },
  INVALID_AMOUNT: {
    meaning: "El proveedor no acepta ese monto para ese servicio.",
    money: returned,
    again: newKey,
    action: [
      "Respete monto_minimo y monto_maximo del catálogo; 0 significa sin tope por ese lado.",
      "Venda de nuevo con otro monto y una clave nueva."
    ]
  },
  DUPLICATE_TRANSACTION: {
    meaning:
      "Lo que se quiere pagar ya está pagado o se está pagando. error.details.transaction_id nombra esa transacción.",
    money: untouched,
    again: pointless,
    action: [
      "Consulte esa transacción y, si está en SUCCESS, entregue su comprobante.",
      "Si está en PROCESSING o PENDING, espere a que se resuelva."
    ]
  },
  TRANSACTION_REJECTED: {
    meaning:
      "El proveedor rechazó la operación de forma definitiva. En una anulación significa que la venta sigue en pie.",
    money: "En una venta, se reservó y se devolvió completo. En una anulación, la venta queda cobrada.",
    again: newKey,
    action: [
      "Muestre el rechazo al cliente y revise los datos con él.",
      "Si el rechazo se repite, escriba a soporte con el xid."
    ]
  },
  SERVICE_TIMEOUT: {
    meaning: "El servicio consultado no respondió a tiempo.",
    money: perhaps,
    again: "Una consulta, sí. Una venta, solo después de consultar su estado y con la misma clave.",
    action: [
      "Si era una consulta, repítala dentro de unos segundos.",
      "Si era una venta, busque antes la transacción con GET /v1/transacciones?idempotency_key=..."
    ]
  },
  SERVICE_UNAVAILABLE: {
    meaning: "No se pudo llegar al proveedor. Es seguro que no recibió la operación.",
    money: returned,
    again: sameKey,
    action: [
      "Espere lo que dice Retry-After y repita con la misma clave.",
      "Si continúa, deje de ofrecer el servicio por unos minutos."
    ]
  },
  REVERSAL_NOT_SUPPORTED: {
    meaning: "El servicio no acepta anulación. Ningún seguro la acepta.",
    money: "No se movió: la venta sigue cobrada.",
    again: pointless,
    action: [
      "Ofrezca «anular» solo cuando el servicio tiene acepta_anulacion en true.",
      "Si el cliente reclama, escriba a soporte con el transaction_id."
    ]
  },
  NOT_IMPLEMENTED: {
    meaning: "Los servicios de seguros no se consultan por esta vía. error.details.consultar_en dice por cuál.",
    money: none,
    again: pointless,
    action: ["Siga los pasos de /v1/seguros para cotizar.", "Venda después con el opcion_id que da la cotización."]
  },
  INTERNAL_ERROR: {
    meaning: "Falló algo nuestro. La respuesta no dice si la operación llegó a hacerse.",
    money: perhaps,
    again: `${sameKey} Así no puede haber dos ventas.`,
    action: [
      "Repita con la misma clave, o busque la transacción con GET /v1/transacciones?idempotency_key=...",
      "Si persiste, escriba a soporte con el request_id."
    ]
  },
  SEGURO_NO_EMITIDO: {
    meaning: "La aseguradora no emitió la póliza. Esa venta quedó cerrada.",
    money: returned,
    again: "No con esa cotización.",
    action: ["Empiece de nuevo en el paso 1, POST /v1/seguros.", "Cotice otra vez y venda con una clave nueva."]
  },
  COTIZACION_VENCIDA: {
    meaning: "Pasaron más de 30 minutos desde la cotización.",
    money: untouched,
    again: "Sí, con una cotización nueva.",
    action: [
      "Cotice de nuevo con POST /v1/seguros/{id}/cotizar.",
      "Muestre el monto nuevo al cliente antes de vender: puede haber cambiado."
    ]
  },
  SEGURO_YA_VENDIDO: {
    meaning:
      "Esta cotización ya se vendió, se está vendiendo, o su venta falló. Cada cotización se vende una sola vez.",
    money: "Esta llamada no mueve nada; la venta original conserva su efecto.",
    again: pointless,
    action: [
      "Consulte GET /v1/seguros/{id}: dice el estado y la transacción.",
      "Si está en fallida, empiece de nuevo en el paso 1."
    ]
  },
  SEGURO_SIN_COTIZAR: {
    meaning: "Se intentó vender sin haber cotizado.",
    money: untouched,
    again: corrected,
    action: ["Cotice con POST /v1/seguros/{id}/cotizar.", "Venda con el opcion_id de la respuesta."]
  },
  POLIZA_ACTIVA: {
    meaning: "El vehículo ya tiene una póliza vigente. El mensaje dice desde cuándo se puede renovar.",
    money: none,
    again: "No, hasta la fecha de renovación.",
    action: ["Muestre el mensaje al cliente.", "Ofrezca la renovación cuando llegue la fecha."]
  },
  POLIZA_NO_EMITIDA: {
    meaning: "Se pidió un documento de una póliza que todavía no se ha emitido.",
    money: none,
    again: "Sí, cuando el estado sea emitida.",
    action: [
      "Consulte GET /v1/seguros/{id} hasta que estado sea emitida.",
      "Pida entonces el documento por la ruta que aparece en documentos."
    ]
  },
  VEHICULO_NO_SOPORTADO: {
    meaning: "La aseguradora no cubre ese tipo de vehículo.",
    money: none,
    again: pointless,
    action: [
      "Compruebe que la placa está bien escrita.",
      "Si lo está, diga al cliente que este seguro no se le puede vender."
    ]
  },
  SEGURO_RECHAZADO: {
    meaning:
      "La aseguradora rechazó los datos: la cédula, la placa o el teléfono no corresponden entre sí o no los acepta.",
    money: none,
    again: corrected,
    action: ["Muestre el mensaje al cliente.", "Revise con él los datos y empiece de nuevo en el paso 1."]
  },
  OTP_INCORRECTO: {
    meaning: "El código del SMS no coincide, o pasaron sus 10 minutos. Al quinto intento fallido se bloquea.",
    money: none,
    again: "Sí, con el código correcto.",
    action: [
      "Pida al cliente que lea de nuevo el código.",
      "Si venció, envíe otro con POST /v1/seguros/{id}/otp. Los intentos anteriores siguen contando."
    ]
  },
  OTP_BLOQUEADO: {
    meaning: "Hubo 5 códigos fallidos, o se pidieron demasiados reenvíos. Este proceso no puede seguir.",
    money: none,
    again: "No con este seguro_id.",
    action: ["Empiece de nuevo en el paso 1, POST /v1/seguros.", "Confirme antes el teléfono del titular."]
  },
  SEGURO_PASO_INVALIDO: {
    meaning: "Los pasos del seguro tienen un orden, y este no corresponde al estado en que está.",
    money: untouched,
    again: "Sí, en su orden.",
    action: [
      "Consulte GET /v1/seguros/{id} y mire estado.",
      "Siga con el paso que toca: código, plan, cotización y venta."
    ]
  },
  SEGUROS_NO_DISPONIBLE: {
    meaning: "La venta de seguros está detenida por un momento; las demás ventas siguen.",
    money: none,
    again: "Sí, más tarde.",
    action: [
      "Espere lo que dice Retry-After y repita el paso.",
      "Si continúa, ofrezca los seguros más tarde. Los demás servicios no están afectados."
    ]
  }
} as const satisfies Record<ErrorCode, ErrorText>
