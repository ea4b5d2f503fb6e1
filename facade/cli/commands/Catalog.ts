import { Effect, FileSystem, Option, Result } from "effect"
import { Argument, Command } from "effect/cli"
import type { EntryChange } from "../../../core/domain/CatalogueChanges.ts"
import type { ListedService } from "../../../core/ports/Catalogue.ts"
import {
  draftOf,
  enableService,
  importCatalogue,
  listCatalogue,
  offerService
} from "../../../core/workflows/ManageCatalogue.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { serviceView } from "../../api/Catalogo.ts"
import { catalogueCsv, catalogueDocument, changeDocument, templateOf } from "../../api/CatalogueDocuments.ts"
import { csvColumns, readCsvFile } from "../../settings/CatalogueCsv.ts"
import { exampleCatalogue, readCatalogue } from "../../settings/CatalogueFile.ts"
import { type FileFault, readJsonFile } from "../../settings/JsonFile.ts"
import { toggle } from "../terminal/Flags.ts"
import { type Document, formatTable, print } from "../terminal/Output.ts"
import { companyId, serviceId } from "../terminal/Parameters.ts"
import { withProgress } from "../terminal/Progress.ts"

// Null if the bytes are not UTF-8. In another encoding, the letters would be read wrongly and stored.
const decoded = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

const notUtf8: FileFault = { line: 1, column: null, path: [], reason: "Not UTF-8: save it in this encoding" }

const readDraft = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const text = decoded(yield* files.readFile(path))
  if (text === null) return yield* readCatalogue(Result.fail([notUtf8]))
  return yield* readCatalogue(/\.csv$/i.test(path) ? yield* readCsvFile(text) : readJsonFile(text))
})

/**
 * A change that an import makes, as rows of a table: one row for each changed field. For a new entry, only its name is
 * shown.
 */
const changeRows = (change: EntryChange): ReadonlyArray<Document> => {
  const { cambio, campos, entrada, id } = changeDocument(change)
  const shown = change.before === null ? [{ campo: "nombre", antes: null, despues: change.after.name }] : campos
  return shown.map(({ antes, campo, despues }) => ({ entrada, id, cambio, campo, antes, despues }))
}

const importCommand = Command.make(
  "import",
  {
    file: Argument.File("file", { mustExist: true }).pipe(
      Argument.withDescription("JSON file with categorias, servicios and paquetes, or a CSV file (.csv)")
    ),
    isDryRun: toggle("dry-run", "Show what the import would change, and change nothing")
  },
  Effect.fn(function* ({ file, isDryRun }) {
    const draft = yield* readDraft(file)
    const changes = yield* importCatalogue(draft, isDryRun).pipe(withProgress("importing the catalogue"))
    const { categories, packages, services } = draft
    const counts = { categorias: categories.length, servicios: services.length, paquetes: packages.length }
    if (isDryRun) {
      const shown = changes.length === 0 ? "Nothing would change." : formatTable(changes.flatMap(changeRows))
      return yield* print(
        { ...counts, cambios: changes.map(changeDocument) },
        `${shown}\n\nNothing was imported. Omit --dry-run to import the file.`
      )
    }
    yield* print(
      counts,
      `Imported ${categories.length} categories, ${services.length} services and ${packages.length} packages, of which ${changes.length} are new or changed. Entries outside the file are unchanged.`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    'Add and replace catalogue entries: the whole file or nothing. A JSON file has the form {"categorias": [{id, nombre}], "servicios": [...], "paquetes": [...]}, or is the output of "saldo catalog list --json". A service has the fields of GET /v1/servicios; "activo": false withdraws it from all companies. A package has the fields of GET /v1/servicios/{id}/paquetes, and service_id. A CSV file has the same fields as columns, and the column entrada with categoria, servicio or paquete; "saldo catalog export --csv --plantilla" prints an example. In both formats, categoria must be the name of the category, and habilitado is ignored. facade/settings/catalogue.example.json is an example.'
  ),
  Command.withShortDescription("Add and replace catalogue entries from a file"),
  Command.withExamples([
    { command: "saldo catalog import catalogue.csv --dry-run", description: "Show the changes, or report the faults" },
    { command: "saldo catalog import catalogue.json", description: "Import the file, or report its faults" }
  ])
)

const exportCommand = Command.make(
  "export",
  {
    asCsv: toggle("csv", "Print CSV for spreadsheets instead of JSON"),
    asTemplate: toggle("plantilla", "Print an example of each kind of entry instead of the catalogue")
  },
  Effect.fn(function* ({ asCsv, asTemplate }) {
    const draft = asTemplate ? templateOf(yield* exampleCatalogue) : draftOf(yield* listCatalogue(null))
    const document = catalogueDocument(draft)
    if (!asCsv) return yield* print(document, JSON.stringify(document, null, 2))
    const csv = catalogueCsv(csvColumns, draft)
    yield* print({ csv }, csv.trimEnd())
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    'Print the whole catalogue, including withdrawn entries, as a file for "saldo catalog import". An unchanged file changes nothing when it is imported. The CSV is UTF-8 and opens in spreadsheets; save it as CSV in UTF-8.'
  ),
  Command.withShortDescription("Print the catalogue as a file for import"),
  Command.withExamples([
    { command: "saldo catalog export --csv > catalogue.csv", description: "For a spreadsheet" },
    { command: "saldo catalog export --csv --plantilla > new.csv", description: "An example to fill in" }
  ])
)

const listedDocument = ({ active, enabled, service }: ListedService): Document => ({
  ...serviceView(service),
  ...(service.product !== null && { producto_proveedor: service.product }),
  activo: active,
  ...(enabled === null ? {} : { habilitado: enabled })
})

/** The columns of a service in a table. */
const listedRow = ({ active, enabled, service }: ListedService): Document => {
  const { categoria_id: _, como_comprar: __, descripcion: ___, ...line } = serviceView(service)
  return { ...line, activo: active, ...(enabled === null ? {} : { habilitado: enabled }) }
}

const list = Command.make(
  "list",
  {
    companyId: Argument.optional(companyId)
  },
  Effect.fn(function* ({ companyId }) {
    const listed = yield* listCatalogue(Option.getOrNull(companyId))
    const { categorias, paquetes } = catalogueDocument(draftOf(listed))
    yield* print(
      { items: listed.services.map(listedDocument), categorias, paquetes },
      listed.services.length === 0 ? "The catalogue is empty." : formatTable(listed.services.map(listedRow))
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    'List all services, including withdrawn ones. With a company, habilitado shows whether the company may sell the service. With --json, also the categories and packages; "saldo catalog import" accepts this output.'
  ),
  Command.withShortDescription("List the services"),
  Command.withExamples([
    { command: "saldo catalog list", description: "The whole catalogue" },
    { command: "saldo catalog list 7", description: "The catalogue, and what company 7 may sell" }
  ])
)

const offerSwitch = (name: string, active: boolean, done: string, description: string) =>
  Command.make(
    name,
    { serviceId },
    Effect.fn(function* ({ serviceId }) {
      yield* offerService(serviceId, active)
      yield* print({ service_id: serviceId, activo: active }, `Service ${serviceId} ${done}.`)
    })
  ).pipe(
    Command.provide(operatorLayer),
    Command.withDescription(description),
    Command.withExamples([{ command: `saldo catalog ${name} 4`, description: "Service 4" }])
  )

const withdraw = offerSwitch(
  "withdraw",
  false,
  "is withdrawn from all companies",
  'Withdraw a service from all companies. Later sales of the service are refused. "saldo catalog restore" undoes this.'
)
const restore = offerSwitch(
  "restore",
  true,
  "is offered again, except to companies from which it is withheld",
  "Offer a withdrawn service again. Companies for which it was disabled still may not sell it."
)

const serviceSwitch = (name: string, enabled: boolean, done: string, description: string) =>
  Command.make(
    name,
    { companyId, serviceId },
    Effect.fn(function* ({ companyId, serviceId }) {
      yield* enableService(companyId, serviceId, enabled)
      yield* print(
        { empresa_id: companyId, service_id: serviceId, habilitado: enabled },
        `Company ${companyId} ${done} service ${serviceId}.`
      )
    })
  ).pipe(
    Command.provide(operatorLayer),
    Command.withDescription(description),
    Command.withExamples([{ command: `saldo catalog ${name} 7 4`, description: "Company 7, service 4" }])
  )

const enable = serviceSwitch("enable", true, "may sell", "Allow a company to sell a service again.")
const disable = serviceSwitch(
  "disable",
  false,
  "may no longer sell",
  'Forbid a company to sell a service. To withdraw a service from all companies, use "saldo catalog withdraw".'
)

export const catalog = Command.make("catalog").pipe(
  Command.withDescription("The catalogue, and which company may sell which service"),
  Command.withSubcommands([importCommand, exportCommand, list, enable, disable, withdraw, restore])
)
