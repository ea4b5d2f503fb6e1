import { assert, describe, it } from "@effect/vitest"
import { Predicate, Struct } from "effect"
import { codes } from "../../../core/domain/ErrorCodes.ts"
import { openApiDocument } from "../../../facade/api/OpenApi.ts"
import { endpoints, operationIdOf } from "../../../facade/api/Procedures.ts"
import { schemaFaultsBy } from "../../fakes/SchemaFaults.ts"
import { apiDocument, inlinedApiDocument } from "../../support/ApiDocument.ts"

interface BodySchema {
  readonly properties?: object
  readonly anyOf?: ReadonlyArray<BodySchema>
}

interface Content {
  readonly schema?: BodySchema
  readonly example?: { readonly message?: string; readonly data?: { readonly pagination?: { readonly total: number } } }
  readonly examples?: Readonly<Record<string, { readonly value: { readonly error?: ErrorExample } }>>
}

interface ErrorExample {
  readonly code: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
}

interface Response {
  readonly content?: Readonly<Record<string, Content>>
  readonly headers: Readonly<Record<string, { readonly required?: boolean }>>
}

interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly parameters?: ReadonlyArray<{
    readonly in: string
    readonly name: string
    readonly schema: Record<string, unknown>
  }>
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly deprecated?: boolean
  readonly responses: Readonly<Record<string, Response>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: Required<Pick<Operation, "requestBody">> }>>
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>
    readonly schemas: Readonly<Record<string, Record<string, unknown>>>
  }
}

const everyCode = Struct.keys(codes)

const document: Document = inlinedApiDocument
const faultsBy = schemaFaultsBy(document)

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation, name: operation.operationId }))
)

const main = operations.filter(({ operation }) => operation.deprecated !== true)

/** The names of all fields of a body, including the fields of its alternatives. */
const fieldsOf = ({ anyOf = [], properties = {} }: BodySchema): ReadonlyArray<string> => [
  ...Object.keys(properties),
  ...anyOf.flatMap(fieldsOf)
]

/** Every JSON body that the document describes, with its path in the document. */
const bodies = [
  ...operations.flatMap(({ method, operation, path }) =>
    Object.entries(operation.responses).map(([status, response]) => ({
      place: ["paths", path, method, "responses", status],
      response
    }))
  ),
  ...operations.flatMap(({ method, operation: { requestBody }, path }) =>
    requestBody === undefined ? [] : [{ place: ["paths", path, method, "requestBody"], response: requestBody }]
  ),
  ...Object.entries(document.webhooks).map(([name, { post }]) => ({
    place: ["webhooks", name, "post", "requestBody"],
    response: post.requestBody
  })),
  ...Object.entries(document.components.responses).map(([name, response]) => ({
    place: ["components", "responses", name],
    response
  }))
].flatMap(
  ({ place, response }: { readonly place: ReadonlyArray<string>; readonly response: Pick<Response, "content"> }) => {
    const content = response.content?.["application/json"]
    return content === undefined
      ? []
      : [{ name: place.join(" "), place: [...place, "content", "application/json"], content }]
  }
)

/** The objects that have a $ref and other members. Most tools ignore the other members. */
const besideReferences = (value: unknown): ReadonlyArray<unknown> => {
  if (!Predicate.isObjectOrArray(value)) return []
  const own = "$ref" in value && Object.keys(value).length > 1 ? [value] : []
  return [...own, ...Object.values(value).flatMap(besideReferences)]
}

describe("the OpenAPI document", () => {
  it("is not empty: it has operations, schemas and examples for the tests below", () => {
    assert.isNotEmpty(main)
    assert.isNotEmpty(Object.keys(document.components.schemas))
    assert.isNotEmpty(bodies.filter(({ content }) => content.example !== undefined))
    assert.isNotEmpty(bodies.filter(({ content }) => content.examples !== undefined))
    assert.isNotEmpty(operations.filter(({ operation }) => operation.responses["304"] !== undefined))
    assert.isNotEmpty(bodies.filter(({ content }) => content.example?.data?.pagination !== undefined))
  })

  it.each(bodies)("has examples that match their schema: $name", ({ content, place }) => {
    const examples = [content.example, ...Object.values(content.examples ?? {}).map(({ value }) => value)]
    for (const example of examples.filter((shown) => shown !== undefined))
      assert.isEmpty(faultsBy([...place, "schema"], example))
  })

  it("has an example of every request body, webhook body and response except a PDF", () => {
    const contents = [
      ...Object.values(document.components.responses).flatMap(({ content = {} }) => Object.entries(content)),
      ...operations.flatMap(({ operation: { requestBody } }) => Object.entries(requestBody?.content ?? {})),
      ...Object.values(document.webhooks).flatMap(({ post }) => Object.entries(post.requestBody.content))
    ]
    assert.isAbove(contents.length, 50)
    for (const [type, content] of contents)
      assert.isTrue(type === "application/pdf" || (content.example ?? content.examples) !== undefined, type)
  })

  it("has an example of a statement as CSV", () => {
    const statement = document.components.responses["movimientosListar_200"]?.content?.["text/csv"]?.example
    assert.deepStrictEqual(String(statement).split("\r\n"), [
      "movimiento_id,tipo,monto,saldo,transaction_id,referencia,fecha",
      "2,sale,-100,99900,1,,2026-01-31 14:05:09",
      "1,deposit,100000,100000,,deposito-1,2026-01-31 09:00:00",
      ""
    ])
  })

  it.each([
    ["allows", { amount: 100 }],
    ["allows", { amount: "100.50", terminal_id: "caja-1" }],
    ["allows", { opcion_id: "seguro:1" }],
    ["allows", { opcion_id: "seguro:1", amount: 6_800.5 }],
    ["forbids", {}],
    ["forbids", { terminal_id: "caja-1" }],
    ["forbids", { amount: 0 }],
    ["forbids", { amount: 100, opcion_id: "" }]
  ])("%s a sale with the fields %j", (decision, fields) => {
    const place = ["paths", "/v1/recargas", "post", "requestBody", "content", "application/json", "schema"]
    const faults = faultsBy(place, { service_id: 1, identifier: "8095551234", ...fields })
    assert.strictEqual(faults.length === 0, decision === "allows", faults.join("\n"))
  })

  it("marks aliases and no other operation as deprecated, and names an alias after its main operation", () => {
    const names = new Set(main.map(({ name }) => name))
    const aliases = operations.filter(({ operation }) => operation.deprecated === true)
    assert.strictEqual(aliases.length, endpoints.flatMap(({ procedure }) => procedure.meta.aliases ?? []).length)
    for (const { name } of aliases) assert.isTrue(names.has(name.replace(/Alias1$/, "")), name)
    assert.sameMembers([...names], endpoints.map(operationIdOf))
  })

  it("has a schema for every error code, which clients find by the code", () => {
    const { Error: any, ...schemas } = apiDocument.components.schemas
    assert.lengthOf(any.anyOf, everyCode.length)
    for (const code of everyCode) {
      const [, name] = schemas[code].properties.error.$ref.split("/schemas/")
      assert.strictEqual(schemas[name].properties.code.const, code)
      assert.include(schemas[name].required, "code")
    }
    const { error } = schemas.RespuestaRecargasCrear422.properties
    assert.deepStrictEqual(
      Object.values(error.discriminator.mapping),
      error.oneOf.map(({ $ref }: { readonly $ref: string }) => $ref)
    )
    assert.strictEqual(error.discriminator.mapping.INVALID_PHONE, "#/components/schemas/ErrorInvalidPhone")
  })

  it("defines each enumeration once, as a named schema", () => {
    const { schemas } = apiDocument.components
    assert.deepStrictEqual(schemas.EstadoTransaccion.enum, ["PROCESSING", "PENDING", "SUCCESS", "FAILED", "REVERSED"])
    assert.deepStrictEqual(schemas.CodigoError.enum, everyCode)
    for (const schema of [schemas.Transaccion, schemas.ErrorIdempotencyConflict.properties.details])
      assert.deepStrictEqual(schema.properties.status, { $ref: "#/components/schemas/EstadoTransaccion" })
    const lists = JSON.stringify(apiDocument.components).match(/"enum":\[[^\]]*,[^\]]*\]/g) ?? []
    assert.strictEqual(new Set(lists).size, lists.length)
  })

  it("has an introduction, a support address, a server address, a link to the error pages and every tag", () => {
    const { externalDocs, info, servers, tags } = apiDocument
    for (const topic of [
      "Ambientes",
      "Autenticación",
      "Idempotencia",
      "202",
      "errores",
      "Anulaciones",
      "Límites",
      "Soporte"
    ])
      assert.match(info.description, new RegExp(`^## .*${topic}`, "m"))
    assert.include(info.description, "escriba a soporte@saldo.test")
    assert.strictEqual(info.contact.email, "soporte@saldo.test")
    assert.strictEqual(servers[0].url, "https://api.saldo.test")
    assert.strictEqual(externalDocs.url, "https://api.saldo.test/docs/errors")
    assert.sameMembers(
      tags.map(({ name }: { readonly name: string }) => name),
      [...new Set(main.flatMap(({ operation }) => operation.tags))]
    )
    const own = openApiDocument({ publicUrl: null, supportEmail: null })
    assert.deepStrictEqual([own.servers[0]?.url, own.externalDocs, own.info.contact.email], ["/", undefined, undefined])
  })

  it("has no object with a $ref and other members", () => {
    assert.isEmpty(besideReferences(apiDocument))
  })

  it("has example messages that end in a full stop, and the message of a list states its total", () => {
    for (const { content, name } of bodies) {
      if (content.example === undefined || name.endsWith("requestBody")) continue
      assert.match(content.example.message ?? "", /\.$/, name)
      const { pagination } = content.example.data ?? {}
      if (pagination !== undefined) assert.include(content.example.message, `: ${pagination.total}.`)
    }
  })

  const limitOfPhone = ["telefono", "periodo", "limite", "retry_after"]
  /** In these operations, stored state causes the example of a validation error, not the input. The values are its details. */
  const detailsOfState: Readonly<Record<string, ReadonlyArray<string>>> = {
    transaccionesAnular: ["status"],
    segurosIniciar: limitOfPhone,
    segurosReenviar: limitOfPhone
  }

  // The only validation error of an operation without input is about its headers.
  it.each(main)(
    "has an example of a validation error of $name, for a field that this operation has",
    ({ operation }) => {
      const error =
        operation.responses["422"]?.content?.["application/json"]?.examples?.["VALIDATION_ERROR"]?.value.error
      const fields = fieldsOf(operation.requestBody?.content["application/json"]?.schema ?? {})
      const taken = [...(operation.parameters ?? []).map(({ name }) => name), ...fields, "headers"]
      const ofState = detailsOfState[operation.operationId] ?? []
      assert.includeMembers([...taken, ...ofState], Object.keys(error?.details ?? {}))
    }
  )

  it("documents If-None-Match for every operation with a 304 and for no other", () => {
    for (const { name, operation } of operations) {
      const sent = operation.parameters?.some((parameter) => parameter.name === "If-None-Match") ?? false
      assert.strictEqual(sent, operation.responses["304"] !== undefined, name)
    }
  })

  it("describes the filter idempotency_key as the key of an existing sale", () => {
    const { parameters = [] } = document.paths["/v1/transacciones"]?.["get"] ?? {}
    const sought = parameters.find(({ name }) => name === "idempotency_key")
    assert.match(String(sought?.schema["description"]), /^La Idempotency-Key con que se hizo la venta/)
  })

  it("lists the read operations of a tag first", () => {
    const first = Map.groupBy(main, ({ operation }) => operation.tags[0])
    assert.strictEqual(first.get("Transacciones")?.[0]?.name, "transaccionesListar")
  })

  it("declares a PDF as bytes and a CSV as text, both with a file name", () => {
    const text: object = { type: "string" }
    const answer = (path: string) => document.paths[path]?.["get"]?.responses["200"]
    const bytes: object = { type: "string", format: "binary" }
    assert.deepStrictEqual(answer("/v1/transacciones/{id}/recibo")?.content?.["application/pdf"]?.schema, bytes)
    assert.deepStrictEqual(answer("/v1/seguros/{id}/documento")?.content?.["application/pdf"]?.schema, bytes)
    assert.deepStrictEqual(answer("/v1/movimientos")?.content?.["text/csv"]?.schema, text)
    assert.property(answer("/v1/movimientos")?.headers, "Content-Disposition")
    assert.isTrue(answer("/v1/seguros/{id}/documento")?.headers["Content-Disposition"]?.required)
  })

  it("declares the formats date and date-time, and a pattern for local times", () => {
    const formats = (name: string) =>
      Object.entries(Object(document.components.schemas[name]?.["properties"])).flatMap(([field, schema]) => {
        const [, format] = /"format":"([^"]+)"/.exec(JSON.stringify(schema)) ?? []
        return format === undefined ? [] : [[field, format]]
      })
    assert.deepStrictEqual(formats("Venta"), [["processed_at", "date-time"]])
    assert.match("2026-01-31 14:05:09", new RegExp(String(document.components.schemas["FechaHoraLocal"]?.["pattern"])))
    assert.deepStrictEqual(formats("Seguro"), [
      ["vigencia_desde", "date"],
      ["vigencia_hasta", "date"]
    ])
  })
})
