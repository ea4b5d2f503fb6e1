import { assert, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import { openApiDocument } from "../../../facade/api/OpenApi.ts"
import { schemaFaultsBy } from "../../fakes/SchemaFaults.ts"

interface Content {
  readonly schema?: object
  readonly example?: { readonly message?: string; readonly data?: { readonly pagination?: { readonly total: number } } }
  readonly examples?: Readonly<Record<string, { readonly value: { readonly error: ErrorExample } }>>
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
  readonly requestBody?: {
    readonly content: Readonly<Record<string, Content & { readonly schema: { readonly properties: object } }>>
  }
  readonly responses: Readonly<Record<string, Response>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>
    readonly schemas: Readonly<Record<string, Record<string, unknown>>>
  }
}

const document: Document = JSON.parse(JSON.stringify(openApiDocument("/")))
const faultsBy = schemaFaultsBy(document)

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation, name: operation.operationId }))
)

const main = operations.filter(({ name }) => !/Alias\d+$/.test(name))

/** Every JSON body of the document, with its place in the document. */
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

/** Objects with other members beside a $ref. Most tools that read the document ignore those members. */
const besideReferences = (value: unknown): ReadonlyArray<unknown> => {
  if (!Predicate.isObjectOrArray(value)) return []
  const own = "$ref" in value && Object.keys(value).length > 1 ? [value] : []
  return [...own, ...Object.values(value).flatMap(besideReferences)]
}

describe("the OpenAPI document", () => {
  it("has operations, schemas and bodies with examples for the other tests to check", () => {
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

  it("has no members beside a $ref", () => {
    assert.isEmpty(besideReferences(document))
  })

  it("has messages that end in a full stop and state the total of a list", () => {
    for (const { content, name } of bodies) {
      if (content.example === undefined || name.endsWith("requestBody")) continue
      assert.match(content.example.message ?? "", /\.$/, name)
      const { pagination } = content.example.data ?? {}
      if (pagination !== undefined) assert.include(content.example.message, `: ${pagination.total}.`)
    }
  })

  const limitOfPhone = ["telefono", "periodo", "limite", "retry_after"]
  /** Details about a stored state, of operations whose example is not an invalid input. */
  const detailsOfState: Readonly<Record<string, ReadonlyArray<string>>> = {
    transaccionesAnular: ["status"],
    segurosIniciar: limitOfPhone,
    segurosReenviar: limitOfPhone
  }

  // An operation without input can only fail validation for its headers.
  it.each(main)("shows a validation error for an input of $name", ({ operation }) => {
    const error = operation.responses["422"]?.content?.["application/json"]?.examples?.["VALIDATION_ERROR"]?.value.error
    const { properties = {} } = operation.requestBody?.content["application/json"]?.schema ?? {}
    const taken = [...(operation.parameters ?? []).map(({ name }) => name), ...Object.keys(properties), "headers"]
    const ofState = detailsOfState[operation.operationId] ?? []
    assert.includeMembers([...taken, ...ofState], Object.keys(error?.details ?? {}))
  })

  it("documents If-None-Match exactly where it documents a 304", () => {
    for (const { name, operation } of operations) {
      const sent = operation.parameters?.some((parameter) => parameter.name === "If-None-Match") ?? false
      assert.strictEqual(sent, operation.responses["304"] !== undefined, name)
    }
  })

  it("describes the key filter of a list as the key of the sale, not as a new random key", () => {
    const { parameters = [] } = document.paths["/v1/transacciones"]?.["get"] ?? {}
    const sought = parameters.find(({ name }) => name === "idempotency_key")
    assert.match(String(sought?.schema["description"]), /^La Idempotency-Key con que se hizo la venta/)
  })

  it("lists read operations first within a tag", () => {
    const first = Map.groupBy(main, ({ operation }) => operation.tags[0])
    assert.strictEqual(first.get("Transacciones")?.[0]?.name, "transaccionesListar")
  })

  it("declares PDF as bytes and CSV as text, with a file name", () => {
    const answer = (path: string) => document.paths[path]?.["get"]?.responses["200"]
    assert.deepStrictEqual(answer("/v1/transacciones/{id}/recibo")?.content?.["application/pdf"], {})
    assert.deepStrictEqual(answer("/v1/seguros/{id}/documento")?.content?.["application/pdf"], {})
    assert.deepStrictEqual(answer("/v1/movimientos")?.content?.["text/csv"], { schema: { type: "string" } })
    assert.property(answer("/v1/movimientos")?.headers, "Content-Disposition")
    assert.isTrue(answer("/v1/seguros/{id}/documento")?.headers["Content-Disposition"]?.required)
  })

  it("declares the format of dates and times that follow the standard", () => {
    const formats = (name: string) =>
      Object.entries(Object(document.components.schemas[name]?.["properties"])).flatMap(([field, schema]) => {
        const [, format] = /"format":"([^"]+)"/.exec(JSON.stringify(schema)) ?? []
        return format === undefined ? [] : [[field, format]]
      })
    assert.deepStrictEqual(formats("Venta"), [["processed_at", "date-time"]])
    assert.deepStrictEqual(formats("Seguro"), [
      ["vigencia_desde", "date"],
      ["vigencia_hasta", "date"]
    ])
  })
})
