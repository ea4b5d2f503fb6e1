import type { ErrorCode } from "../../core/domain/ErrorCodes.ts"
import {
  corrected,
  type ErrorText,
  newKey,
  none,
  perhaps,
  pointless,
  returned,
  sameKey,
  untouched
} from "./ErrorText.ts"
import { insuranceErrorTexts } from "./InsuranceErrorTexts.ts"

/** The texts for every error code. The compiler rejects an error code without a text. */
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
      "Las credenciales son correctas, pero no dan acceso a esta operación. details.motivo indica la causa. El token está suspendido (token_suspendido) o revocado (token_revocado). La empresa no tiene habilitada la API (empresa_sin_api), está suspendida (empresa_suspendida) o no tiene habilitados los seguros (seguros_no_habilitados). La llamada viene de una IP que no está en la lista del token (ip_no_autorizada). Falta el permiso que indica details.permiso (permiso_faltante). El cuerpo trae el empresa_id de otra empresa (empresa_ajena). El sandbox compartido no admite webhooks, porque sus credenciales son públicas (sandbox_compartido).",
    money: untouched,
    again: pointless,
    action: [
      "Con empresa_ajena, no envíe empresa_id: la empresa se deduce del token.",
      "Con ip_no_autorizada, compruebe la IP de salida de su servidor. Con permiso_faltante, compruebe los permisos del token en GET /v1/cuenta.",
      "Con los demás motivos, o si todo está en orden, escriba a soporte con el request_id."
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
      "Algún dato no es válido. error.details tiene una entrada por cada campo, con el motivo: requerido, invalido, fuera_de_rango, max_2_decimales, longitud, no_coincide, no_disponible, no_anulable, vencida, clave_reutilizada o demasiados_mensajes. En un webhook puede ser también no_permitida, maximo_alcanzado, no_activo, apagados, no_existe o sobra. Si el cuerpo o las cabeceras no se pueden leer, es json_invalido, incompleto o demasiado_grande. Según la causa, el estado HTTP puede ser también 408, 413, 415 o 431.",
    money: untouched,
    again: corrected,
    action: [
      "Lea error.details y corrija cada campo que aparece.",
      "Si dice clave_reutilizada, esa Idempotency-Key ya pertenece a otra operación: use una nueva para la operación nueva.",
      "Si dice no_coincide, precio_real trae el precio vigente.",
      "Si falta opcion_id, haga antes la consulta que indica consultar_en.",
      "Si dice no_disponible, ese vehículo no puede tener ese servicio opcional: cotice sin él.",
      "Si el error es de un webhook, la guía de webhooks indica qué url no se aceptan (no_permitida) y cuántos webhooks puede tener (maximo_alcanzado). Con no_activo, reanude antes el webhook. Con apagados, pida al operador que active los eventos.",
      "Si dice demasiados_mensajes, ese teléfono ya recibió el máximo de mensajes: espere el tiempo que indica Retry-After."
    ]
  },
  INSUFFICIENT_BALANCE: {
    meaning:
      "El saldo disponible es menor que el monto. error.details trae saldo_disponible y monto_requerido. El monto retenido por operaciones sin resolver no está disponible.",
    money: untouched,
    again: "Sí, después de depositar; la misma Idempotency-Key sigue libre.",
    action: [
      "Deposite saldo, o venda un monto menor.",
      "Consulte GET /v1/saldo: el saldo_retenido se cobra o se devuelve cuando se resuelven las operaciones pendientes."
    ]
  },
  LIMIT_EXCEEDED: {
    meaning:
      "La venta superaría el límite de consumo diario, semanal o mensual. error.details trae periodo, limite, consumo y monto_requerido. El monto retenido cuenta como consumo.",
    money: untouched,
    again: "Sí, en el período siguiente; la misma Idempotency-Key sigue libre.",
    action: [
      "Espere al período siguiente: el día empieza a las 00:00, la semana el lunes y el mes el día 1, hora de Santo Domingo.",
      "Si necesita un límite mayor, solicítelo a su operador."
    ]
  },
  IDEMPOTENT_REQUEST_IN_PROGRESS: {
    meaning:
      "La primera llamada con esta Idempotency-Key todavía no ha terminado. Una anulación también recibe este error si la venta ya tiene otra anulación sin resolver, con otra clave. error.details.transaction_id indica la transacción.",
    money: "Solo la operación en curso mueve dinero; esta llamada no mueve nada.",
    again: `${sameKey} Nunca repita una venta con otra clave: sería otra venta.`,
    action: [
      "Espere el tiempo que indica Retry-After (2 segundos) y repita la llamada con su misma clave y el mismo cuerpo.",
      "Si la clave es la de la primera llamada, recibirá la respuesta de la primera llamada, con Idempotent-Replay: true, cuando termine.",
      "Si era otra anulación, consulte la transacción: en REVERSED ya está anulada. Si sigue en SUCCESS, la repetición sirve solo cuando la anulación anterior fue rechazada."
    ]
  },
  IDEMPOTENCY_CONFLICT: {
    meaning:
      "Esta Idempotency-Key pertenece a una operación cuya respuesta no se puede repetir: la operación lleva demasiado tiempo en curso, o se resolvió hace más de 24 horas.",
    money: "Esta llamada no mueve nada; la operación original conserva su efecto.",
    again: "Solo con una clave nueva, y solo si comprobó que la operación original no se ejecutó.",
    action: [
      "Consulte la transacción que indica error.details.transaction_id.",
      "Si está en SUCCESS, la venta ya se hizo: no la repita.",
      "Si está en PROCESSING o PENDING, espere a que se resuelva.",
      "Solo si está en FAILED, venda de nuevo con una clave nueva.",
      "Si era una anulación: en REVERSED ya está anulada. En SUCCESS puede estar todavía en curso; pida otra, con una clave nueva, solo si la anterior fue rechazada."
    ]
  },
  RATE_LIMIT_EXCEEDED: {
    meaning:
      "Hubo demasiadas llamadas en un minuto. Se cuentan por token o, sin credenciales válidas, por dirección IP. error.details.retry_after indica cuántos segundos debe esperar.",
    money: untouched,
    again: sameKey,
    action: [
      "Espere el tiempo que indica Retry-After y repita con la misma clave.",
      "Si se repite, alargue la espera cada vez: 2, 4, 8 segundos...",
      "Compruebe X-RateLimit-Remaining en cada respuesta para no llegar a cero."
    ]
  },
  TRANSACTION_PENDING: {
    meaning:
      "No hay todavía una respuesta firme sobre la operación. No es un fallo. Una venta queda en PENDING y termina en SUCCESS o en FAILED. Si se pidió una anulación, la anulación queda en PENDING y la venta sigue en SUCCESS. La venta pasa a REVERSED si la anulación se confirma, y se queda en SUCCESS si se rechaza. El servicio pregunta al proveedor hasta conocer el resultado.",
    money:
      "El monto de una venta queda retenido: ni cobrado ni devuelto, hasta que se conozca el resultado. Si se pidió una anulación, el monto de la venta sigue cobrado y se devuelve solo si la anulación se confirma.",
    again:
      "No mientras se resuelve, ni con la misma clave ni con otra: una venta podría pagarse dos veces, y una anulación ya está en curso.",
    action: [
      "Muestre la operación como «verificando», no como fallida.",
      "Consulte la ruta de error.details.consultar_en (también en Location) cada 10 segundos, hasta 2 minutos.",
      "En una venta, espere hasta que esté en SUCCESS o en FAILED. En una anulación, espere hasta que anulacion.status deje de ser PENDING. Mientras la venta siga en SUCCESS, no está anulada.",
      "Si nada cambia, siga consultando con menos frecuencia: la operación se resolverá sin otra acción suya.",
      "Con anulacion.status en DENIED la anulación fue rechazada y la venta sigue cobrada: puede pedir otra anulación con otra clave."
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
      "Respete monto_minimo y monto_maximo del catálogo; 0 significa que ese límite no existe.",
      "Venda de nuevo con otro monto y una clave nueva."
    ]
  },
  DUPLICATE_TRANSACTION: {
    meaning:
      "Otra transacción ya pagó esta factura o la está pagando. error.details.transaction_id indica esa transacción.",
    money: untouched,
    again: pointless,
    action: [
      "Consulte esa transacción y, si está en SUCCESS, entregue su comprobante.",
      "Si está en PROCESSING o PENDING, espere a que se resuelva."
    ]
  },
  TRANSACTION_REJECTED: {
    meaning:
      "El proveedor rechazó la operación de forma definitiva. En una anulación significa que la venta sigue cobrada.",
    money: "En una venta, se reservó y se devolvió completo. En una anulación, la venta queda cobrada.",
    again: newKey,
    action: [
      "Muestre el rechazo al cliente y revise los datos con él.",
      "Si el rechazo se repite, escriba a soporte con el xid."
    ]
  },
  SERVICE_TIMEOUT: {
    meaning: "El proveedor no respondió a la consulta en 30 segundos.",
    money: untouched,
    again: "Sí: una consulta no mueve dinero.",
    action: ["Repita la consulta dentro de unos segundos.", "Si continúa, ofrezca el servicio más tarde."]
  },
  SERVICE_UNAVAILABLE: {
    meaning:
      "En este momento no hay proveedor, no se pudo establecer conexión con él o no atendió la llamada. Es seguro que el proveedor no hizo la operación, sea una venta o una anulación. El estado 503 tiene una de tres causas: el operador cerró por un tiempo la parte del servicio en que está su empresa; la base de datos de su empresa no responde; o el servidor tiene demasiadas conexiones abiertas y no leyó la llamada.",
    money:
      "En una venta, el monto reservado se devolvió completo. Si no había proveedor, o si el servidor no leyó la llamada, no se reservó nada. Si la base de datos no responde, el monto puede quedar retenido por unos minutos, y una repetición con la misma clave muestra el resultado. En una anulación, la venta sigue en SUCCESS y cobrada.",
    again: sameKey,
    action: [
      "Espere el tiempo que indica Retry-After y repita con la misma clave.",
      "Si continúa, deje de ofrecer el servicio por unos minutos."
    ]
  },
  DOCUMENTO_NO_DISPONIBLE: {
    meaning: "Hay demasiados comprobantes, pólizas o marbetes en preparación, y este PDF no se preparó.",
    money: none,
    again: "Sí: pedir un documento no cambia nada.",
    action: [
      "Espere el tiempo que indica Retry-After y pida el documento de nuevo.",
      "Guarde los documentos que ya recibió: siempre son los mismos."
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
    meaning:
      "Los servicios de seguros no admiten esta consulta. error.details.consultar_en indica la ruta que debe usar.",
    money: none,
    again: pointless,
    action: ["Siga los pasos de /v1/seguros para cotizar.", "Venda después con el opcion_id que da la cotización."]
  },
  INTERNAL_ERROR: {
    meaning: "Ocurrió un error interno del servicio. La respuesta no indica si la operación se realizó.",
    money: perhaps,
    again: `${sameKey} Así no puede haber dos ventas.`,
    action: [
      "Repita con la misma clave, o busque la transacción con GET /v1/transacciones?idempotency_key=...",
      "Si persiste, escriba a soporte con el request_id."
    ]
  },
  ...insuranceErrorTexts
} as const satisfies Record<ErrorCode, ErrorText>
