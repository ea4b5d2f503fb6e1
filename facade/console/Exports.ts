import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { may } from "../../core/domain/Operator.ts"
import { CurrentActor } from "../../core/ports/CurrentActor.ts"
import { logDefect } from "../../core/workflows/InFlight.ts"
import { queryOf } from "../http/Request.ts"
import { catalogoCsv } from "./api/Catalogo.ts"
import { cierresCsv } from "./api/Cierres.ts"
import { empresasCsv, movimientosCsv } from "./api/Empresas.ts"
import type { Export } from "./api/Procedure.ts"
import { transaccionesCsv } from "./api/Transacciones.ts"
import type { ConsoleCall } from "./ConsoleCalls.ts"
import { plainPage } from "./Pages.ts"
import { refusalOf } from "./Refusals.ts"

/** Path below which CSV files are downloaded. */
export const exportsPath = "/exportar"

/** All CSV files of the console, by the name in their path. */
export const exports: Readonly<Record<string, Export>> = {
  catalogo: catalogoCsv,
  empresas: empresasCsv,
  cierres: cierresCsv,
  movimientos: movimientosCsv,
  transacciones: transaccionesCsv
}

const refused = (status: number, message: string) =>
  HttpServerResponse.text(plainPage(message), { status, contentType: "text/html; charset=utf-8" })

const statuses: Readonly<Record<string, number>> = { FORBIDDEN: 403, NOT_FOUND: 404 }

/** Sends the CSV file that the path names. */
export const sendExport = Effect.fnUntraced(function* ({ session, url }: ConsoleCall) {
  const name = url.pathname.slice(exportsPath.length + 1)
  const wanted = Object.hasOwn(exports, name) ? exports[name] : undefined
  if (session === null)
    return refused(401, "No hay una sesión abierta. Entre en la consola y descargue el archivo de nuevo.")
  if (wanted === undefined) return refused(404, "Este archivo no existe.")
  if (!may(session.actor.role, wanted.gate)) return refused(403, "Su rol no permite descargar este archivo.")
  const made = Effect.flatMap(Effect.fromResult(wanted.input.read(queryOf(url))), (input) => wanted.file(input))
  return yield* Effect.provideService(made, CurrentActor, session.actor).pipe(
    Effect.map(({ body, name: file, type }) =>
      HttpServerResponse.stream(
        Stream.tapCause(Effect.isEffect(body) ? Stream.fromEffect(body) : body, (cause) =>
          logDefect("an export of the console failed", cause, { name })
        ),
        { contentType: type, headers: { "content-disposition": `attachment; filename="${file}"` } }
      )
    ),
    Effect.catch((error) => {
      const refusal = refusalOf(error)
      const status = statuses[refusal?.kind ?? ""] ?? 422
      return Effect.succeed(refused(status, refusal?.message ?? "El archivo no se puede generar."))
    })
  )
})
