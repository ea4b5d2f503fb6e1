import { Effect, Option, Predicate, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import { type CatalogueDraft, type DraftFault, faultsOf, type PartlyRead } from "../../core/domain/CatalogueDraft.ts"
import { ServiceId } from "../../core/domain/Ids.ts"
import { Amount, AmountLiteral, amount_max, Centavos, readAmount, readLimit, toPesos } from "../../core/domain/Money.ts"
import { Flow, ServiceType } from "../../core/domain/Service.ts"
import { isBlank, isClean } from "../../core/domain/Text.ts"
import example from "./catalogue.example.json" with { type: "json" }
import type { ContentPath, FileFault, FilePosition, ParsedFile } from "./JsonFile.ts"

/** The text in error messages that describes valid amounts. */
export const pesosFormat = `pesos from 0.01 to ${toPesos(amount_max)} with at most two decimals`

/** A JSON number of pesos, decoded to centavos. */
const pesosSchema = <A extends number>(
  to: Schema.Codec<A, number>,
  read: (literal: AmountLiteral) => Result.Result<A, unknown>,
  message: string
) => {
  const centavosOf = (value: number) => read(AmountLiteral.NumberLiteral({ text: String(value) }))
  return Schema.Finite.check(
    Schema.makeFilter((value: number) => Result.isSuccess(centavosOf(value)), { message })
  ).pipe(
    Schema.decodeTo(Schema.toType(to), {
      decode: SchemaGetter.transform((value: number) => Result.getOrThrow(centavosOf(value))),
      encode: SchemaGetter.transform((centavos: A) => toPesos(centavos))
    })
  )
}

/** A minimum or maximum amount. */
const AmountBound = pesosSchema(Centavos, readLimit, `Expected ${pesosFormat}; 0 means no bound`)
/** A price. */
const Price = pesosSchema(Amount, readAmount, `Expected ${pesosFormat}`)

/** The catalogue file is invalid. */
export class BadCatalogue extends Schema.TaggedError<BadCatalogue>()("BadCatalogue", {
  faults: Schema.Array(
    Schema.Struct({
      line: Schema.Int,
      column: Schema.NullOr(Schema.Int),
      at: Schema.String,
      reason: Schema.String
    })
  )
}) {}

const Text = Schema.String.check(
  Schema.makeFilter((text: string) => !isBlank(text) && isClean(text), {
    message: "Expected text, not empty and without control or hidden characters"
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
  // `catalog list` prints this field. An import only checks it. To rename a category, change the list of categories.
  categoria: Schema.optionalKey(Text),
  categoria_id: SmallId,
  monto_minimo: AmountBound,
  monto_maximo: AmountBound,
  acepta_anulacion: Schema.Boolean,
  flujo: Flow,
  requiere_consulta: Schema.Boolean,
  como_comprar: Text,
  producto_proveedor: Schema.optionalKey(Text),
  activo: Schema.optionalKey(Schema.Boolean),
  // `catalog list COMPANY` prints this field. An import ignores it, because it is not part of the catalogue.
  habilitado: Schema.optionalKey(Schema.Boolean)
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

/** The format of a catalogue file, with the field names of the API. Contract: 2.4. */
const CatalogueFileSchema = Schema.Struct({
  categorias: Schema.Array(Category),
  servicios: Schema.Array(Service),
  paquetes: Schema.optionalKey(Schema.Array(Package))
})

/** Reads a catalogue from a parsed file. Fails with all faults, in order of lines. */
export const readCatalogue = Effect.fn("CatalogueFile.readCatalogue")(function* (
  file: Result.Result<ParsedFile, ReadonlyArray<FileFault>>
) {
  if (Result.isFailure(file)) return yield* badCatalogue(file.failure)
  const { content, positionOf, repeated } = asCatalogue(file.success)
  const draft = parseCatalogue(content)
  if (Result.isSuccess(draft) && repeated.length === 0) return draft.success
  const wrong = Result.isFailure(draft) ? draft.failure : []
  return yield* badCatalogue([...repeated, ...wrong.map((fault) => ({ ...fault, ...positionOf(fault.path) }))])
})

// `catalog list --json` prints the services under the name `items`.
const asCatalogue = (file: ParsedFile): ParsedFile => {
  const { content, positionOf, repeated } = file
  if (!Predicate.hasProperty(content, "items") || Predicate.hasProperty(content, "servicios")) return file
  const { items, ...lists } = content
  return {
    content: { ...lists, servicios: items },
    positionOf: ([list = "", ...path]) => positionOf([list === "servicios" ? "items" : list, ...path]),
    repeated
  }
}

const badCatalogue = (faults: ReadonlyArray<FileFault>) =>
  new BadCatalogue({
    faults: faults
      .map(({ column, line, path, reason }) => ({ line, column, at: formatPath(path), reason }))
      .sort((one, other) => one.line - other.line)
  })

/** Converts the content of a catalogue file, or returns all its faults. */
const parseCatalogue = (
  content: unknown
): Result.Result<CatalogueDraft, ReadonlyArray<Omit<FileFault, keyof FilePosition>>> => {
  const draft = draftOf(content)
  const faults = [...schemaFaults(content), ...ruleFaults(draft), ...categoryNameFaults(content)]
  // If the schema reports no fault, every field of every entry was decoded.
  return faults.length === 0 ? Result.succeed(draft as CatalogueDraft) : Result.fail(faults)
}

const strictOptions = { errors: "all", onExcessProperty: "error" } as const

const schemaFaults = (content: unknown) => {
  const file = Schema.decodeUnknownResult(CatalogueFileSchema, strictOptions)(content)
  if (Result.isSuccess(file)) return []
  return issuesOf(file.failure.issue).issues.map(({ message, path = [] }) => ({
    path: path.map((step) => segmentOf(typeof step === "object" ? step.key : step)),
    reason: message
  }))
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "MissingKey") return "Required"
    return issue._tag === "UnexpectedKey" ? "Unknown field" : SchemaIssue.defaultLeafHook(issue)
  }
})

const segmentOf = (key: PropertyKey): string | number => (typeof key === "symbol" ? String(key) : key)

/**
 * Decodes each entry of a list field by field and leaves out invalid fields. A value that is not a list counts as one
 * entry without fields.
 */
const readFields = <Fields extends Schema.Struct.Fields>(
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

const ruleFaults = (draft: PartlyRead) =>
  faultsOf(draft).map(({ field, index, list, reason }) => ({
    path: [wireNames[list], index, wireNames[field]],
    reason
  }))

const categoryNameFaults = (content: unknown) => {
  const { categorias, servicios }: Record<string, unknown> = Predicate.isObject(content) ? { ...content } : {}
  const names = new Map(readFields(Category, categorias).map(({ id, nombre }) => [id, nombre]))
  return readFields(Service, servicios).flatMap(({ categoria, categoria_id }, index) => {
    const name = names.get(categoria_id)
    return categoria === undefined || name === undefined || name === categoria
      ? []
      : [{ path: ["servicios", index, "categoria"], reason: `is not ${name}, the name of category ${categoria_id}` }]
  })
}

const draftOf = (content: unknown): PartlyRead => {
  const {
    categorias,
    paquetes = [],
    servicios
  }: Record<string, unknown> = Predicate.isObject(content) ? { ...content } : {}
  return {
    categories: readFields(Category, categorias).map(({ id, nombre }) => ({ id, name: nombre })),
    services: readFields(Service, servicios).map((servicio) => ({
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
    packages: readFields(Package, paquetes).map((paquete) => ({
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

/** A path as text: `servicios[2].monto_maximo`. */
const formatPath = (path: ContentPath): string => {
  const place = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("")
  return place === "" ? "the file" : place.replace(/^\./, "")
}

/** The catalogue of a new installation, until the operator imports another. */
export const exampleCatalogue = Effect.suspend(() => Effect.orDie(Effect.fromResult(parseCatalogue(example))))
