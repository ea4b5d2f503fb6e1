import { assert, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import { apiDocument, inlinedApiDocument } from "../../support/ApiDocument.ts"

interface Placed {
  readonly place: string
  readonly schema: object
}

interface Response {
  readonly content?: {
    readonly "application/json"?: { readonly schema: { readonly $ref: string }; readonly examples?: object }
  }
}

/** Whether the place has a value that is not a schema, although it may look like one. */
const isExample = (place: string): boolean => /\/(example|examples|value|const|enum|default)$/.test(place)

/** Every object schema with properties, with its path in the document. */
const objectSchemasIn = (value: unknown, place = "#"): ReadonlyArray<Placed> => {
  if (!Predicate.isObjectOrArray(value) || isExample(place)) return []
  const own = "type" in value && value.type === "object" && "properties" in value ? [{ place, schema: value }] : []
  return [...own, ...Object.entries(value).flatMap(([name, member]) => objectSchemasIn(member, `${place}/${name}`))]
}

/** The schema without texts for people and without order, so that two schemas that accept the same values are equal. */
const meaningOf = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map((item) => JSON.stringify(meaningOf(item))).toSorted()
  if (!Predicate.isObject(schema)) return schema
  const texts = new Set("type" in schema || "$ref" in schema || "anyOf" in schema ? ["description", "examples"] : [])
  const members = Object.entries(schema).filter(([name]) => !texts.has(name))
  return members.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, member]) => [name, meaningOf(member)])
}

/** The places of object schemas that are equal, one group for each schema. */
const copiesIn = (document: object): ReadonlyArray<ReadonlyArray<string>> =>
  [...Map.groupBy(objectSchemasIn(document), ({ schema }) => JSON.stringify(meaningOf(schema))).values()]
    .filter((group) => group.length > 1)
    .map((group) => group.map(({ place }) => place))

const { components, paths, webhooks } = apiDocument

const operationIds: ReadonlyArray<string> = [paths, webhooks].flatMap((items) =>
  Object.values<object>(items).flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
)

describe("the schemas of the OpenAPI document", () => {
  it("contain no copy of another object schema", () => {
    assert.isAbove(objectSchemasIn(apiDocument).length, 100)
    assert.deepStrictEqual(copiesIn(apiDocument), [])
  })

  it("would contain copies if each reference were replaced by its schema", () => {
    assert.isNotEmpty(copiesIn(inlinedApiDocument))
  })

  // Client generators name a type after the component that contains its schema. For an object schema elsewhere they
  // would invent a name. The details of an error code are an exception: they belong to the component of this code.
  it("are named components, except for the details of an error", () => {
    const named = /^#\/components\/schemas\/(\w+|Error\w+\/properties\/details)$/
    const unnamed = objectSchemasIn(apiDocument).filter(({ place }) => !named.test(place))
    assert.deepStrictEqual(
      unnamed.map(({ place }) => place),
      []
    )
  })

  it("have names that differ by more than upper and lower case, also without underscores", () => {
    const names = Object.keys(components.schemas).map((name) => name.replaceAll("_", "").toLowerCase())
    assert.strictEqual(new Set(names).size, names.length)
  })
})

describe("the operation ids of the OpenAPI document", () => {
  it("are unique names in camel case, made of a resource and an action", () => {
    assert.isNotEmpty(operationIds)
    assert.strictEqual(new Set(operationIds).size, operationIds.length)
    for (const id of operationIds) assert.match(id, /^[a-z]+([A-Z][a-z]+)+(Alias1)?$/)
  })
})

describe("the examples of the OpenAPI document", () => {
  const codesIn = (schema: string): ReadonlyArray<string> => {
    const { error } = components.schemas[schema].properties
    return Object.keys(error.discriminator?.mapping ?? { [schema]: error })
  }

  const failures = Object.entries<Response>(components.responses).flatMap(([name, { content }]) => {
    const { examples, schema } = content?.["application/json"] ?? {}
    return examples === undefined ? [] : [{ name, examples, schema: String(schema?.$ref).replace(/^.*\//, "") }]
  })

  it("exist for at least one error response", () => assert.isNotEmpty(failures))

  it.each(failures)("show every code of $name, and no other", ({ examples, schema }) => {
    assert.sameMembers(Object.keys(examples), [...codesIn(schema)])
  })
})
