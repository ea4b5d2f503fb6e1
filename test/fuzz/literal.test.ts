import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { openApiDocument } from "../../facade/rest/OpenApi.ts"
import { schemaFaultsBy } from "../fakes/SchemaFaults.ts"
import { validLiteralOf } from "./request/Literal.ts"
import { type OpenApiDocument, operationsOf } from "./request/Operations.ts"

const operations = operationsOf(JSON.parse(JSON.stringify(openApiDocument("/"))) as OpenApiDocument)

/** Each kind of input once, however many operations have it. */
const inputs = new Map(
  operations.flatMap(({ inputs }) => inputs).map((input) => [`${input.name} ${JSON.stringify(input.schema)}`, input])
)

describe("a value for an input", () => {
  it.each([...inputs.values()].map(({ name, schema }) => [name, schema] as const))(
    "is one that the document allows: %s",
    (_, schema) => {
      const faultsBy = schemaFaultsBy({ schema })
      fc.assert(
        fc.property(validLiteralOf(schema), (value) => {
          assert.deepStrictEqual(faultsBy(["schema"], JSON.parse(value)), [], value)
        })
      )
    }
  )

  it("is known for every input of the document", () => {
    assert.isAbove(inputs.size, 20)
  })
})
