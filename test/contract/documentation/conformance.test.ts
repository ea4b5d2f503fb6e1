import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type ApiResponse, documentFaults } from "../../support/ApiDocument.ts"
import { call, get, sell } from "../../support/service/HttpCalls.ts"
import { TestService } from "../../support/service/InMemoryService.ts"

const balance = { method: "GET", path: "/v1/saldo" }
const transaction = { method: "GET", path: "/v1/transactions/1" }
const sale = { method: "POST", path: "/v1/recargas" }

/** An answer whose body was tampered with. */
const saying = (answer: ApiResponse, change: (body: Record<string, Record<string, unknown>>) => void): ApiResponse => {
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
  ["another status", balance, read, (answer) => ({ ...answer, status: 201 })],
  ["a field that is missing", balance, read, (answer) => saying(answer, ({ data }) => delete data?.["moneda"])],
  [
    "a field that nobody described",
    balance,
    read,
    (answer) => saying(answer, ({ data }) => Object.assign(data ?? {}, { x: 1 }))
  ],
  [
    "a field of another type",
    balance,
    read,
    (answer) => saying(answer, ({ data }) => Object.assign(data ?? {}, { saldo_actual: "1" }))
  ],
  ["another envelope", balance, read, (answer) => ({ ...answer, body: { ...answer.body, extra: 1 } })],
  ["another request id", balance, read, (answer) => withHeader(answer, "x-request-id", "x")],
  ["no count of calls", balance, read, (answer) => withHeader(answer, "x-ratelimit-remaining", null)],
  ["a count that is no number", balance, read, (answer) => withHeader(answer, "x-ratelimit-limit", "muchas")],
  ["a header that nobody declared", balance, read, (answer) => withHeader(answer, "retry-after", "1")],
  ["another type of body", balance, read, (answer) => withHeader(answer, "content-type", "text/html")],
  [
    "a code that is not the endpoint's",
    transaction,
    missing,
    (answer) => saying(answer, ({ error }) => Object.assign(error ?? {}, { code: "INVALID_PHONE" }))
  ],
  [
    "a code that does not exist",
    transaction,
    missing,
    (answer) => saying(answer, ({ error }) => Object.assign(error ?? {}, { code: "NADA" }))
  ],
  [
    "details that are null",
    transaction,
    missing,
    (answer) => saying(answer, ({ error }) => Object.assign(error ?? {}, { details: null }))
  ],
  [
    "details that its code does not have",
    transaction,
    missing,
    (answer) => saying(answer, ({ error }) => Object.assign(error ?? {}, { details: { id: 1 } }))
  ],
  [
    "details that say nothing",
    sale,
    pending,
    (answer) => saying(answer, ({ error }) => Object.assign(error ?? {}, { details: {} }))
  ],
  [
    "no details where its code has some",
    sale,
    pending,
    (answer) => saying(answer, ({ error }) => delete error?.["details"])
  ],
  [
    "details that nobody described",
    sale,
    pending,
    (answer) => saying(answer, ({ error }) => Object.assign(Object(error?.["details"]), { saldo: 1 }))
  ],
  [
    "the details of another outcome",
    sale,
    pending,
    (answer) => saying(answer, ({ error }) => Object.assign(Object(error?.["details"]), { status: "SUCCESS" }))
  ],
  ["no place to look", sale, pending, (answer) => withHeader(answer, "location", null)],
  ["no time to wait", sale, pending, (answer) => withHeader(answer, "retry-after", null)],
  ["a body where none is", { ...balance, method: "HEAD" }, read, (answer) => answer],
  ["a path that is not there", { method: "GET", path: "/v1/nada" }, read, (answer) => answer],
  ["a method that is not there", { ...balance, method: "DELETE" }, read, (answer) => answer]
]

layer(TestService, { excludeTestServices: true })("the document", (it) => {
  it.effect.each(tamperings)("does not allow %s", ([, request, answer, tamper]) =>
    Effect.gen(function* () {
      assert.isNotEmpty(documentFaults(request, tamper(yield* answer)))
    })
  )

  it.effect("allows what is answered, wherever nothing is", () =>
    Effect.gen(function* () {
      assert.isEmpty(documentFaults(balance, yield* read))
      assert.isEmpty(documentFaults(sale, yield* pending))
      assert.isEmpty(documentFaults({ method: "PUT", path: "/v1/nada" }, yield* call("/v1/nada")))
    })
  )
})
