import { Effect, Schema } from "effect"
import type { ListedService } from "../../../core/ports/Catalogue.ts"
import {
  draftOf,
  enableService,
  importCatalogue,
  listCatalogue,
  offerService
} from "../../../core/workflows/ManageCatalogue.ts"
import { FileReply } from "../../api/Call.ts"
import { serviceView } from "../../api/Catalogo.ts"
import { catalogueCsv, changeDocument } from "../../api/CatalogueDocuments.ts"
import { input } from "../../api/Input.ts"
import { csvColumns, readCsvFile } from "../../settings/CatalogueCsv.ts"
import { type BadCatalogue, readCatalogue } from "../../settings/CatalogueFile.ts"
import { readJsonFile } from "../../settings/JsonFile.ts"
import { empresaId, servicioId } from "./Fields.ts"
import { faultPlace, faultText } from "./FileFaults.ts"
import { change, csvExport, read } from "./Procedure.ts"

const listedView = ({ active, enabled, service }: ListedService) => {
  const { id, ...fields } = serviceView(service)
  return { ...fields, service_id: id as number, activo: active, habilitado: enabled }
}

/** Maximum size of an imported file, in bytes. */
const file_max = 2 * 1024 * 1024

const readDraft = Effect.fnUntraced(function* (text: string, isCsv: boolean) {
  return yield* readCatalogue(isCsv ? yield* readCsvFile(text) : readJsonFile(text))
})

const noChanges: ReadonlyArray<ReturnType<typeof changeDocument>> = []

/** The response to an import of a file with faults, which changes nothing. */
const faulty = ({ faults }: BadCatalogue) =>
  Effect.succeed({
    cambios: noChanges,
    faltas: faults.map(({ at, column, line, reason }) => ({
      linea: line,
      columna: column,
      lugar: faultPlace(at),
      motivo: faultText(reason)
    })),
    importado: false
  })

export const catalogo = {
  /** The whole catalogue. With a company, `habilitado` says whether the company may sell each service. */
  listar: read({
    gate: "read",
    input: input({ empresa_id: Schema.optionalKey(empresaId) }),
    handle: ({ input: { empresa_id = null } }) =>
      Effect.map(listCatalogue(empresa_id), ({ categories, packages, services }) => ({
        categorias: categories.map(({ id, name }) => ({ id: id as number, nombre: name })),
        servicios: services.map(listedView),
        paquetes: packages.length
      }))
  }),
  /** Imports a file, or shows what the import would change. Faults of the file are part of the answer. */
  importar: change({
    gate: "catalogue",
    body_max: file_max,
    input: input({ archivo: Schema.String, formato: Schema.Literals(["csv", "json"]), probar: Schema.Boolean }),
    handle: ({ input: { archivo, formato, probar } }) =>
      readDraft(archivo, formato === "csv").pipe(
        Effect.flatMap((draft) => importCatalogue(draft, probar)),
        Effect.map((changes) => ({
          cambios: changes.map(changeDocument),
          faltas: [] as ReadonlyArray<{ linea: number; lugar: string; motivo: string }>,
          importado: !probar
        })),
        Effect.catchTag("BadCatalogue", faulty)
      )
  }),
  /** Offers a service to all companies, or withdraws it from all. */
  ofrecer: change({
    gate: "catalogue",
    input: input({ service_id: servicioId, activo: Schema.Boolean }),
    handle: ({ input: { activo, service_id } }) => Effect.as(offerService(service_id, activo), null)
  }),
  /** Enables a service for a company, or withholds it. */
  habilitar: change({
    gate: "catalogue",
    input: input({ empresa_id: empresaId, service_id: servicioId, habilitado: Schema.Boolean }),
    handle: ({ input: { empresa_id, habilitado, service_id } }) =>
      Effect.as(enableService(empresa_id, service_id, habilitado), null)
  })
}

/** The catalogue as a file for an import. */
export const catalogoCsv = csvExport({
  gate: "read",
  input: input({}),
  file: () =>
    Effect.map(listCatalogue(null), (listed) => {
      const body = Effect.sync(() => new TextEncoder().encode(catalogueCsv(csvColumns, draftOf(listed))))
      return new FileReply({ type: "text/csv; charset=utf-8", name: "catalogo.csv", shown: false, body })
    })
})
