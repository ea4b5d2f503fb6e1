import { Duration } from "effect"
import { webhooks_max } from "../../core/domain/Event.ts"
import { jitter_max, retrySteps, webhookUrlLength_max } from "../../core/domain/Webhook.ts"
import { webhooksPath } from "../api/Envelope.ts"
import { eventExamples } from "../api/EventExamples.ts"
import type { Assets } from "./Assets.ts"
import { block, folded, type Html, html } from "./Html.ts"
import { type Page, textPage } from "./Pages.ts"
import type { Program } from "./Programs.ts"
import { webhookCalls } from "./WebhookExamples.ts"

const table = (name: string, heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<Html | string>>): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="${name}"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`

const code = (text: string): Html => html`<code>${text}</code>`

/** The sections of the page, by their anchors. */
const sections = {
  crear: "Crear un webhook",
  cabeceras: "Las cabeceras",
  firma: "Verificar la firma",
  respuestas: "Respuestas y reintentos",
  orden: "Orden y duplicados",
  tipos: "Tipos de evento",
  rotacion: "Cambiar el secreto",
  pausa: "Pausar y reanudar",
  desactivado: "Webhook desactivado",
  reenvio: "Reenviar eventos",
  entregas: "Ver las entregas",
  consulta: "Sin dirección pública: preguntar por los eventos",
  direcciones: "Direcciones que no se aceptan",
  local: "Desarrollo local"
} as const

const heading = (id: keyof typeof sections): Html => html`<h2 id="${id}">${sections[id]}</h2>`

const contents = html`<nav aria-label="Contenido"><ul>
${Object.entries(sections).map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}
</ul></nav>`

const durations = new Intl.DurationFormat("es", { style: "long" })

const spoken = (duration: Duration.Duration): string => {
  const { days, hours, minutes, seconds } = Duration.parts(duration)
  return durations.format({ hours: days * 24 + hours, minutes, seconds })
}

/** The attempts of a delivery: number, pause before the attempt, and time since the first attempt. */
const schedule: ReadonlyArray<ReadonlyArray<string>> = [
  ["1", "—", "—"],
  ...retrySteps.map((step, index) => [
    String(index + 2),
    spoken(step),
    spoken(retrySteps.slice(0, index + 1).reduce(Duration.sum))
  ])
]

const headers = table(
  "Cabeceras",
  ["Cabecera", "Contenido"],
  [
    [code("webhook-id"), html`El <code>id</code> del evento. No cambia en los reintentos ni en los reenvíos.`],
    [code("webhook-timestamp"), "La hora de este intento, en segundos Unix."],
    [
      code("webhook-signature"),
      html`La firma: <code>v1,</code> y el HMAC-SHA256 en Base64. Durante una rotación, dos firmas separadas por un espacio.`
    ],
    [code("content-type"), code("application/json")],
    [code("user-agent"), code("Saldo-Webhooks")]
  ]
)

const rawBodies = table(
  "Cuerpo sin procesar",
  ["Entorno", "Cómo leer los bytes del cuerpo"],
  [
    ["Express", code('app.post("/saldo", express.raw({ type: "application/json" }), …)')],
    ["Next.js (route handler)", code("Buffer.from(await request.arrayBuffer())")],
    ["Flask", code("request.get_data()")],
    ["Django", code("request.body")],
    ["FastAPI", code("await request.body()")],
    ["Laravel, Symfony", code("$request->getContent()")],
    ["ASP.NET Core", code("await Request.Body.CopyToAsync(memoria)")]
  ]
)

const verification = (receivers: ReadonlyArray<Program>): Html => html`${heading("firma")}
<p>Cualquiera puede enviar un POST a una dirección pública. Acepte solo los que traen una firma correcta y reciente:</p>
<ol>
<li>Lea el cuerpo como bytes, sin cambiarlo. Un JSON que se analiza y se vuelve a escribir ya no es el texto firmado.</li>
<li>Rechace un <code>webhook-timestamp</code> que difiera de su reloj en más de 5 minutos. Mantenga su reloj sincronizado.</li>
<li>La clave es lo que sigue a <code>whsec_</code> en el secreto, decodificado de Base64.</li>
<li>Calcule el HMAC-SHA256 de <code>{webhook-id}.{webhook-timestamp}.{cuerpo}</code> y escríbalo en Base64 después de <code>v1,</code>.</li>
<li>Compárelo en tiempo constante con cada firma de <code>webhook-signature</code>. Basta con que una sea igual. Ignore las firmas de versiones que no conozca.</li>
</ol>
<p>Las bibliotecas de Standard Webhooks hacen lo mismo, y en TypeScript también <code>verificarWebhook</code> del paquete <code>@saldo/client</code>. Estos programas completos usan solo la biblioteca estándar. Cada uno recibe los eventos en el puerto <code>PORT</code> y lee el secreto de <code>SALDO_WEBHOOK_SECRETO</code>:</p>
${receivers.map(({ code: text, command, language }) =>
  folded(
    language,
    html`${block(`Iniciar el programa de ${language}`, `SALDO_WEBHOOK_SECRETO=whsec_… ${command}`)}
${block(`Programa de ${language}`, text)}`
  )
)}
<p>Los programas escuchan en 127.0.0.1. En producción colóquelos detrás del servidor que atiende HTTPS. Si usa otro entorno, lea el cuerpo así:</p>
${rawBodies}`

const answers = table(
  "Respuestas",
  ["Su respuesta", "Qué hace Saldo"],
  [
    ["2xx en menos de 15 segundos", "El evento queda entregado. El cuerpo de la respuesta se ignora."],
    ["410", "La entrega termina en fallida y el webhook se desactiva."],
    [
      html`429 o 503 con <code>Retry-After</code>`,
      "Reintenta después del tiempo que usted pide, si es mayor que la pausa de la tabla siguiente. Espera como máximo el doble de esa pausa."
    ],
    ["3xx", "Reintenta. Las redirecciones no se siguen."],
    ["Cualquier otra, o ninguna en 15 segundos", "Reintenta."]
  ]
)

const delivery = html`${heading("respuestas")}
<p>Guarde el evento, responda 204 y procéselo después. Si no pudo guardarlo, responda 500: Saldo lo enviará de nuevo.</p>
${answers}
<p>El primer intento empieza, por lo general, menos de un segundo después del evento. Cada pausa puede durar hasta un ${Math.round(jitter_max * 100)} % más. Después del intento ${schedule.length} la entrega queda en <code>fallida</code> y no se reintenta; usted puede <a href="#reenvio">reenviarla</a>.</p>
${table("Intentos", ["Intento", "Pausa antes", "Desde el primer intento, como mínimo"], schedule)}
${heading("orden")}
<p>Un evento llega al menos una vez, y los eventos pueden llegar en desorden.</p>
<ul>
<li>Guarde el <code>id</code> de cada evento con una restricción de unicidad. Si ya lo tiene, responda 204 y no haga nada.</li>
<li>Ordene por <code>secuencia</code>, que crece por empresa en el orden de los hechos y puede tener saltos. Para cada transacción, guarde la <code>secuencia</code> del último evento aplicado e ignore los eventos con una <code>secuencia</code> menor.</li>
<li>Ante la duda, consulte el estado actual en <code>GET /v1/transacciones/{id}</code>.</li>
</ul>`

const types = html`${heading("tipos")}
<p>Todo evento tiene <code>id</code>, <code>type</code>, <code>secuencia</code>, <code>timestamp</code>, <code>empresa_id</code> y <code>data</code>. El cuerpo mide menos de 20 kB. Ignore los campos y los tipos que no conozca: una versión posterior puede agregar otros.</p>
<p>El <code>data</code> de <code>transaction.*</code> y <code>reversal.failed</code> es el detalle de la transacción en el momento del evento, sin <code>recharge_token</code>. Si lo necesita, pida <code>GET /v1/transacciones/{id}</code>. Ningún evento contiene datos personales de un asegurado.</p>
${Object.entries(eventExamples).map(
  ([type, { event, when }]) => html`<h3><code>${type}</code></h3>
<p>${when}</p>
${folded(`Ejemplo de ${type}`, block(`Cuerpo de ${type}`, JSON.stringify(event, null, 2)))}`
)}`

const management = (calls: ReturnType<typeof webhookCalls>): Html => html`${heading("rotacion")}
${block("Cambiar el secreto", calls.rotate)}
<p>La respuesta trae el <code>secreto</code> nuevo, que no se vuelve a mostrar, y <code>anterior_hasta</code>. Hasta ese instante cada entrega lleva dos firmas: la del secreto nuevo y la del anterior. Así puede cambiar el secreto en su servidor sin perder eventos. <code>solape_horas</code> va de 0 a 168 y por defecto es 24. Con 0, el secreto anterior deja de firmar de inmediato. Si cambia el secreto dos veces, solo firman los dos más recientes.</p>
${heading("pausa")}
${block("Pausar", calls.pause)}
<p>Un webhook en <code>pausado</code> no recibe nada. Al reanudarlo, continúan las entregas que estaban en espera. Los eventos que ocurren durante la pausa no tienen entregas: pídalos después con un <a href="#reenvio">reenvío</a>.</p>
${block("Reanudar", calls.resume)}
${heading("desactivado")}
<p>Saldo pone un webhook en <code>desactivado</code> cuando su servidor responde 410, o cuando durante cinco días fallan todas las entregas. El operador también puede desactivarlo. Corrija la causa, reanúdelo como después de una pausa, y reenvíe los eventos de ese tiempo. <code>falla_desde</code>, en <code>GET /v1/webhooks</code>, indica desde cuándo fallan las entregas.</p>
${heading("reenvio")}
<p>Un evento:</p>
${block("Reenviar un evento", calls.replayOne)}
<p>Los eventos de un lapso. Con <code>solo_fallidas</code> se reenvían solo los que terminaron en <code>fallida</code>. Sin <code>hasta</code>, el lapso llega hasta el último evento:</p>
${block("Reenviar un lapso", calls.replaySpan)}
<p>La respuesta 202 indica cuántos eventos se reenvían. Cada evento conserva su <code>id</code>, y se reenvía aunque no sea de los tipos del webhook. Los eventos se conservan 30 días.</p>
${heading("entregas")}
${block("Ver las entregas fallidas", calls.deliveries)}
<p>Cada entrega muestra su <code>estado</code> (<code>pendiente</code>, <code>entregada</code> o <code>fallida</code>), los intentos hechos, el último <code>http_status</code>, el <code>error</code> y el <code>proximo_intento</code>.</p>`

const errors = table(
  "Motivos de un fallo",
  ["error", "Qué significa"],
  [
    [code("http_500, http_301, …"), "Su servidor respondió con ese estado."],
    [code("timeout"), "No hubo respuesta completa en 15 segundos."],
    [code("dns"), "El nombre no tiene dirección, o sus servidores de nombres no responden."],
    [code("direccion_no_permitida"), "Una dirección IP del nombre no se acepta."],
    [code("conexion_rechazada"), "El servidor no acepta conexiones en ese puerto."],
    [code("conexion_cortada"), "La conexión se cortó antes de la respuesta."],
    [code("tls"), "El certificado no es válido para ese nombre, venció, o le falta la cadena intermedia."],
    [code("respuesta_invalida"), "La respuesta no es HTTP, o sus cabeceras pasan de 16 KiB."]
  ]
)

const reach = (calls: ReturnType<typeof webhookCalls>): Html => html`${errors}
${heading("consulta")}
${block("Preguntar por los eventos", calls.pull)}
<p>La respuesta trae los eventos con <code>secuencia</code> mayor que <code>despues_de</code>, del más antiguo al más reciente. También trae <code>siguiente</code>, que es el <code>despues_de</code> de la próxima llamada. Guarde <code>siguiente</code> junto con lo que procesó. Con <code>esperar</code>, de 0 a 25 segundos, la llamada espera el primer evento; si no llega ninguno, la lista está vacía. <code>limite</code> va de 1 a 500 y por defecto es 100. <code>type</code> pide un solo tipo. Si la conexión se corta, repita con el mismo <code>despues_de</code>.</p>
<p>Una empresa tiene eventos desde que crea su primer webhook o desde que el operador los activa.</p>
${heading("direcciones")}
<ul>
<li>Las que no son https, o usan un puerto distinto de 443 y menor que 1024.</li>
<li>Las que llevan usuario o clave, o miden más de ${webhookUrlLength_max} caracteres.</li>
<li>Los nombres sin punto, con un punto al final, o que terminan en <code>localhost</code>.</li>
<li>Las direcciones IP que no son públicas: propias de la máquina, privadas, de enlace local, compartidas por el proveedor (100.64.0.0/10), de multidifusión, de metadatos, y las IPv6 que contienen una IPv4.</li>
</ul>
<p>La respuesta es 422 con <code>{"url": "no_permitida"}</code>. Saldo comprueba en cada conexión las direcciones de un nombre: si una de ellas no se acepta, la entrega falla con <code>direccion_no_permitida</code>.</p>
${heading("local")}
<p>Un servidor de Saldo iniciado con <code>WEBHOOK_ALLOW_LOCAL=on</code> acepta http y las direcciones de su propia máquina. Úselo solo para desarrollar:</p>
${calls.local.map((command) => block("Desarrollo local", command))}
<p>Guarde el <code>secreto</code> de la respuesta, inicie con él uno de los programas de arriba y envíe una prueba.</p>`

/** The guide to webhooks for integrators. Contract: 6. */
export const webhookPage = (assets: Assets, receivers: ReadonlyArray<Program>, publicUrl: string | null): Page => {
  const calls = webhookCalls(publicUrl)
  return textPage(
    assets,
    webhooksPath,
    "Webhooks",
    html`<h1>Webhooks</h1>
<p class="lead">Un webhook es una dirección de su empresa a la que Saldo envía un evento, por POST y firmado, cuando cambian sus ventas o su saldo. Así no tiene que consultar el resultado. Los envíos siguen la especificación Standard Webhooks.</p>
${contents}
${heading("crear")}
${block("Crear un webhook", calls.create)}
<p>La respuesta 201 trae el <code>secreto</code> que firma los envíos. Guárdelo: no se vuelve a mostrar. Sin <code>eventos</code>, o con una lista vacía, recibe todos los tipos. Una empresa puede tener ${webhooks_max} webhooks; el sandbox compartido no tiene ninguno, porque sus credenciales son públicas. El token necesita el permiso <code>webhooks.manage</code>.</p>
<p>Después pida una prueba, que envía <code>webhook.test</code>, y vea su resultado en <a href="#entregas">las entregas</a>:</p>
${block("Pedir una prueba", calls.test)}
${heading("cabeceras")}
${headers}
${verification(receivers)}
${delivery}
${types}
${management(calls)}
${reach(calls)}`
  )
}
