// Recibe los webhooks de Saldo y verifica su firma, con la biblioteca estándar de Node 20 o posterior.
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"

const { PORT = "8080", SALDO_WEBHOOK_SECRETO: secreto = "" } = process.env
if (!secreto.startsWith("whsec_")) throw new Error("Falta SALDO_WEBHOOK_SECRETO")

const clave = Buffer.from(secreto.slice("whsec_".length), "base64")
const tolerancia_s = 5 * 60
const cuerpoMaximo = 64 * 1024

// Compara en tiempo constante: la demora no revela en qué carácter difieren los textos.
const sonIguales = (a, b) => a.length === b.length && timingSafeEqual(a, b)

// Dice si la firma es correcta y la hora, reciente. El cuerpo son los bytes recibidos, sin cambios.
const esAutentica = (cabeceras, cuerpo) => {
  const { "webhook-id": id = "", "webhook-timestamp": hora = "", "webhook-signature": firmas = "" } = cabeceras
  if (!/^\d{1,15}$/.test(hora) || Math.abs(Date.now() / 1000 - Number(hora)) > tolerancia_s) return false
  const hmac = createHmac("sha256", clave).update(`${id}.${hora}.`).update(cuerpo)
  const esperada = Buffer.from(`v1,${hmac.digest("base64")}`)
  // Durante una rotación llegan dos firmas, separadas por un espacio. Basta con que una sea la esperada.
  return firmas.split(" ").some((firma) => sonIguales(Buffer.from(firma), esperada))
}

const recibir = (evento) => {
  // Guarde aquí el evento con su id como clave única, y no haga nada si ya lo tiene. Procéselo después de responder.
  console.log(evento.id, evento.type)
}

const atender = async (peticion) => {
  const partes = []
  let largo = 0
  for await (const parte of peticion) {
    largo += parte.length
    if (largo > cuerpoMaximo) return 413
    partes.push(parte)
  }
  const cuerpo = Buffer.concat(partes)
  if (!esAutentica(peticion.headers, cuerpo)) return 401
  recibir(JSON.parse(cuerpo))
  return 204
}

const servidor = createServer(async (peticion, respuesta) => {
  const estado = await atender(peticion).catch((error) => {
    console.error(error)
    return 500
  })
  respuesta.writeHead(estado).end()
})

servidor.listen(Number(PORT), "127.0.0.1", () => console.log(`Recibe en http://127.0.0.1:${PORT}/`))
