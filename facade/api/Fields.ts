import { Effect, Option, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import { IdempotencyKey, Identifier, ServiceId, TerminalId } from "../../core/domain/Ids.ts"
import { isDay } from "../../core/domain/LocalTime.ts"
import { Amount, AmountLiteral, readAmount } from "../../core/domain/Money.ts"
import type { ListFilter, Page } from "../../core/domain/Page.ts"
import { isClean, TextBetween } from "../../core/domain/Text.ts"
import { NumberLiteral } from "./Json.ts"
import type { JsonSchema } from "./JsonSchema.ts"

/**
 * The reason code for a path parameter that cannot be the id of any resource. The caller receives 404 instead of 422.
 */
export const notFound = "no_existe"

/** A field with its own reader. The reader fails with the reason code that VALIDATION_ERROR shows. */
export const readBy = <A, I>(
  to: Schema.Codec<A, unknown>,
  read: (raw: unknown) => Result.Result<unknown, string>,
  document: JsonSchema
): Schema.Codec<A, I> =>
  Schema.Unknown.pipe(
    Schema.decodeTo(Schema.toType(to), {
      decode: SchemaGetter.transformEffect((raw) =>
        Result.match(read(raw), {
          onSuccess: (value) => Effect.succeed(value as A),
          onFailure: (message) => Effect.fail(new SchemaIssue.InvalidValue({ message }))
        })
      ),
      encode: SchemaGetter.forbiddenEncoding
    })
  ).annotate({ document }) as unknown as Schema.Codec<A, I>

/** A field with its own JSON Schema in the documentation. */
export const described = <S extends Schema.Top>(schema: S, document: JsonSchema): S["Rebuild"] =>
  schema.annotate({ document })

const text = (minimum: number, maximum: number, description: string, example: string): JsonSchema => ({
  type: "string",
  minLength: minimum,
  maxLength: maximum,
  description,
  examples: [example]
})

const asAmountLiteral = (raw: unknown): AmountLiteral | undefined => {
  if (raw instanceof NumberLiteral) return AmountLiteral.NumberLiteral({ text: raw.text })
  if (typeof raw === "number") return AmountLiteral.NumberLiteral({ text: String(raw) })
  return typeof raw === "string" ? AmountLiteral.TextLiteral({ text: raw }) : undefined
}

const readPesos = (raw: unknown) => {
  const literal = asAmountLiteral(raw)
  return literal === undefined ? Result.fail("invalido") : readAmount(literal)
}

/** Pesos, as a number or as text. The amount is read from the digits as the client wrote them. Contract: 1. */
export const amount = readBy<Amount, number | string>(Amount, readPesos, {
  anyOf: [
    { type: "number", exclusiveMinimum: 0 },
    { type: "string", pattern: "^\\d+(\\.\\d{1,2})?$" }
  ],
  description:
    "Monto en pesos, mayor que 0 y con 2 decimales como máximo. Obligatorio en servicios de monto libre; junto a opcion_id tiene que ser el precio de esa opción.",
  examples: [100.5]
})

// The spellings 1.0 and 10e-1 are integers too.
const integerLiteral = /^-?\d+(?:\.0+)?(?:[eE][+-]?\d+)?$/

/** The value of a JSON number that is an integer. None for any other value. */
export const integerOf = (raw: unknown): Option.Option<number> => {
  const written = raw instanceof NumberLiteral && integerLiteral.test(raw.text) ? Number(raw.text) : raw
  return typeof written === "number" && Number.isSafeInteger(written) ? Option.some(written) : Option.none()
}

export const serviceId = readBy<ServiceId, number>(
  ServiceId,
  (raw) =>
    Option.match(integerOf(raw), {
      onNone: () => Result.fail("invalido"),
      onSome: (id) => (id > 0 ? Result.succeed(id) : Result.fail("invalido"))
    }),
  { type: "integer", minimum: 1, description: "Servicio del catálogo.", examples: [1] }
)

const positiveInteger = /^[1-9]\d{0,15}$/

const positiveIntegerOf = (raw: unknown): Result.Result<number, string> => {
  const id = typeof raw === "string" && positiveInteger.test(raw) ? Number(raw) : raw
  return typeof id === "number" && Number.isSafeInteger(id) && id > 0 ? Result.succeed(id) : Result.fail("invalido")
}

const positiveIntegerDocument = (description: string): JsonSchema => ({
  type: "integer",
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description,
  examples: [1]
})

/** The service filter of a search for transactions. tRPC clients may send the id as a number. */
export const soughtService = readBy<ServiceId, number | string>(
  ServiceId,
  positiveIntegerOf,
  positiveIntegerDocument("Solo ventas de este servicio.")
)

/**
 * An id in a path. An empty id gets 404, because no resource has an empty id. An id that is not a positive integer fails
 * with the reason code `malformed`. tRPC clients may send the id as a number.
 */
export const pathId = <A>(to: Schema.Codec<A, number>, description: string, malformed: string = notFound) =>
  readBy<A, number | string>(
    to,
    (raw) => Result.mapError(positiveIntegerOf(raw), () => (raw === "" ? notFound : malformed)),
    positiveIntegerDocument(description)
  )

const queryIntegerOf = (raw: unknown): Option.Option<number> => {
  const value = typeof raw === "string" && /^-?\d{1,16}$/.test(raw) ? Number(raw) : raw
  return typeof value === "number" && Number.isInteger(value) ? Option.some(value) : Option.none()
}

/** Makes fields that read an integer by `read` and limit it to a range. */
const bounded =
  <I>(read: (raw: unknown) => Option.Option<number>) =>
  (minimum: number, maximum: number, description: string, fallback?: number) =>
    readBy<number, I>(
      Schema.Int,
      (raw) =>
        Option.match(read(raw), {
          onNone: () => Result.fail("invalido"),
          onSome: (value) =>
            value < minimum || value > maximum ? Result.fail("fuera_de_rango") : Result.succeed(value)
        }),
      { type: "integer", minimum, maximum, ...(fallback !== undefined && { default: fallback }), description }
    )

/** An integer in a body. */
export const integerBetween = bounded<number>(integerOf)

/** An integer in a query. tRPC clients may send the integer as a number. */
export const wholeBetween = bounded<number | string>(queryIntegerOf)

// A range of days ends at the start of the next day. The next day must still have a year of four digits.
const day_max = "9999-12-30"

/** A calendar day in local time. */
export const day = (description: string) =>
  readBy<string, string>(
    Schema.String,
    (raw) =>
      typeof raw === "string" && isDay(raw) ? Result.succeed(raw < day_max ? raw : day_max) : Result.fail("invalido"),
    {
      type: "string",
      format: "date",
      description,
      examples: ["2026-01-31"]
    }
  )

/** A day in a path. A text that is not a calendar day gets 404, because it names no resource. */
export const pathDay = (description: string) =>
  readBy<string, string>(
    Schema.String,
    (raw) => (typeof raw === "string" && isDay(raw) ? Result.succeed(raw) : Result.fail(notFound)),
    { type: "string", format: "date", description, examples: ["2026-01-31"] }
  )

/** Text without control or hidden characters. Its length is limited only by the maximum size of a request. */
export const cleanText = (description: string, more: JsonSchema = {}) =>
  described(Schema.String.check(Schema.makeFilter(isClean, { message: "invalido" })), {
    type: "string",
    description,
    ...more
  })

export const identifier = described(
  Identifier,
  text(
    3,
    100,
    "Identifica al cliente de la venta: teléfono (solo dígitos), contrato, NIC, cuenta o placa.",
    "8095551234"
  )
)

export const terminalId = described(TerminalId, text(0, 50, "Nombre de la caja o terminal del vendedor.", "caja-1"))

/** The terminal filter of a search for transactions. */
export const soughtTerminal = described(TerminalId, text(0, 50, "Coincidencia exacta.", "caja-1"))

export const optionId = described(
  TextBetween(1, 100),
  text(
    1,
    100,
    "La opción que devolvió la consulta o la cotización previa: paquetes, facturas y seguros.",
    "paq-2b00bd6ec02a027a4497359d"
  )
)

/** The Idempotency-Key of the examples in the documentation. */
export const keyExample = "0b1f4f3c-6d0c-4b0f-9a54-0b6a6c1f2d11"

// HTTP removes spaces at both ends of a header. A key with such spaces could be sent through tRPC, but a retry through
// REST could not send the same key.
const withoutEdges = Schema.makeFilter((key: string) => !/^ | $/.test(key))

/** The Idempotency-Key of an operation. REST clients send it as a header. */
export const idempotencyKey = described(
  IdempotencyKey.check(withoutEdges),
  text(1, 128, "Identifica la operación; se recomienda un UUID v4.", keyExample)
)

/** The Idempotency-Key that a search of transactions looks for. */
export const soughtKey = described(
  IdempotencyKey,
  text(1, 128, "La Idempotency-Key con que se hizo la venta. Coincidencia exacta.", keyExample)
)

const perPage_default = 50
const perPage_max = 200

// The offset of the last page must be a number that Postgres can read.
const page_max = 1_000_000_000

/**
 * The page of a list, the range of days, and the highest id (`hasta_id`). With `hasta_id`, new rows do not shift the
 * pages. Contract: 4.7.
 */
export const paging = {
  page: Schema.optionalKey(wholeBetween(1, page_max, "Número de página.", 1)),
  per_page: Schema.optionalKey(wholeBetween(1, perPage_max, "Elementos por página.", perPage_default)),
  date_from: Schema.optionalKey(day("Desde este día, inclusive.")),
  date_to: Schema.optionalKey(day("Hasta este día, inclusive.")),
  hasta_id: Schema.optionalKey(
    wholeBetween(
      0,
      Number.MAX_SAFE_INTEGER,
      "Solo elementos hasta este id. Con el pagination.hasta_id de la primera página, los elementos nuevos no desplazan las demás páginas."
    )
  )
}

interface Paging {
  readonly page?: number
  readonly per_page?: number
  readonly date_from?: string
  readonly date_to?: string
  readonly hasta_id?: number
}

export const pageOf = ({ page = 1, per_page = perPage_default }: Paging): Page => ({ page, perPage: per_page })

export const listFilterOf = ({ date_from, date_to, hasta_id }: Paging): ListFilter => ({
  from: date_from,
  to: date_to,
  upTo: hasta_id
})
