import { Duration } from "effect"
import { retention } from "../../core/domain/Idempotency.ts"
import { consolePath, errorsPath, guidePath, httpFilePath, postmanPath, webhooksPath } from "../api/Envelope.ts"
import type { Assets } from "./Assets.ts"
import { block, folded, type Html, html } from "./Html.ts"
import { type Page, textPage } from "./Pages.ts"
import type { Program } from "./Programs.ts"

/** A step of the guide: its title, the text before its code, and the text after its code. */
interface Step {
  readonly title: string
  readonly before: Html
  readonly after?: Html
}

const steps: Readonly<Record<string, Step>> = {
  preparar: {
    title: "Preparar las llamadas",
    before: html`<p>Pida a su operador un token: un <code>api_key</code> y un <code>api_secret</code>. Guárdelos en su servidor, en las variables <code>SALDO</code> (la dirección del servicio) y <code>TOKEN</code> (<code>&lt;api_key&gt;.&lt;api_secret&gt;</code>). El secreto no debe llegar a un navegador ni a una aplicación móvil. Toda respuesta JSON trae <code>success</code> y <code>request_id</code>; un éxito trae <code>data</code>, y un fallo, <code>error</code>.</p>`
  },
  cuenta: {
    title: "Comprobar las credenciales",
    before: html`<p><code>ambiente</code> es <code>development</code> o <code>production</code>. En <code>development</code> las ventas pasan por un simulador y ningún proveedor recibe nada.</p>`,
    after: html`<p>Un 401 se debe a las credenciales. Un 403 dice en <code>error.details.motivo</code> qué le falta al token o a la empresa.</p>`
  },
  saldo: {
    title: "Ver el saldo",
    before: html`<p>Cada venta se descuenta de <code>saldo_disponible</code>. El <code>saldo_retenido</code> pertenece a ventas cuyo resultado no se conoce todavía. La suma de los dos es <code>saldo_actual</code>.</p>`
  },
  catalogo: {
    title: "Elegir un servicio",
    before: html`<p>El <code>flujo</code> del servicio determina qué campo lleva la venta. Con <code>monto_libre</code> lleva un <code>amount</code>. Con los demás flujos lleva un <code>opcion_id</code>, que viene de <code>POST /v1/consultas</code> o, en un seguro, de la cotización. El catálogo cambia poco: guárdelo y pídalo con <code>If-None-Match</code>.</p>`
  },
  vender: {
    title: "Vender",
    before: html`<p>Cada venta lleva una <code>Idempotency-Key</code> propia. Guarde la clave junto al pedido antes de llamar: es lo que impide cobrar dos veces si la respuesta no llega.</p>`,
    after: html`<p>Un 201 dice que la venta fue entregada y cobrada. Guarde <code>transaction_id</code> y <code>xid</code>.</p>`
  },
  repetir: {
    title: "Repetir sin cobrar dos veces",
    before: html`<p>Si no hay respuesta, o si llega un 5xx, un 429 o un 409 IDEMPOTENT_REQUEST_IN_PROGRESS, repita con la misma clave y el mismo cuerpo. Respete <code>Retry-After</code>. Durante ${Duration.toHours(retention)} horas la repetición recibe la respuesta original, con <code>Idempotent-Replay: true</code>. Una clave nueva es una venta nueva, y se cobra.</p>`
  },
  pendiente: {
    title: "Un 202 no es un fallo",
    before: html`<p>Con un 202 el proveedor no ha confirmado el resultado. El monto queda retenido. No repita la venta, ni con esa clave ni con otra: consulte la ruta de <code>Location</code> cada 10 segundos durante unos dos minutos. En el simulador, un <code>identifier</code> que termina en 2 deja la venta pendiente.</p>`,
    after: html`<p>Si sigue en <code>PENDING</code>, muéstrela como «en verificación». Termina en <code>SUCCESS</code> (cobrada) o en <code>FAILED</code> (devuelta), y un <a href="${webhooksPath}">webhook</a> se lo avisa.</p>`
  },
  error: {
    title: "Tratar los errores",
    before: html`<p>Decida por el estado HTTP y por <code>error.code</code>, nunca por el texto de <code>message</code>. <a href="${errorsPath}">La página de cada código</a> dice qué pasó con el dinero y qué hacer.</p>`
  },
  comprobante: {
    title: "Entregar el comprobante",
    before: html`<p>El comprobante se pide como JSON o, con <code>formato=pdf</code>, como PDF de 80 mm. El comprobante de una venta de electricidad trae el <code>recharge_token</code> que el cliente digita en su medidor.</p>`
  },
  anular: {
    title: "Anular una venta",
    before: html`<p>Solo se anulan ventas en <code>SUCCESS</code> de servicios con <code>acepta_anulacion</code>. La anulación lleva una clave propia, que no es la de la venta.</p>`,
    after: html`<p>Con <code>REVERSED</code> el monto volvió al saldo. Un 202 deja la venta en <code>SUCCESS</code> hasta que se conozca el resultado.</p>`
  },
  seguro: {
    title: "Vender un seguro de vehículo",
    before: html`<p>El propietario da su consentimiento con un código que recibe por SMS; en el simulador el código es 123456. Después se elige versión y plan, se cotiza y se vende como cualquier servicio. La cotización es válida durante 30 minutos.</p>`,
    after: html`<p>Si la venta queda pendiente, la póliza también. Consúltela en <code>GET /v1/seguros/{id}</code>.</p>`
  },
  webhook: {
    title: "Recibir los resultados",
    before: html`<p>Un webhook le avisa del resultado de cada venta, también de las pendientes. El sandbox compartido no admite webhooks; pida una empresa propia. <a href="${webhooksPath}">La guía de webhooks</a> explica cómo verificar la firma.</p>`
  },
  limites: {
    title: "Respetar los límites",
    before: html`<p>Cada respuesta dice cuántas llamadas admite su token por minuto y cuántas le quedan. Un 429 trae <code>Retry-After</code>. <code>GET /v1/saldo</code> muestra además los límites de consumo por día, semana y mes, y lo consumido.</p>`
  }
}

const goingLive = html`<h2 id="produccion">Pasar a producción</h2>
<p>Las rutas y la dirección son las mismas: el token determina el ambiente. Antes de usar el token de producción, compruebe que su sistema:</p>
<ul>
<li>guarda la <code>Idempotency-Key</code> antes de llamar y la reutiliza en cada repetición, también después de un reinicio;</li>
<li>trata un 202 como venta en verificación y no la repite;</li>
<li>busca la venta en <code>GET /v1/transacciones?idempotency_key=…</code> cuando no conoce su resultado;</li>
<li>verifica la firma de los webhooks y descarta eventos repetidos por su <code>id</code>;</li>
<li>vigila <code>saldo_disponible</code>, o recibe <code>balance.low</code>;</li>
<li>guarda el <code>request_id</code> de cada llamada, y el <code>xid</code> y el <code>transaction_id</code> de cada venta, para pedir ayuda;</li>
<li>llama por HTTPS y desde direcciones fijas, que su operador puede exigir al token.</li>
</ul>
<p>Después venda el monto mínimo a su propio teléfono y concilie la venta con <code>GET /v1/movimientos</code>.</p>`

const marker = /^[ \t]*(?:#|\/\/) paso: (\w+)\n/m

/** Removes the indentation that all lines of a part have. */
const dedented = (part: string): string => {
  const lines = part.split("\n")
  const margin = Math.min(...lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/)))
  return lines
    .map((line) => line.slice(margin))
    .join("\n")
    .trim()
}

/**
 * The part of a program for each step. A comment with the step's name begins the part. The text before the first step,
 * such as PHP's opening tag, belongs to the first part.
 */
export const partsOf = ({ code }: Program): ReadonlyMap<string, string> => {
  const [head = "", ...parts] = code.split(marker)
  return new Map(
    Array.from({ length: parts.length / 2 }, (_, index) => {
      const part = dedented(parts[2 * index + 1] ?? "")
      return [parts[2 * index] ?? "", index === 0 ? `${head}${part}` : part]
    })
  )
}

const sectionOf = (id: string, { after = html``, before, title }: Step, programs: ReadonlyArray<Program>): Html =>
  html`<h2 id="${id}">${title}</h2>
${before}
${programs.map((program, index) => {
  const { language } = program
  return folded(language, block(`${title}, en ${language}`, partsOf(program).get(id) ?? ""), index === 0)
})}
${after}`

/** The guide for integrators, from the credentials to production. Contract: 9. */
export const guidePage = (assets: Assets, programs: ReadonlyArray<Program>): Page =>
  textPage(
    assets,
    guidePath,
    "Guía",
    html`<h1>Guía de integración</h1>
<p class="lead">De las credenciales a la producción, paso a paso. El código de cada lenguaje es un solo programa que se puede ejecutar y que usa solo la biblioteca estándar. Las pruebas de Saldo ejecutan estos programas, excepto el de C#.</p>
<p>Estas llamadas están también en una <a href="${postmanPath}">colección de Postman</a> y en un <a href="${httpFilePath}">archivo .http</a>. La <a href="${consolePath}">documentación</a> describe cada operación.</p>
<nav aria-label="Contenido"><ol>
${Object.entries(steps).map(([id, { title }]) => html`<li><a href="#${id}">${title}</a></li>`)}
<li><a href="#produccion">Pasar a producción</a></li>
</ol></nav>
${Object.entries(steps).map(([id, step]) => sectionOf(id, step, programs))}
${goingLive}`
  )
