import { Duration } from "effect"
import { retention } from "../../core/domain/Idempotency.ts"
import { realLookupsPerDay, realLookupsPerMinute } from "../../core/domain/RateLimit.ts"
import { errorsPath, guidePath, httpFilePath, postmanPath, webhooksPath } from "./Envelope.ts"
import { keyHeader } from "./Input.ts"

const keyLife_h = Duration.toHours(retention)

const introduction = (
  support: string
): string => `Con esta API su empresa vende recargas, paquetes de datos, electricidad prepagada, facturas y seguros de vehículos. Las ventas
se descuentan de un saldo prepagado en pesos dominicanos (DOP). Una venta se cobra una sola vez o no se cobra.

## Primera venta

1. Consulte el catálogo con \`GET /v1/servicios\`. El \`flujo\` de un servicio determina qué campo lleva la venta. Con
   \`monto_libre\` lleva un \`amount\`; con los demás flujos, un \`opcion_id\`.
2. Si el flujo es \`paquetes\` o \`facturas\`, pida las opciones con \`POST /v1/consultas\`. Un seguro se cotiza en los pasos del
   grupo Seguros.
3. Venda con \`POST /v1/recargas\` y una \`${keyHeader}\` nueva.
4. Entregue al cliente el comprobante: \`GET /v1/transacciones/{id}/recibo\`.

La [guía](${guidePath}) muestra el código de estos pasos en cinco lenguajes. Todas las llamadas están listas para enviar en una
[colección de Postman](${postmanPath}) y en un [archivo .http](${httpFilePath}) para editores de código.

## Ambientes

Pruebas y producción tienen la misma dirección y las mismas rutas: la empresa del token determina el ambiente, que
\`GET /v1/cuenta\` devuelve en \`ambiente\`.

- \`development\`: las ventas pasan por un simulador; ningún proveedor recibe nada. El final de \`identifier\` decide el resultado: 0 da
  INVALID_PHONE, 1 da TRANSACTION_REJECTED, 2 deja la venta pendiente; con cualquier otro final, la venta se entrega.
- \`production\`: las ventas pasan por los proveedores reales, y cada venta cuesta dinero.

## Autenticación

Un token tiene un \`api_key\` y un \`api_secret\`. Envíelos de una de estas dos formas, que son equivalentes:

    Authorization: Bearer <api_key>.<api_secret>

    X-Api-Key: <api_key>
    X-Api-Secret: <api_secret>

Llame solo por HTTPS y desde su servidor; el \`api_secret\` no debe llegar a un navegador ni a una aplicación móvil. Un token
puede estar limitado a ciertos permisos y direcciones IP. Un 401 se debe a las credenciales. Un 403 dice en
\`error.details.motivo\` qué le falta al token o a la empresa.

## Respuestas y errores

Toda respuesta JSON tiene \`success\` y \`request_id\`. Un éxito trae además \`data\` y \`message\`; un error trae \`error\`, con
\`code\`, \`message\` y, según el código, \`details\`.

- Decida por el estado HTTP y por \`error.code\`, nunca por el texto de \`message\`, que puede cambiar.
- Ignore los campos que no conozca: una versión posterior puede agregar otros.
- Un 5xx no significa que la venta fracasó: pudo hacerse. Repita con la misma clave, o busque la venta en
  \`GET /v1/transacciones\`.
- [La página de cada código](${errorsPath}) explica qué pasó con el dinero, si se puede repetir y qué hacer. La cabecera
  \`Link\` de cada error lleva a ella.

## Idempotencia

Toda venta y toda anulación llevan la cabecera \`${keyHeader}\`: de 1 a 128 caracteres, por ejemplo un UUID v4. Guarde la
clave antes de llamar.

- Ante un corte de red, un 5xx o un 409 IDEMPOTENT_REQUEST_IN_PROGRESS, espere y repita con la misma clave y el mismo cuerpo.
  No se cobra dos veces.
- Durante ${keyLife_h} horas, la repetición recibe la respuesta original, con la cabecera \`Idempotent-Replay: true\`.
- La misma clave con otro cuerpo recibe 422 VALIDATION_ERROR, \`clave_reutilizada\`.
- Una clave nueva es una venta nueva, y se cobra.

## Un 202 no es un fallo

Un 202 TRANSACTION_PENDING significa que el proveedor no ha confirmado el resultado. El monto queda retenido: ni cobrado ni
devuelto. No repita la venta, ni con esa clave ni con otra. Consulte la ruta de la cabecera \`Location\` cada 10 segundos,
durante unos dos minutos, y muestre la venta como «en verificación». La venta termina en \`SUCCESS\` (cobrada) o en
\`FAILED\` (devuelta), aunque usted deje de consultar.

## Anulaciones

Solo se anula una venta en \`SUCCESS\` de un servicio con \`acepta_anulacion\`. Llame a \`POST /v1/transacciones/{id}/anular\` con
una clave propia, que no es la de la venta. El monto vuelve al saldo cuando el proveedor confirma (200, \`REVERSED\`). Si el
proveedor rechaza la anulación (422 TRANSACTION_REJECTED), la venta sigue cobrada. Tras un 202, la venta sigue en \`SUCCESS\`
hasta que se conozca el resultado.

## Eventos

Un webhook avisa a su servidor, con un POST firmado, cuando una venta, una anulación, una póliza o el saldo cambia. Sin una
dirección pública, pregunte con \`GET /v1/eventos\`. [La guía de webhooks](${webhooksPath}) tiene código que verifica la firma
en Node, Python, PHP y C#, la tabla de reintentos y un ejemplo de cada evento.

## Límites

- Llamadas: \`X-RateLimit-Limit\` es el límite por minuto. \`X-RateLimit-Remaining\` es el número de llamadas que quedan.
  \`X-RateLimit-Reset\` indica cuándo termina el minuto. Un 429 trae \`Retry-After\`, en segundos.
- Consumo: por día, semana y mes; \`GET /v1/saldo\` muestra los límites y lo consumido.
- Consultas a un proveedor real: ${realLookupsPerMinute} por minuto y ${realLookupsPerDay} por día y token; después, las consultas devuelven ejemplos
  (\`origen_datos: simulado\`).
- Montos: mayores que 0, con 2 decimales como máximo, dentro del rango del servicio. Cuerpo: 64 KiB como máximo.

## Soporte

Guarde el \`request_id\` de cada llamada, que también llega en la cabecera \`X-Request-Id\`. Guarde el \`xid\` y el
\`transaction_id\` de cada venta. Para pedir ayuda ${support} e indique esos tres datos, la hora y el \`error.code\`. No envíe nunca su
\`api_secret\`.
`

/** The facts about the API, with an introduction in Markdown. */
export const infoOf = (supportEmail: string | null) => ({
  title: "Saldo",
  summary: "Ventas sobre un saldo prepagado en la República Dominicana.",
  description: introduction(supportEmail === null ? "escriba a quien le dio el token" : `escriba a ${supportEmail}`),
  version: "1.0.0",
  contact: { name: "Soporte de integraciones", ...(supportEmail !== null && { email: supportEmail }) },
  license: { name: "MIT", identifier: "MIT" }
})

const tagDescriptions = {
  Sistema: "Si el servicio está en línea y qué versión es. Sin credenciales.",
  Cuenta: "La empresa del token, su saldo con límites y consumo, y sus movimientos.",
  Catálogo: "Los servicios que la empresa puede vender, sus paquetes y sus categorías.",
  Ventas: "Las consultas previas y la venta de cualquier servicio.",
  Seguros: "Los pasos de un seguro de vehículo, desde la placa hasta la póliza. La venta misma es POST /v1/recargas.",
  Transacciones: "El estado de las ventas, sus comprobantes y su anulación.",
  Eventos: "Lo que ocurre con el saldo y las ventas de la empresa: por webhooks firmados o por consulta."
} as const

/** A group of endpoints in the documentation. */
export type Tag = keyof typeof tagDescriptions

/** The groups of endpoints, in the order of the documentation. */
export const tags = Object.entries(tagDescriptions).map(([name, description]) => ({ name, description }))
