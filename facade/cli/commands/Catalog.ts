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
      `Imported ${categories.length} categories, ${services.length} services and ${packages.length} packages. What the file does not name stays as it was.`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    'Add and replace catalogue entries, all of the file or nothing. The file is {"categorias": [{id, nombre}], "servicios": [...], "paquetes": [...]}: a service as GET /v1/servicios shows it, with categoria_id instead of categoria, and "activo": false to withdraw it from everybody; a package as GET /v1/servicios/{id}/paquetes shows it, with its service_id. facade/settings/catalogue.example.json is one to begin with.'
  ),
  Command.withShortDescription("Add and replace catalogue entries from a file"),
  Command.withExamples([
    { command: "saldo catalog import catalogue.json", description: "All of it, or a report of what is wrong" }
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
    "List every service, withdrawn ones too. With a company, habilitado tells whether that company may sell it."
  ),
  Command.withShortDescription("List the services"),
  Command.withExamples([
    { command: "saldo catalog list", description: "The whole catalogue" },
    { command: "saldo catalog list 7", description: "And what company 7 may sell of it" }
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

const enable = serviceSwitch("enable", true, "may sell", "Let a company sell a service that was withheld from it.")
const disable = serviceSwitch(
  "disable",
  false,
  "may no longer sell",
  "Withhold a service from one company. To withdraw it from everybody, import it with activo: false."
)

export const catalog = Command.make("catalog").pipe(
  Command.withDescription("What is sold, and from whom it is withheld"),
  Command.withSubcommands([importCommand, list, enable, disable])
)
