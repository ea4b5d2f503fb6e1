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
      "Algún dato no es válido. error.details tiene una entrada por campo con el motivo: requerido, invalido, fuera_de_rango, max_2_decimales, longitud, no_coincide, no_disponible, no_anulable, vencida o clave_reutilizada. Según la causa, el estado HTTP puede ser también 408, 413, 415 o 431.",
    money: untouched,
    again: corrected,
    action: [
      "Lea error.details y corrija cada campo que nombra.",
      "Si dice clave_reutilizada, esa Idempotency-Key ya pertenece a otra operación: use una nueva para la operación nueva.",
      "Si dice no_coincide, precio_real trae el precio vigente.",
      "Si falta opcion_id, haga antes la consulta que indica consultar_en.",
      "Si dice no_disponible, ese vehículo no puede tener ese servicio opcional: cotice sin él."
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
    meaning:
      "La aseguradora se negó a emitir la póliza. Esa venta quedó cerrada y el seguro pasó a fallida. error.details trae transaction_id y xid.",
    money: returned,
    again: "No con ese seguro: su cotización ya no se puede vender.",
    action: [
      "Diga al cliente que no se emitió la póliza y que no se cobró nada.",
      "Empiece de nuevo en el paso 1, POST /v1/seguros.",
      "Cotice otra vez y venda con una Idempotency-Key nueva.",
      "Si vuelve a ocurrir con el mismo vehículo, escriba a soporte con el xid."
    ]
  },
  COTIZACION_VENCIDA: {
    meaning:
      "Pasaron los 30 minutos por los que vale una cotización. El seguro conserva el plan elegido: solo hay que volver a cotizar.",
    money: untouched,
    again: "Sí, después de cotizar de nuevo; la misma Idempotency-Key sigue libre.",
    action: [
      "Cotice de nuevo con POST /v1/seguros/{id}/cotizar.",
      "Muestre monto_total al cliente antes de vender: puede haber cambiado.",
      "Venda con el mismo opcion_id dentro de los minutos que dice valida_minutos."
    ]
  },
  SEGURO_YA_VENDIDO: {
    meaning:
      "Cada cotización se vende una sola vez, y esta ya se vendió, se está vendiendo o su venta falló. error.details trae seguro_id, estado, transaction_id y, en consultar_en, la ruta del seguro. También se responde a la segunda de dos ventas simultáneas.",
    money: "Esta llamada no mueve nada; la venta original conserva su efecto.",
    again: pointless,
    action: [
      "Mire error.details.estado, o consulte la ruta de error.details.consultar_en.",
      "Si es emitida, la póliza existe: entregue sus documentos y no la venda otra vez.",
      "Si es cobrando o emitiendo, consulte la transacción hasta que esté en SUCCESS o en FAILED.",
      "Si es fallida, el monto fue devuelto: empiece de nuevo en el paso 1, POST /v1/seguros."
    ]
  },
  SEGURO_SIN_COTIZAR: {
    meaning: "Se intentó vender un seguro sin cotización. Elegir otro plan también borra la cotización que había.",
    money: untouched,
    again: "Sí, después de cotizar; la misma Idempotency-Key sigue libre.",
    action: [
      "Consulte GET /v1/seguros/{id} para ver qué pasos faltan.",
      "Cotice con POST /v1/seguros/{id}/cotizar y muestre monto_total al cliente.",
      "Venda con el opcion_id de la respuesta, y con la placa como identifier."
    ]
  },
  POLIZA_ACTIVA: {
    meaning:
      "El vehículo ya tiene una póliza vigente y todavía no se puede renovar. error.details.renovable_desde es el día, AAAA-MM-DD, desde el que se puede; el mensaje también lo dice.",
    money: none,
    again: "No antes de renovable_desde.",
    action: [
      "Diga al cliente que está asegurado y desde qué día puede renovar.",
      "Ese día, empiece de nuevo en el paso 1, POST /v1/seguros."
    ]
  },
  POLIZA_NO_EMITIDA: {
    meaning:
      "Se pidió la póliza o el marbete de un seguro que no está emitido. error.details.estado dice hasta dónde llegó.",
    money: none,
    again: "Sí, cuando el estado sea emitida.",
    action: [
      "Si estado es cobrando o emitiendo, consulte GET /v1/seguros/{id} cada 10 segundos hasta que sea emitida.",
      "Pida entonces el documento por la ruta que aparece en documentos.",
      "Si es fallida, no habrá póliza: empiece de nuevo en el paso 1, POST /v1/seguros.",
      "En cualquier otro estado, la venta todavía no se ha hecho."
    ]
  },
  VEHICULO_NO_SOPORTADO: {
    meaning: "La aseguradora encontró el vehículo y no asegura los de su tipo. No se creó ningún seguro.",
    money: none,
    again: pointless,
    action: [
      "Compruebe con el cliente que la placa está bien escrita.",
      "Si lo está, dígale que este seguro no se vende para su vehículo."
    ]
  },
  SEGURO_RECHAZADO: {
    meaning:
      "La aseguradora no acepta los datos: no encuentra el vehículo, o la cédula, el teléfono y la placa no van juntos. El mensaje es el de la aseguradora y está escrito para el cliente.",
    money: none,
    again: corrected,
    action: [
      "Muestre error.message al cliente tal como llega, sin decidir por su texto.",
      "Revise con él la cédula, el teléfono y la placa.",
      "Empiece de nuevo en el paso 1, POST /v1/seguros, con los datos corregidos."
    ]
  },
  OTP_INCORRECTO: {
    meaning:
      "El código no es el del último SMS, o pasaron sus 10 minutos. error.details.intentos_restantes dice cuántos intentos quedan; se cuentan en todo el proceso, también los de códigos anteriores.",
    money: none,
    again: "Sí, con el código correcto, mientras intentos_restantes no sea 0.",
    action: [
      "Diga al cliente cuántos intentos le quedan y pídale que lea el último SMS.",
      "Si el código venció, envíe otro con POST /v1/seguros/{id}/otp. El anterior deja de servir y los intentos no vuelven.",
      "Si intentos_restantes es 0, empiece de nuevo en el paso 1: lo siguiente sería OTP_BLOQUEADO."
    ]
  },
  OTP_BLOQUEADO: {
    meaning:
      "Hubo 5 códigos fallidos, o se pidieron más de 5 reenvíos. Este seguro queda bloqueado: ni el código correcto ni otro SMS lo abren.",
    money: none,
    again: "No con este seguro_id.",
    action: [
      "Confirme con el cliente que el teléfono es el suyo y que recibe mensajes.",
      "Empiece de nuevo en el paso 1, POST /v1/seguros: da otro seguro_id y otro código."
    ]
  },
  SEGURO_PASO_INVALIDO: {
    meaning:
      "Los pasos de un seguro tienen un orden y este no toca en el estado en que está. error.details.estado dice cuál es. Nada cambió.",
    money: untouched,
    again: "Sí, cuando toque.",
    action: [
      "En iniciada u otp_enviado, verifique el código con POST /v1/seguros/{id}/otp/verificar.",
      "En otp_validado, mire los planes y elija uno con POST /v1/seguros/{id}/plan.",
      "En plan_confirmado, cotice con POST /v1/seguros/{id}/cotizar; en cotizado, venda con POST /v1/recargas.",
      "En cobrando o emitiendo, espere: consulte GET /v1/seguros/{id}. En emitida, pida los documentos.",
      "En fallida, empiece de nuevo en el paso 1, POST /v1/seguros."
    ]
  },
  SEGUROS_NO_DISPONIBLE: {
    meaning:
      "No se pudo consultar a la aseguradora, o no hay quien envíe los códigos por SMS. El seguro queda en el estado en que estaba. Los demás servicios se venden con normalidad.",
    money: untouched,
    again: "Sí, el mismo paso; si era la venta, con la misma Idempotency-Key.",
    action: ["Espere lo que dice Retry-After y repita el paso.", "Si continúa, ofrezca los seguros más tarde."]
  }
} as const satisfies Record<ErrorCode, ErrorText>
