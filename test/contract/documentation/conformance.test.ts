import { assert, layer } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Effect } from "effect"
import { type ApiResponse, documentFaults } from "../../support/ApiDocument.ts"
import { inlineReferences } from "../../support/InlineReferences.ts"
import { call, get, sell } from "../../support/service/HttpCalls.ts"
import { TestService } from "../../support/service/InMemoryService.ts"

const balance = { method: "GET", path: "/v1/saldo" }
const transaction = { method: "GET", path: "/v1/transactions/1" }
const sale = { method: "POST", path: "/v1/recargas" }

/** The response with a changed body. */
const withBody = (
  answer: ApiResponse,
  change: (body: Record<string, Record<string, unknown>>) => void
): ApiResponse => {
  const body = structuredClone(answer.body)
  change(body)
  return { ...answer, body, text: JSON.stringify(body) }
}

const withHeader = (answer: ApiResponse, name: string, value: string | null): ApiResponse => {
  const headers = new Headers(answer.headers)
  if (value === null) headers.delete(name)
  else headers.set(name, value)
  return { ...answer, headers }
}

const read = get("/v1/saldo")
const missing = get("/v1/transactions/1")
const pending = sell({ service_id: 1, identifier: "8095551212", amount: 100 })

type Tampering = readonly [
  what: string,
  request: typeof balance,
  answer: typeof read,
  tamper: (answer: ApiResponse) => ApiResponse
]

const tamperings: ReadonlyArray<Tampering> = [
  ["an undocumented status", balance, read, (answer) => ({ ...answer, status: 201 })],
  ["a missing field", balance, read, (answer) => withBody(answer, ({ data }) => delete data?.["moneda"])],
  [
    "an undocumented field",
    balance,
    read,
    (answer) => withBody(answer, ({ data }) => Object.assign(data ?? {}, { x: 1 }))
  ],
  [
    "a field of another type",
    balance,
    read,
    (answer) => withBody(answer, ({ data }) => Object.assign(data ?? {}, { saldo_actual: "1" }))
  ],
  [
    "an undocumented field in the envelope",
    balance,
    read,
    (answer) => ({ ...answer, body: { ...answer.body, extra: 1 } })
  ],
  [
    "a request id in the header that differs from the body",
    balance,
    read,
    (answer) => withHeader(answer, "x-request-id", "x")
  ],
  ["no rate limit header", balance, read, (answer) => withHeader(answer, "x-ratelimit-remaining", null)],
  [
    "a rate limit header that is not a number",
    balance,
    read,
    (answer) => withHeader(answer, "x-ratelimit-limit", "muchas")
  ],
  ["an undocumented header", balance, read, (answer) => withHeader(answer, "retry-after", "1")],
  ["an undocumented content type", balance, read, (answer) => withHeader(answer, "content-type", "text/html")],
  [
    "a code that the endpoint does not document",
    transaction,
    missing,
    (answer) => withBody(answer, ({ error }) => Object.assign(error ?? {}, { code: "INVALID_PHONE" }))
  ],
  [
    "a code that does not exist",
    transaction,
    missing,
    (answer) => withBody(answer, ({ error }) => Object.assign(error ?? {}, { code: "NADA" }))
  ],
  [
    "details that are null",
    transaction,
    missing,
    (answer) => withBody(answer, ({ error }) => Object.assign(error ?? {}, { details: null }))
  ],
  [
    "details for a code without details",
    transaction,
    missing,
    (answer) => withBody(answer, ({ error }) => Object.assign(error ?? {}, { details: { id: 1 } }))
  ],
  [
    "empty details",
    sale,
    pending,
    (answer) => withBody(answer, ({ error }) => Object.assign(error ?? {}, { details: {} }))
  ],
  [
    "no details for a code with details",
    sale,
    pending,
    (answer) => withBody(answer, ({ error }) => delete error?.["details"])
  ],
  [
    "undocumented details",
    sale,
    pending,
    (answer) => withBody(answer, ({ error }) => Object.assign(Object(error?.["details"]), { saldo: 1 }))
  ],
  [
    "the details of another outcome",
    sale,
    pending,
    (answer) => withBody(answer, ({ error }) => Object.assign(Object(error?.["details"]), { status: "SUCCESS" }))
  ],
  ["no Location header", sale, pending, (answer) => withHeader(answer, "location", null)],
  ["no Retry-After header", sale, pending, (answer) => withHeader(answer, "retry-after", null)],
  ["a body to HEAD", { ...balance, method: "HEAD" }, read, (answer) => answer],
  ["a success at an undocumented path", { method: "GET", path: "/v1/nada" }, read, (answer) => answer],
  ["a success of an undocumented method", { ...balance, method: "DELETE" }, read, (answer) => answer]
]

const saleStatuses = ["201", "202", "401", "403", "408", "409", "413", "415", "422", "429", "431", "500", "503"]

layer(TestService, { excludeTestServices: true })("the OpenAPI document", (it) => {
  it.effect("is valid OpenAPI 3.1, and can be read with an ETag", () =>
    Effect.gen(function* () {
      const { body, headers } = yield* call("/v1/openapi.json")
      const { errors, valid } = yield* Effect.promise(() => new Validator().validate(body))
      assert.isTrue(valid, JSON.stringify(errors))
      assert.strictEqual(body.openapi, "3.1.0")
      const etag = headers.get("etag") ?? ""
      assert.strictEqual((yield* call("/v1/openapi.json", { headers: { "if-none-match": etag } })).status, 304)
    })
  )

  it.effect.each(["/v1/recargas", "/v1/recharges"])(
    "documents every status of a sale at %s, and the idempotency key as a header only",
    (path) =>
      Effect.gen(function* () {
        const { post } = inlineReferences((yield* call("/v1/openapi.json")).body).paths[path]
        assert.hasAllKeys(post.responses, saleStatuses)
        assert.deepInclude(post.parameters[0], { in: "header", name: "Idempotency-Key", required: true })
        const forms = post.requestBody.content["application/json"].schema.anyOf
        assert.lengthOf(forms, 2)
        for (const { properties } of forms) assert.notProperty(properties, "idempotency_key")
      })
  )

  it.effect.each(tamperings)("rejects a response with %s", ([, request, answer, tamper]) =>
    Effect.gen(function* () {
      assert.isNotEmpty(documentFaults(request, tamper(yield* answer)))
    })
  )

  it.effect("accepts the real responses, and a 404 at an undocumented path and method", () =>
    Effect.gen(function* () {
      assert.isEmpty(documentFaults(balance, yield* read))
      assert.isEmpty(documentFaults(sale, yield* pending))
      assert.isEmpty(documentFaults({ method: "PUT", path: "/v1/nada" }, yield* call("/v1/nada")))
    })
  )
})
