import type { ErrorCode } from "../../core/domain/ErrorCodes.ts"
import { corrected, type ErrorText, none, pointless, returned, untouched } from "./ErrorText.ts"

/** The texts for the error codes of insurance. Contract: 7. */
export const insuranceErrorTexts = {
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
      "La cotización venció, porque solo es válida durante 30 minutos. El seguro conserva el plan elegido: basta con volver a cotizar.",
    money: untouched,
    again: "Sí, después de cotizar de nuevo; la misma Idempotency-Key sigue libre.",
    action: [
      "Cotice de nuevo con POST /v1/seguros/{id}/cotizar.",
      "Muestre monto_total al cliente antes de vender: puede haber cambiado.",
      "Venda con el mismo opcion_id dentro de los minutos que indica valida_minutos."
    ]
  },
  SEGURO_YA_VENDIDO: {
    meaning:
      "Cada cotización se vende una sola vez. Esta cotización ya se vendió, se está vendiendo o su venta falló. error.details trae seguro_id, estado, transaction_id y, en consultar_en, la ruta del seguro. La segunda de dos ventas simultáneas también recibe este error.",
    money: "Esta llamada no mueve nada; la venta original conserva su efecto.",
    again: pointless,
    action: [
      "Lea error.details.estado, o consulte la ruta de error.details.consultar_en.",
      "Si es emitida, la póliza existe: entregue sus documentos y no la venda otra vez.",
      "Si es cobrando o emitiendo, consulte la transacción hasta que esté en SUCCESS o en FAILED.",
      "Si es fallida, el monto fue devuelto: empiece de nuevo en el paso 1, POST /v1/seguros."
    ]
  },
  SEGURO_SIN_COTIZAR: {
    meaning:
      "Se intentó vender un seguro sin cotización. Si se elige otro plan, la cotización anterior deja de ser válida.",
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
      "El vehículo ya tiene una póliza vigente y todavía no se puede renovar. error.details.renovable_desde es el primer día en que se puede renovar, AAAA-MM-DD. El mensaje también indica ese día.",
    money: none,
    again: "No antes de renovable_desde.",
    action: [
      "Diga al cliente que está asegurado y desde qué día puede renovar.",
      "Ese día, empiece de nuevo en el paso 1, POST /v1/seguros."
    ]
  },
  POLIZA_NO_EMITIDA: {
    meaning:
      "Se pidió la póliza o el marbete de un seguro que no está emitido. error.details.estado indica el estado del seguro.",
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
    meaning: "La aseguradora encontró el vehículo, pero no asegura vehículos de ese tipo. No se creó ningún seguro.",
    money: none,
    again: pointless,
    action: [
      "Compruebe con el cliente que la placa está bien escrita.",
      "Si lo está, informe al cliente de que este seguro no se vende para su vehículo."
    ]
  },
  SEGURO_RECHAZADO: {
    meaning:
      "La aseguradora no acepta los datos: no encuentra el vehículo, o la cédula, el teléfono y la placa no corresponden entre sí. El mensaje es el de la aseguradora y está escrito para el cliente.",
    money: none,
    again: corrected,
    action: [
      "Muestre error.message al cliente tal como llega. Su programa no debe decidir según ese texto.",
      "Revise con el cliente la cédula, el teléfono y la placa.",
      "Empiece de nuevo en el paso 1, POST /v1/seguros, con los datos corregidos."
    ]
  },
  OTP_INCORRECTO: {
    meaning:
      "El código no es el del último SMS, o ya pasaron los 10 minutos en que era válido. error.details.intentos_restantes indica cuántos intentos quedan. También cuentan los intentos con códigos anteriores.",
    money: none,
    again: "Sí, con el código correcto, mientras intentos_restantes no sea 0.",
    action: [
      "Diga al cliente cuántos intentos le quedan y pídale que lea el último SMS.",
      "Si el código venció, envíe otro con POST /v1/seguros/{id}/otp. El anterior deja de servir, y los intentos usados siguen contando.",
      "Si intentos_restantes es 0, empiece de nuevo en el paso 1: otro código recibiría OTP_BLOQUEADO."
    ]
  },
  OTP_BLOQUEADO: {
    meaning:
      "Hubo 5 códigos fallidos, o se pidió otro SMS después de 5 reenvíos. Con 5 códigos fallidos el seguro queda bloqueado: ni el código correcto ni otro SMS lo desbloquean. Después de 5 reenvíos no se envían más SMS. El último código sigue siendo válido durante sus 10 minutos, mientras no haya 5 códigos fallidos.",
    money: none,
    again: "No con este seguro_id: no se enviará otro código.",
    action: [
      "Confirme con el cliente que el teléfono es el suyo y que recibe mensajes.",
      "Si se acabaron los reenvíos y el cliente tiene el último SMS, verifique su código.",
      "Si no, empiece de nuevo en el paso 1, POST /v1/seguros: da otro seguro_id y otro código."
    ]
  },
  SEGURO_PASO_INVALIDO: {
    meaning:
      "Los pasos de un seguro tienen un orden, y este paso no corresponde al estado actual. error.details.estado indica el estado. Nada cambió.",
    money: untouched,
    again: "Sí, cuando el seguro esté en el estado que exige el paso.",
    action: [
      "En iniciada u otp_enviado, verifique el código con POST /v1/seguros/{id}/otp/verificar.",
      "En otp_validado, consulte los planes y elija uno con POST /v1/seguros/{id}/plan.",
      "En plan_confirmado, cotice con POST /v1/seguros/{id}/cotizar; en cotizado, venda con POST /v1/recargas.",
      "En cobrando o emitiendo, espere: consulte GET /v1/seguros/{id}. En emitida, pida los documentos.",
      "En fallida, empiece de nuevo en el paso 1, POST /v1/seguros."
    ]
  },
  SEGUROS_NO_DISPONIBLE: {
    meaning:
      "No se pudo consultar a la aseguradora, o no hay un servicio que envíe los códigos por SMS. El seguro queda en el estado en que estaba. Los demás servicios se venden con normalidad.",
    money: untouched,
    again: "Sí, el mismo paso; si era la venta, con la misma Idempotency-Key.",
    action: ["Espere el tiempo que indica Retry-After y repita el paso.", "Si continúa, ofrezca los seguros más tarde."]
  }
} as const satisfies Partial<Record<ErrorCode, ErrorText>>
