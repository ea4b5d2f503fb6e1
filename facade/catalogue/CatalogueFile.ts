import { Effect, Option, Predicate, Result, Schema, SchemaIssue } from "effect"
import { type CatalogueDraft, type DraftFault, faultsOf, type PartlyRead } from "../../core/domain/CatalogueDraft.ts"
import { ServiceId } from "../../core/domain/Ids.ts"
import { Flow, ServiceType } from "../../core/domain/Service.ts"
import { isClean } from "../../core/domain/Text.ts"
import { type FileFault, type Path, readJsonFile } from "./JsonFile.ts"
import { Bound, Price } from "./Pesos.ts"

/** A catalogue file says something that cannot be. */
export class BadCatalogue extends Schema.TaggedError<BadCatalogue>()("BadCatalogue", {
  faults: Schema.Array(Schema.Struct({ line: Schema.Int, at: Schema.String, reason: Schema.String }))
}) {}

const Text = Schema.String.check(
  Schema.makeFilter((text: string) => text.trim() !== "" && isClean(text), {
    message: "Expected text, not empty and without control characters"
  })
)

const SmallId = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_147_483_647 }))

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 }))

const Category = Schema.Struct({ id: SmallId, nombre: Text })

const Service = Schema.Struct({
  id: ServiceId,
  nombre: Text,
  descripcion: Text,
  tipo: ServiceType,
  categoria_id: SmallId,
  monto_minimo: Bound,
  monto_maximo: Bound,
  acepta_anulacion: Schema.Boolean,
  flujo: Flow,
  requiere_consulta: Schema.Boolean,
  como_comprar: Text,
  producto_proveedor: Schema.optionalKey(Text),
  activo: Schema.optionalKey(Schema.Boolean)
})

const Package = Schema.Struct({
  id: SmallId,
  service_id: ServiceId,
  codigo: Text,
  nombre: Text,
  descripcion: Text,
  precio: Price,
  duracion: Text,
  datos: Text,
  minutos: Count,
  sms: Count,
  activo: Schema.optionalKey(Schema.Boolean)
})

/** The catalogue as a file has it: the names of the wire, section 2.4 of the contract. */
const CatalogueFile = Schema.Struct({
  categorias: Schema.Array(Category),
  servicios: Schema.Array(Service),
  paquetes: Schema.optionalKey(Schema.Array(Package))
})

/** Reads the text of a catalogue file, or tells everything that is wrong with it, line by line. */
export const readCatalogue = Effect.fn("CatalogueFile.readCatalogue")(function* (text: string) {
  const file = readJsonFile(text)
  if (Result.isFailure(file)) return yield* refusal(file.failure)
  const { content, lineOf, repeated } = file.success
  const draft = catalogueOf(content)
  if (Result.isSuccess(draft) && repeated.length === 0) return draft.success
  const wrong = Result.isFailure(draft) ? draft.failure : []
  return yield* refusal([...repeated, ...wrong.map((fault) => ({ ...fault, line: lineOf(fault.path) }))])
})

const refusal = (faults: ReadonlyArray<FileFault>) =>
  new BadCatalogue({
    faults: faults
      .map(({ line, path, reason }) => ({ line, at: placeOf(path), reason }))
      .sort((one, other) => one.line - other.line)
  })

/** What the content of a catalogue file says, or everything that is wrong with it. */
export const catalogueOf = (
  content: unknown
): Result.Result<CatalogueDraft, ReadonlyArray<Omit<FileFault, "line">>> => {
  const draft = draftOf(content)
  const faults = [...malformedIn(content), ...brokenRules(draft)]
  // Where nothing is malformed, every field of every entry has been read.
  return faults.length === 0 ? Result.succeed(draft as CatalogueDraft) : Result.fail(faults)
}

const strictly = { errors: "all", onExcessProperty: "error" } as const

const malformedIn = (content: unknown) => {
  const file = Schema.decodeUnknownResult(CatalogueFile, strictly)(content)
  if (Result.isSuccess(file)) return []
  return issuesOf(file.failure.issue).issues.map(({ message, path = [] }) => ({
    path: path.map((step) => segmentOf(typeof step === "object" ? step.key : step)),
    reason: message
  }))
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "MissingKey") return "Required"
    return issue._tag === "UnexpectedKey" ? "Unknown here" : SchemaIssue.defaultLeafHook(issue)
  }
})

const segmentOf = (key: PropertyKey): string | number => (typeof key === "symbol" ? String(key) : key)

/**
 * What can be read of each entry of a list, field by field. Of a list that is none there is an entry, and nothing is
 * known of it.
 */
const readIn = <Fields extends Schema.Struct.Fields>(
  { fields }: Schema.Struct<Fields>,
  list: unknown
): ReadonlyArray<Partial<Schema.Struct<Fields>["Type"]>> => {
  if (!Array.isArray(list)) return [{}]
  const readers = Object.entries(fields).map(([name, field]) => {
    const read = Schema.decodeUnknownOption(field as unknown as Schema.Codec<unknown, unknown>)
    return (entry: unknown) =>
      Predicate.hasProperty(entry, name) ? Option.toArray(Option.map(read(entry[name]), (value) => [name, value])) : []
  })
  return list.map((entry) => Object.fromEntries(readers.flatMap((read) => read(entry))))
}

const brokenRules = (draft: PartlyRead) =>
  faultsOf(draft).map(({ field, index, list, reason }) => ({
    path: [wireNames[list], index, wireNames[field]],
    reason
  }))

const draftOf = (content: unknown): PartlyRead => {
  const {
    categorias,
    paquetes = [],
    servicios
  }: Record<string, unknown> = Predicate.isObject(content) ? { ...content } : {}
  return {
    categories: readIn(Category, categorias).map(({ id, nombre }) => ({ id, name: nombre })),
    services: readIn(Service, servicios).map((servicio) => ({
      id: servicio.id,
      name: servicio.nombre,
      description: servicio.descripcion,
      type: servicio.tipo,
      categoryId: servicio.categoria_id,
      minimum: servicio.monto_minimo,
      maximum: servicio.monto_maximo,
      reversible: servicio.acepta_anulacion,
      flow: servicio.flujo,
      requiresLookup: servicio.requiere_consulta,
      howToBuy: servicio.como_comprar,
      product: servicio.producto_proveedor ?? null,
      active: servicio.activo ?? true
    })),
    packages: readIn(Package, paquetes).map((paquete) => ({
      id: paquete.id,
      serviceId: paquete.service_id,
      code: paquete.codigo,
      name: paquete.nombre,
      description: paquete.descripcion,
      price: paquete.precio,
      duration: paquete.duracion,
      data: paquete.datos,
      minutes: paquete.minutos,
      sms: paquete.sms,
      active: paquete.activo ?? true
    }))
  }
}

const wireNames: Record<DraftFault["list"] | DraftFault["field"], string> = {
  categories: "categorias",
  services: "servicios",
  packages: "paquetes",
  id: "id",
  name: "nombre",
  categoryId: "categoria_id",
  maximum: "monto_maximo",
  reversible: "acepta_anulacion",
  flow: "flujo",
  requiresLookup: "requiere_consulta",
  serviceId: "service_id",
  code: "codigo"
}

/** `servicios[2].monto_maximo`, as a person would point at it. */
const placeOf = (path: Path): string => {
  const place = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("")
  return place === "" ? "the file" : place.replace(/^\./, "")
}
