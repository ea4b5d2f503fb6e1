import type { EntryChange } from "../../core/domain/CatalogueChanges.ts"
import type { CatalogueDraft, CategoryDraft, PackageDraft, ServiceDraft } from "../../core/domain/CatalogueDraft.ts"
import { packageView, serviceView } from "./Catalogo.ts"
import { byteOrderMark, csvText } from "./Csv.ts"

/** The entries of a catalogue as a file that can be imported. Used by the command line and by the operator console. */

type Document = Readonly<Record<string, unknown>>

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

/** A catalogue as CSV with these columns, and a byte order mark for spreadsheets. */
export const catalogueCsv = <Column extends string>(
  columns: ReadonlyArray<Column>,
  { categories, packages, services }: CatalogueDraft
): string => {
  const rowOf = (entrada: string) => (entry: Document) =>
    Object.fromEntries(
      columns.map((column) => [column, column === "entrada" ? entrada : cellOf(entry[column])])
    ) as Record<Column, string | number | null>
  return (
    byteOrderMark +
    csvText(columns, [
      ...categories.map(categoryDocument).map(rowOf("categoria")),
      ...services.map(serviceDocument).map(rowOf("servicio")),
      ...packages.map(packageDocument).map(rowOf("paquete"))
    ])
  )
}

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

// Every field of an entry is a text, a number or a boolean.
const shownValue = (value: unknown) => (value ?? null) as string | number | boolean | null

/** A change of an import: each field that differs, with its values before and after. A new entry has no values before. */
export const changeDocument = (change: EntryChange) => {
  const [entrada, before, after] = partsOf(change)
  const names = Object.keys({ ...before, ...after }).filter((name) => name !== "id" && before?.[name] !== after[name])
  return {
    entrada,
    id: change.after.id,
    cambio: before === null ? "nuevo" : "modificado",
    campos: names.map((campo) => ({ campo, antes: shownValue(before?.[campo]), despues: shownValue(after[campo]) }))
  }
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
