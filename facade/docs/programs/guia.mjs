// paso: preparar
import { randomUUID } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { setTimeout as esperar } from "node:timers/promises"

const saldo = process.env.SALDO ?? "http://127.0.0.1:3000"
const credenciales = { Authorization: `Bearer ${process.env.TOKEN}` } // <api_key>.<api_secret>
const pausa_s = Number(process.env.PAUSA_S ?? 10)

const llamar = (metodo, ruta, cuerpo, clave) =>
  fetch(saldo + ruta, {
    method: metodo,
    headers: {
      ...credenciales,
      ...(cuerpo && { "Content-Type": "application/json" }),
      ...(clave && { "Idempotency-Key": clave })
    },
    body: cuerpo && JSON.stringify(cuerpo)
  })

const leer = async (respuesta) => {
  const { data, error, request_id } = await respuesta.json()
  if (error) throw new Error(`${error.code} ${JSON.stringify(error.details ?? {})} (request_id ${request_id})`)
  return data
}

const pedir = async (...pedido) => leer(await llamar(...pedido))

// paso: cuenta
const { ambiente } = await pedir("GET", "/v1/cuenta")
console.log("ambiente:", ambiente)

// paso: saldo
const { saldo_disponible } = await pedir("GET", "/v1/saldo")
console.log("disponible:", saldo_disponible)

// paso: catalogo
const servicios = await pedir("GET", "/v1/servicios")
const recarga = servicios.find(({ flujo }) => flujo === "monto_libre")
console.log("servicio:", recarga.id)

// paso: vender
const clave = randomUUID() // guárdela junto al pedido, antes de llamar
const pedido = { service_id: recarga.id, identifier: "8095551234", amount: 100, terminal_id: "caja-1" }
const venta = await pedir("POST", "/v1/recargas", pedido, clave)
console.log("venta:", venta.status)

// paso: repetir
const enCurso = async (respuesta) => (await respuesta.clone().json()).error.code === "IDEMPOTENT_REQUEST_IN_PROGRESS"

const pausar = (respuesta) => esperar(1000 * Number(respuesta?.headers.get("Retry-After") ?? 1))

const vender = async (pedido, clave) => {
  for (let intento = 1; ; intento++) {
    const respuesta = await llamar("POST", "/v1/recargas", pedido, clave).catch(() => undefined) // sin respuesta
    const estado = respuesta?.status ?? 503
    const repetible = estado >= 500 || estado === 429 || (estado === 409 && (await enCurso(respuesta)))
    if (!repetible || intento === 5) return respuesta
    await pausar(respuesta) // la misma clave y el mismo cuerpo: no se cobra dos veces
  }
}

const repetida = await vender(pedido, clave)
console.log("repetida:", repetida.headers.get("Idempotent-Replay"))

// paso: pendiente
const incierta = await vender({ ...pedido, identifier: "8095551232" }, randomUUID())
console.log("estado HTTP:", incierta.status)
let estado = "PENDING"
for (let vez = 1; incierta.status === 202 && estado === "PENDING" && vez <= 12; vez++) {
  await esperar(1000 * pausa_s)
  estado = (await pedir("GET", incierta.headers.get("Location"))).status
}
console.log("pendiente:", estado)

// paso: error
const rechazada = await llamar("POST", "/v1/recargas", { ...pedido, amount: -1 }, randomUUID())
const { error } = await rechazada.json()
console.log("error:", rechazada.status, error.code)

// paso: comprobante
const comprobante = await pedir("GET", `/v1/transacciones/${venta.transaction_id}/recibo`)
const pdf = await llamar("GET", `/v1/transacciones/${venta.transaction_id}/recibo?formato=pdf`)
await writeFile("comprobante.pdf", Buffer.from(await pdf.arrayBuffer()))
console.log("comprobante:", comprobante.transaction_id === venta.transaction_id, pdf.headers.get("Content-Type"))

// paso: anular
const anulable = servicios.find(({ acepta_anulacion }) => acepta_anulacion)
const errada = await leer(await vender({ service_id: anulable.id, identifier: "204510003", amount: 100 }, randomUUID()))
const anulacion = await pedir("POST", `/v1/transacciones/${errada.transaction_id}/anular`, undefined, randomUUID())
console.log("anulacion:", anulacion.status)

// paso: seguro
const { servicios: seguros } = await pedir("GET", "/v1/seguros")
const { service_id } = seguros[0]
const propietario = { cedula: "00112345678", telefono: "8095551234", placa: "A123458" }
const { seguro_id } = await pedir("POST", "/v1/seguros", { service_id, ...propietario })
const paso = (nombre, cuerpo) => pedir("POST", `/v1/seguros/${seguro_id}/${nombre}`, cuerpo)
const { versiones } = await paso("otp/verificar", { codigo: "123456" }) // el código del SMS
const version = versiones[0].id
const { planes } = await pedir("GET", `/v1/seguros/${seguro_id}/planes?version=${encodeURIComponent(version)}`)
await paso("plan", { version, cd_tipo_plan: planes[0].cd_tipo_plan })
const { opcion_id } = await paso("cotizar", { incluye_grua: true })
const poliza = await vender({ service_id, identifier: propietario.placa, opcion_id }, randomUUID())
console.log("poliza:", (await leer(poliza)).status)
const documento = await llamar("GET", `/v1/seguros/${seguro_id}/documento?tipo=poliza`)
await writeFile("poliza.pdf", Buffer.from(await documento.arrayBuffer()))

// paso: webhook
const aviso = { url: process.env.RECEPTOR ?? "https://tienda.example.com/saldo", eventos: ["transaction.succeeded"] }
const webhook = await pedir("POST", "/v1/webhooks", aviso)
console.log("webhook:", webhook.estado) // guarde webhook.secreto: no se vuelve a mostrar

// paso: limites
const conteo = await llamar("GET", "/v1/saldo")
console.log("limite:", conteo.headers.get("X-RateLimit-Limit"))
