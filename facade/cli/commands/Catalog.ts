import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import type { ListedService } from "../../../core/ports/Catalogue.ts"
import { enableService, importCatalogue, servicesOf } from "../../../core/workflows/ManageCatalogue.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { serviceView } from "../../api/Catalogo.ts"
import { readCatalogueFile } from "../../settings/CatalogueFile.ts"
import { type Document, formatTable, print } from "../terminal/Output.ts"
import { companyId, serviceId } from "../terminal/Parameters.ts"

const importCommand = Command.make(
  "import",
  {
    file: Argument.FileText("file").pipe(Argument.withDescription("JSON file with categorias, servicios and paquetes"))
  },
  Effect.fn(function* ({ file }) {
    const draft = yield* readCatalogueFile(file)
    yield* importCatalogue(draft)
    const { categories, packages, services } = draft
    yield* print(
      { categorias: categories.length, servicios: services.length, paquetes: packages.length },
      `Imported ${categories.length} categories, ${services.length} services and ${packages.length} packages. Entries outside the file are unchanged.`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    'Add and replace catalogue entries: the whole file or nothing. The file has the form {"categorias": [{id, nombre}], "servicios": [...], "paquetes": [...]}. A service has the fields of GET /v1/servicios, with categoria_id instead of categoria; "activo": false withdraws it from all companies. A package has the fields of GET /v1/servicios/{id}/paquetes, and service_id. facade/settings/catalogue.example.json is an example.'
  ),
  Command.withShortDescription("Add and replace catalogue entries from a file"),
  Command.withExamples([
    { command: "saldo catalog import catalogue.json", description: "Import the file, or report its faults" }
  ])
)

const listedDocument = ({ active, enabled, service }: ListedService): Document => ({
  ...serviceView(service),
  activo: active,
  ...(enabled === null ? {} : { habilitado: enabled })
})

/** The columns of a service in a table. */
const listedRow = ({ como_comprar: _, descripcion: __, categoria_id: ___, ...line }: Document): Document => line

const list = Command.make(
  "list",
  {
    companyId: Argument.optional(companyId)
  },
  Effect.fn(function* ({ companyId }) {
    const items = (yield* servicesOf(Option.getOrNull(companyId))).map(listedDocument)
    yield* print({ items }, items.length === 0 ? "The catalogue is empty." : formatTable(items.map(listedRow)))
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "List all services, including withdrawn ones. With a company, habilitado shows whether the company may sell the service."
  ),
  Command.withShortDescription("List the services"),
  Command.withExamples([
    { command: "saldo catalog list", description: "The whole catalogue" },
    { command: "saldo catalog list 7", description: "The catalogue, and what company 7 may sell" }
  ])
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
  "Forbid a company to sell a service. To withdraw a service from all companies, import it with activo: false."
)

export const catalog = Command.make("catalog").pipe(
  Command.withDescription("The catalogue, and which company may sell which service"),
  Command.withSubcommands([importCommand, list, enable, disable])
)
