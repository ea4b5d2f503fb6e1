import { rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

/** A service that is not in the example catalogue, with its category. */
export const service = {
  id: 20,
  nombre: "Pago Único",
  descripcion: "Un pago.",
  tipo: "generic",
  categoria_id: 9,
  monto_minimo: 10.5,
  monto_maximo: 0,
  acepta_anulacion: false,
  flujo: "monto_libre",
  requiere_consulta: false,
  como_comprar: "Envíe el monto."
}
export const category = { id: 9, nombre: "Pagos únicos" }

export const paquetes = { ...service, id: 21, nombre: "Paquetes", flujo: "paquetes", requiere_consulta: true }
export const paquete = {
  id: 90,
  service_id: 21,
  codigo: "SEM-3",
  nombre: "Semana",
  descripcion: "Una semana.",
  precio: 150.5,
  duracion: "7 días",
  datos: "3 GB",
  minutos: 0,
  sms: 0
}
export const withPackages = (...items: ReadonlyArray<Record<string, unknown>>) => ({
  categorias: [category],
  servicios: [service, paquetes],
  paquetes: items
})

/** Writes a temporary file that is deleted when the test ends. Returns its path. */
export const fileOf = (name: string, content: string | Uint8Array, extension = "json") => {
  const path = join(tmpdir(), `saldo-${process.pid}-${name}.${extension}`)
  return Effect.acquireRelease(
    Effect.as(
      Effect.promise(() => writeFile(path, content)),
      path
    ),
    () => Effect.promise(() => rm(path))
  )
}
