import type { EntryChange } from "../../../core/domain/CatalogueChanges.ts"
import type { CatalogueDraft, CategoryDraft, PackageDraft, ServiceDraft } from "../../../core/domain/CatalogueDraft.ts"
import { packageView, serviceView } from "../../api/Catalogo.ts"
import { byteOrderMark, csvText } from "../../api/Csv.ts"
import { type CsvColumn, csvColumns } from "../../settings/CatalogueCsv.ts"
import type { Document } from "../terminal/Output.ts"

/** The entries of a catalogue in the form of a file for import. */

const categoryDocument = ({ id, name }: CategoryDraft): Document => ({ id, nombre: name })

const serviceDocument = ({ active, ...service }: ServiceDraft): Document => {
  const { categoria: _, ...fields } = serviceView({ ...service, category: "" })
  return { ...fields, ...(service.product !== null && { producto_proveedor: service.product }), activo: active }
}

const packageDocument = ({ active, ...item }: PackageDraft): Document => ({
  service_id: item.serviceId,
  ...packageView(item),
  activo: active
})

export const catalogueDocument = ({ categories, packages, services }: CatalogueDraft): Document => ({
  categorias: categories.map(categoryDocument),
  servicios: services.map(serviceDocument),
  paquetes: packages.map(packageDocument)
})

const cellOf = (value: unknown): string | number | null => {
  if (typeof value === "boolean") return value ? "si" : "no"
  return typeof value === "number" ? value : value === undefined ? null : String(value)
}

const csvRow = (entrada: string, entry: Document) =>
  Object.fromEntries(
    csvColumns.map((column) => [column, column === "entrada" ? entrada : cellOf(entry[column])])
  ) as Record<CsvColumn, string | number | null>

/** A catalogue as CSV, with a byte order mark for spreadsheets. */
export const catalogueCsv = ({ categories, packages, services }: CatalogueDraft): string =>
  byteOrderMark +
  csvText(csvColumns, [
    ...categories.map((entry) => csvRow("categoria", categoryDocument(entry))),
    ...services.map((entry) => csvRow("servicio", serviceDocument(entry))),
    ...packages.map((entry) => csvRow("paquete", packageDocument(entry)))
  ])

/** The kind of a changed entry, and the entry before and after. */
const partsOf = (change: EntryChange): readonly [kind: string, before: Document | null, after: Document] => {
  switch (change.list) {
    case "categories":
      return ["categoria", change.before && categoryDocument(change.before), categoryDocument(change.after)]
    case "services":
      return ["servicio", change.before && serviceDocument(change.before), serviceDocument(change.after)]
    case "packages":
      return ["paquete", change.before && packageDocument(change.before), packageDocument(change.after)]
  }
}

/** A change of an import: the fields that differ, each before and after. A new entry has no values before. */
export const changeDocument = (change: EntryChange) => {
  const [entrada, before, after] = partsOf(change)
  const names = Object.keys({ ...before, ...after }).filter((name) => name !== "id" && before?.[name] !== after[name])
  return {
    entrada,
    id: change.after.id,
    cambio: before === null ? "nuevo" : "modificado",
    campos: names.map((campo) => ({ campo, antes: before?.[campo] ?? null, despues: after[campo] ?? null }))
  }
}

const nouns = { categories: "category", services: "service", packages: "package" }

/** A change of an import as text: `changed service 1: monto_minimo 20 -> 30`. */
export const formatChange = (change: EntryChange): string => {
  const { campos, id } = changeDocument(change)
  const entry = `${nouns[change.list]} ${id}`
  if (change.before === null) return `new ${entry}: ${change.after.name}`
  const fields = campos.map(({ antes, campo, despues }) => `${campo} ${antes ?? "-"} -> ${despues ?? "-"}`)
  return `changed ${entry}: ${fields.join(", ")}`
}

/** Offset of the template's ids, so that importing the template replaces no entry of the example catalogue. */
const templateIds = 9_000

/**
 * An example for an operator's own file, with entries of each kind. The entries are withdrawn, so no company can sell
 * them.
 */
export const templateOf = ({ categories, packages, services }: CatalogueDraft): CatalogueDraft => {
  const sold = services.filter(({ flow }, index) => services.findIndex((other) => other.flow === flow) === index)
  const chosen = sold.filter(({ flow }) => flow === "monto_libre" || flow === "paquetes")
  const moved = <Id extends number>(id: Id): Id => (id + templateIds) as Id
  return {
    categories: categories
      .filter(({ id }) => chosen.some(({ categoryId }) => categoryId === id))
      .map(({ id, name }) => ({ id: moved(id), name: `${name} (ejemplo)` })),
    services: chosen.map((service) => ({
      ...service,
      id: moved(service.id),
      categoryId: moved(service.categoryId),
      active: false
    })),
    packages: packages
      .slice(0, 1)
      .map((item) => ({ ...item, id: moved(item.id), serviceId: moved(item.serviceId), active: false }))
  }
}
