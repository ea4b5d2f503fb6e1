import { Effect, Option, Predicate, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import { type CatalogueDraft, type DraftFault, faultsOf, type PartlyRead } from "../../core/domain/CatalogueDraft.ts"
import { ServiceId } from "../../core/domain/Ids.ts"
import { Amount, AmountLiteral, amount_max, Centavos, readAmount, readLimit, toPesos } from "../../core/domain/Money.ts"
import { Flow, ServiceType } from "../../core/domain/Service.ts"
import { isClean } from "../../core/domain/Text.ts"
import example from "./catalogue.example.json" with { type: "json" }
import { type FileFault, type JsonPath, readJsonFile } from "./JsonFile.ts"

/** What an amount looks like, in words. */
export const pesosFormat = `pesos from 0.01 to ${toPesos(amount_max)} with at most two decimals`

/** Pesos as a JSON number, read as centavos. */
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

/** A lowest or highest amount. */
const AmountBound = pesosSchema(Centavos, readLimit, `Expected ${pesosFormat}; 0 means no bound`)
/** What something costs. */
const Price = pesosSchema(Amount, readAmount, `Expected ${pesosFormat}`)

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
  monto_minimo: AmountBound,
  monto_maximo: AmountBound,
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
const CatalogueFileSchema = Schema.Struct({
  categorias: Schema.Array(Category),
  servicios: Schema.Array(Service),
  paquetes: Schema.optionalKey(Schema.Array(Package))
})

/** Reads the text of a catalogue file, or tells everything that is wrong with it, line by line. */
export const readCatalogueFile = Effect.fn("CatalogueFile.readCatalogue")(function* (text: string) {
  const file = readJsonFile(text)
  if (Result.isFailure(file)) return yield* badCatalogue(file.failure)
  const { content, lineOf, repeated } = file.success
  const draft = parseCatalogue(content)
  if (Result.isSuccess(draft) && repeated.length === 0) return draft.success
  const wrong = Result.isFailure(draft) ? draft.failure : []
  return yield* badCatalogue([...repeated, ...wrong.map((fault) => ({ ...fault, line: lineOf(fault.path) }))])
})

const badCatalogue = (faults: ReadonlyArray<FileFault>) =>
  new BadCatalogue({
    faults: faults
      .map(({ line, path, reason }) => ({ line, at: formatPath(path), reason }))
      .sort((one, other) => one.line - other.line)
  })

/** What the content of a catalogue file says, or everything that is wrong with it. */
const parseCatalogue = (content: unknown): Result.Result<CatalogueDraft, ReadonlyArray<Omit<FileFault, "line">>> => {
  const draft = draftOf(content)
  const faults = [...schemaFaults(content), ...ruleFaults(draft)]
  // Where nothing is malformed, every field of every entry has been read.
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
    return issue._tag === "UnexpectedKey" ? "Unknown here" : SchemaIssue.defaultLeafHook(issue)
  }
})

const segmentOf = (key: PropertyKey): string | number => (typeof key === "symbol" ? String(key) : key)

/**
 * What can be read of each entry of a list, field by field. Of a list that is none there is an entry, and nothing is
 * known of it.
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

/** `servicios[2].monto_maximo`, as a person would point at it. */
const formatPath = (path: JsonPath): string => {
  const place = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("")
  return place === "" ? "the file" : place.replace(/^\./, "")
}

/** What a fresh installation sells, until the operator imports a catalogue of their own. */
export const exampleCatalogue = Effect.suspend(() => Effect.orDie(Effect.fromResult(parseCatalogue(example))))
