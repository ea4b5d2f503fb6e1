import { Effect, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import { type CatalogueDraft, type DraftFault, faultsOf } from "../../core/domain/CatalogueDraft.ts"
import { ServiceId } from "../../core/domain/Ids.ts"
import { Amount, AmountLiteral, Centavos, readAmount, readLimit, toPesos } from "../../core/domain/Money.ts"
import { Flow, ServiceType } from "../../core/domain/Service.ts"
import { isClean } from "../../core/domain/Text.ts"

/** A catalogue file says something that cannot be. */
export class BadCatalogue extends Schema.TaggedError<BadCatalogue>()("BadCatalogue", {
  faults: Schema.Array(Schema.Struct({ at: Schema.String, reason: Schema.String }))
}) {}

const Text = Schema.String.check(
  Schema.makeFilter((text: string) => text.trim() !== "" && isClean(text), {
    message: "Expected text, not empty and without control characters"
  })
)

const SmallId = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_147_483_647 }))

/** Pesos as a JSON number, read as centavos. */
const pesos = <A extends number>(
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

const Bound = pesos(Centavos, readLimit, "Expected pesos with at most two decimals; 0 means no bound")
const Price = pesos(Amount, readAmount, "Expected pesos above 0 with at most two decimals")

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 }))

/** The catalogue as a file has it: the names of the wire, section 2.4 of the contract. */
const CatalogueFile = Schema.Struct({
  categorias: Schema.Array(Schema.Struct({ id: SmallId, nombre: Text })),
  servicios: Schema.Array(
    Schema.Struct({
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
      activo: Schema.optionalKey(Schema.Boolean)
    })
  ),
  paquetes: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
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
    )
  )
})

const decode = Schema.decodeUnknownEffect(CatalogueFile, { errors: "all", onExcessProperty: "error" })
const formatter = SchemaIssue.makeFormatterStandardSchemaV1()

/** Reads what a catalogue file says, or tells everything that is wrong with it, entry by entry. */
export const readCatalogue = Effect.fn("CatalogueFile.readCatalogue")(function* (content: unknown) {
  const file = yield* Effect.mapError(
    decode(content),
    ({ issue }) =>
      new BadCatalogue({
        faults: formatter(issue).issues.map(({ message, path }) => ({ at: placeOf(path ?? []), reason: message }))
      })
  )
  const draft = draftOf(file)
  const faults = faultsOf(draft).map(({ field, index, list, reason }) => ({
    at: placeOf([wireNames[list], index, wireNames[field]]),
    reason
  }))
  return faults.length === 0 ? draft : yield* new BadCatalogue({ faults })
})

const draftOf = ({ categorias, paquetes = [], servicios }: typeof CatalogueFile.Type): CatalogueDraft => ({
  categories: categorias.map(({ id, nombre }) => ({ id, name: nombre })),
  services: servicios.map((servicio) => ({
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
    active: servicio.activo ?? true
  })),
  packages: paquetes.map((paquete) => ({
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
})

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
  serviceId: "service_id"
}

/** `servicios[2].monto_maximo`, as a person would point at it. */
const placeOf = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string => {
  const keys = path.map((step) => (typeof step === "object" ? step.key : step))
  const place = keys.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("")
  return place === "" ? "the file" : place.replace(/^\./, "")
}
