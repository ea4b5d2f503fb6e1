import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { schemaFaultsBy } from "../fakes/SchemaFaults.ts"
import { apiDocument } from "../support/ApiDocument.ts"
import { curlOf, type HttpRequest, onTheWire } from "./request/HttpRequest.ts"
import { validLiteralOf } from "./request/Literal.ts"
import { operationsOf } from "./request/Operations.ts"

/** Runs lines in bash, with `curl` and `nc` replaced by functions that print their input. */
const receivedBy = (lines: string): string =>
  execFileSync("bash", [
    "-c",
    `curl() { printf '%s\\n' "\${@: -1}"; case "\${@: -1}" in @-) cat;; esac; }; nc() { cat; }; ${lines}`
  ]).toString("latin1")

const byte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code))

const several = fc.array(fc.string({ unit: byte }), { minLength: 10, maxLength: 20 })

const request: HttpRequest = {
  method: "POST",
  path: "/v1/recargas",
  query: ["a=1"],
  headers: [["Host", "saldo.test"]],
  body: "{}",
  chunked: false
}

describe("a request as a shell command", () => {
  // Each run starts one shell for several requests, because starting a process is slow.
  it("sends any bytes as the body", () => {
    fc.assert(
      fc.property(several, (bodies) => {
        const lines = bodies.map((body) => curlOf({ ...request, body }, 1))
        const received = bodies.map((body) => (body.includes("\u0000") ? `@-\n${body}` : `${body}\n`))
        assert.strictEqual(receivedBy(lines.join("\n")), received.join(""))
      }),
      { examples: [[["-\u0000"]]], numRuns: 6 }
    )
  })

  it("sends raw bytes where curl cannot send the request", () => {
    fc.assert(
      fc.property(several, (values) => {
        const raw = values.map((value): HttpRequest => ({ ...request, headers: [["X-A", `\u0000${value}`]] }))
        assert.strictEqual(receivedBy(raw.map((each) => curlOf(each, 1)).join("\n")), raw.map(onTheWire).join(""))
      }),
      { numRuns: 6 }
    )
  })

  it("contains the method, the address and the headers", () => {
    assert.strictEqual(
      curlOf({ ...request, headers: [...request.headers, ["X-A", "it's"], ["X-B", ""]], body: null }, 3000),
      [
        "curl -si --globoff --path-as-is \\",
        "  -X POST \\",
        "  'http://127.0.0.1:3000/v1/recargas?a=1' \\",
        "  -H 'Host: saldo.test' \\",
        "  -H $'X-A: it\\'s' \\",
        "  -H 'X-B;'"
      ].join("\n")
    )
  })
})

const operations = operationsOf(apiDocument)

/** The distinct inputs of all operations. */
const inputs = new Map(
  operations.flatMap(({ inputs }) => inputs).map((input) => [`${input.name} ${JSON.stringify(input.schema)}`, input])
)

describe("a generated input value", () => {
  it.each([...inputs.values()].map(({ name, schema }) => [name, schema] as const))(
    "matches its documented schema: %s",
    (_, schema) => {
      const faultsBy = schemaFaultsBy({ schema })
      fc.assert(
        fc.property(validLiteralOf(schema), (value) => {
          assert.deepStrictEqual(faultsBy(["schema"], JSON.parse(value)), [], value)
        })
      )
    }
  )

  it("exists for every input of the document", () => {
    assert.isAbove(inputs.size, 20)
  })
})
