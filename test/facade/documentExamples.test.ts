import { assert, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import { openApiDocument } from "../../facade/rest/OpenApi.ts"
import { heldTo } from "../support/HeldTo.ts"

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
const faultsBy = heldTo(document)

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation, name: operation.operationId }))
)

/** Every body in JSON that the document has, and where it stands. */
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

/** What stands beside a reference is lost on most who read the document. */
const besideReferences = (value: unknown): ReadonlyArray<unknown> => {
  if (!Predicate.isObjectOrArray(value)) return []
  const own = "$ref" in value && Object.keys(value).length > 1 ? [value] : []
  return [...own, ...Object.values(value).flatMap(besideReferences)]
}

describe("the document", () => {
  it.each(bodies)("shows examples that its schema allows: $name", ({ content, place }) => {
    const examples = [content.example, ...Object.values(content.examples ?? {}).map(({ value }) => value)]
    for (const example of examples.filter((shown) => shown !== undefined))
      assert.isEmpty(faultsBy([...place, "schema"], example))
  })

  it("says nothing beside a reference", () => {
    assert.isEmpty(besideReferences(document))
  })

  it("takes a PDF for bytes and CSV for text, and names the file", () => {
    const answer = (path: string) => document.paths[path]?.["get"]?.responses["200"]
    assert.deepStrictEqual(answer("/v1/transacciones/{id}/recibo")?.content?.["application/pdf"], {})
    assert.deepStrictEqual(answer("/v1/seguros/{id}/documento")?.content?.["application/pdf"], {})
    assert.deepStrictEqual(answer("/v1/movimientos")?.content?.["text/csv"], { schema: { type: "string" } })
    assert.property(answer("/v1/movimientos")?.headers, "Content-Disposition")
    assert.isTrue(answer("/v1/seguros/{id}/documento")?.headers["Content-Disposition"]?.required)
  })
})
