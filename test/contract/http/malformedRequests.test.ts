import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { ApiResponse } from "../../support/ApiDocument.ts"
import {
  invalidBodies,
  invalidIds,
  invalidQueryValuesFor,
  invalidValuesFor,
  strangeQueries,
  trickyTexts,
  unprintableInQuery
} from "../../support/HostileInput.ts"
import { customer, SharedCustomer } from "../../support/service/CustomerCompany.ts"
import {
  callEndpoint,
  type EndpointPath,
  endpointPaths,
  exampleBody,
  fieldsOf,
  firstPaths,
  isWriting,
  withValues,
  writingPaths
} from "../../support/service/Endpoints.ts"
import { call, raw } from "../../support/service/HttpCalls.ts"
import { TestServer } from "../../support/service/TestServer.ts"
import { allLeaveRowsUnchanged, leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

const at = (all: ReadonlyArray<EndpointPath>) => all.map((route) => [route.method, route.path, route] as const)

/** The example body with one field replaced by this JSON. */
const withField = (route: EndpointPath, name: string, json: string): string => {
  const { [name]: _, ...others } = exampleBody(route) as Record<string, unknown>
  const members = Object.entries(others).map(([other, value]) => `${JSON.stringify(other)}:${JSON.stringify(value)}`)
  return `{${[...members, `${JSON.stringify(name)}:${json}`].join(",")}}`
}

const size_max = 64 * 1024

const Served = Layer.provideMerge(SharedCustomer.layer, TestServer)

/** A JSON object of this many bytes. */
const ofSize = (bytes: number): string => `{"relleno":"${"x".repeat(bytes - 14)}"}`

/** Bodies with a size or a type that every endpoint rejects. */
const wrongSizesAndTypes = [
  ["64 KiB and one byte", ofSize(size_max + 1), {}, 413, { body: "demasiado_grande" }],
  ["a megabyte", ofSize(1024 * 1024), {}, 413, { body: "demasiado_grande" }],
  ["another content type", "{}", { "content-type": "text/plain" }, 415, { content_type: "invalido" }],
  ["a form", "a=1", { "content-type": "application/x-www-form-urlencoded" }, 415, { content_type: "invalido" }],
  ["an empty content type", "{}", { "content-type": "" }, 415, { content_type: "invalido" }],
  ["application/json5", "{}", { "content-type": "application/json5" }, 415, { content_type: "invalido" }],
  ["Latin-1", "{}", { "content-type": "application/json; charset=latin1" }, 415, { content_type: "invalido" }],
  ["UTF-16", "{}", { "content-type": 'application/json; charset="utf-16"' }, 415, { content_type: "invalido" }],
  ["gzip", "{}", { "content-encoding": "gzip" }, 415, { content_type: "invalido" }]
] as const

const short = (text: string): string => text.slice(0, 80)

const isInvalid = (answer: ApiResponse, status: number, details: object, about: string) =>
  assert.deepStrictEqual(
    [answer.status, answer.body.error?.code, answer.body.error?.details],
    [status, "VALIDATION_ERROR", details],
    about
  )

layer(Served, { excludeTestServices: true })("a request body", (it) => {
  describe.each(at(writingPaths))("at %s %s", (_method, _path, route) => {
    it.effect("is rejected when it is not a JSON object", () =>
      Effect.gen(function* () {
        const { auth } = yield* SharedCustomer
        yield* allLeaveRowsUnchanged(invalidBodies, ([name, body]) =>
          Effect.map(callEndpoint(route, auth, body), (answer) =>
            isInvalid(answer, 422, { body: "json_invalido" }, name)
          )
        )
      })
    )

    it.effect("is rejected for its size or type", () =>
      Effect.gen(function* () {
        const { auth } = yield* SharedCustomer
        yield* allLeaveRowsUnchanged(wrongSizesAndTypes, ([name, body, headers, status, details]) =>
          Effect.map(callEndpoint(route, { ...auth, ...headers }, body), (answer) =>
            isInvalid(answer, status, details, name)
          )
        )
      })
    )

    it.effect("is accepted with 64 KiB, 32 levels, a byte order mark or a __proto__ key", () =>
      Effect.gen(function* () {
        const { auth } = yield* customer({ money: 0 })
        const bodies = [ofSize(size_max), `${'{"a":'.repeat(32)}1${"}".repeat(32)}`, "\ufeff{}", '{"__proto__":{}}']
        yield* allLeaveRowsUnchanged(bodies, (body) =>
          Effect.map(callEndpoint(route, auth, body), ({ body: said, status }) => {
            assert.notInclude([413, 415, 500], status, short(body))
            assert.notStrictEqual(said.error?.details?.body, "json_invalido", short(body))
          })
        )
      })
    )
  })

  // One path per endpoint is enough: an endpoint and its aliases share the procedure that checks the fields.
  describe.each(at(firstPaths.filter(isWriting)))("at %s %s", (_method, _path, route) => {
    it.effect("is rejected with the name of the invalid field", () =>
      Effect.gen(function* () {
        const { auth } = yield* SharedCustomer
        const wrong = fieldsOf(route).flatMap(([name, document]) =>
          invalidValuesFor(document).map((json) => [name, json] as const)
        )
        yield* allLeaveRowsUnchanged(wrong, ([name, json]) =>
          Effect.map(callEndpoint(route, auth, withField(route, name, json)), ({ body, status }) => {
            assert.deepStrictEqual([status, body.error?.code], [422, "VALIDATION_ERROR"], `${name}: ${json}`)
            assert.property(body.error.details, name, json)
          })
        )
      })
    )

    it.effect("causes no server error with any text in a text field", () =>
      Effect.gen(function* () {
        const { auth } = yield* customer({ money: 0 })
        for (const [name, { type }] of fieldsOf(route)) {
          for (const text of type === "string" ? trickyTexts : []) {
            const { body, status } = yield* callEndpoint(route, auth, withField(route, name, JSON.stringify(text)))
            assert.isBelow(status, 500, text)
            assert.notStrictEqual(body.error?.code, "INTERNAL_ERROR", text)
          }
        }
      })
    )
  })
})

// One path per endpoint is enough: an endpoint and its aliases share the procedure that checks the parameters.
const asked = firstPaths.filter((path) => !isWriting(path))

/** The endpoints with an id in their path, each with its path template. */
const named = endpointPaths.flatMap((route) => {
  const template = route.endpoint.paths.find((path) => withValues(path) === route.path) ?? ""
  return template.includes("{") ? [[route.method, template, route] as const] : []
})

const verbs = ["GET", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "QUERY"]

const isNotFound = (answer: { status: number; body: { error?: { code: string; details?: unknown } } }, about: string) =>
  assert.deepStrictEqual([answer.status, answer.body.error], [404, notFound], about)

const notFound = { code: "NOT_FOUND", message: "El recurso no existe." }

const asking = (route: EndpointPath, query: string, headers: Record<string, string>) =>
  callEndpoint({ ...route, path: `${route.path}?${query}` }, headers)

layer(Served, { excludeTestServices: true })("a request", (it) => {
  it.effect.each(at(asked))(
    "to %s %s with an invalid query is rejected with the name of the invalid parameter",
    ([, , route]) =>
      Effect.gen(function* () {
        const { auth } = yield* SharedCustomer
        const wrong = fieldsOf(route).flatMap(([name, document]) => [
          [name, `${name}=1&${name}=1`] as const,
          ...invalidQueryValuesFor(document).map((value) => [name, `${name}=${value}`] as const)
        ])
        yield* allLeaveRowsUnchanged(wrong, ([name, query]) =>
          Effect.map(asking(route, query, auth), ({ body, status }) => {
            assert.deepStrictEqual([status, body.error?.code], [422, "VALIDATION_ERROR"], query)
            assert.property(body.error.details, name, query)
          })
        )
      })
  )

  it.effect.each(at(asked))("to %s %s may have unknown query parameters", ([, , route]) =>
    Effect.gen(function* () {
      const { auth } = yield* SharedCustomer
      const { status } = yield* callEndpoint(route, auth)
      const queries = [...strangeQueries, ...unprintableInQuery.map((value) => `nada=${value}`)]
      yield* allLeaveRowsUnchanged(queries, (query) =>
        Effect.map(asking(route, query, auth), (answer) => assert.strictEqual(answer.status, status, short(query)))
      )
    })
  )

  it.effect.each(at(asked))("to %s %s causes no server error with any text in a text parameter", ([, , route]) =>
    Effect.gen(function* () {
      const { auth } = yield* SharedCustomer
      const texts = fieldsOf(route).flatMap(([name, { type }]) =>
        (type === "string" ? [...trickyTexts, "7".repeat(8_000)] : []).map(
          (text) => `${name}=${encodeURIComponent(text)}`
        )
      )
      yield* allLeaveRowsUnchanged(texts, (query) =>
        Effect.map(asking(route, query, auth), ({ status }) => assert.isBelow(status, 500, short(query)))
      )
    })
  )

  it.effect.each(named)("to %s %s with a malformed id gets 404, or 422 for insurance", ([, template, route]) =>
    Effect.gen(function* () {
      const { auth } = yield* SharedCustomer
      // A malformed insurance id is a validation error. Contract: 7.
      const isInsurance = /^\/v1\/(seguros|insurance)\//.test(template)
      yield* allLeaveRowsUnchanged(invalidIds, (id) =>
        Effect.map(callEndpoint({ ...route, path: template.replace(/\{\w+\}/, () => id) }, auth), (answer) =>
          isInsurance ? assert.include([404, 422], answer.status, short(id)) : isNotFound(answer, short(id))
        )
      )
    })
  )

  it.effect.each(at(endpointPaths))("with another method than %s %s gets 404", ([, , route]) =>
    Effect.gen(function* () {
      const { auth } = yield* SharedCustomer
      const known = endpointPaths.filter(({ path }) => path === route.path).map(({ method }) => method)
      const others = verbs.filter((verb) => !known.includes(verb))
      yield* allLeaveRowsUnchanged(others, (method) =>
        Effect.map(call(route.path, { method, headers: auth }), (answer) => isNotFound(answer, method))
      )
      const { status } = yield* leavesRowsUnchanged(call(route.path, { method: "HEAD", headers: auth }))
      if (!known.includes("GET")) assert.strictEqual(status, 404)
    })
  )

  it.effect.each(at(endpointPaths))("with another spelling of the path of %s %s gets 404", ([, , route]) =>
    Effect.gen(function* () {
      const { auth } = yield* SharedCustomer
      const { path } = route
      const spellings = [
        ...[`${path}/`, `${path}//`, `/${path}`, `${path}.json`, `${path};x=1`, `/x/..${path}`],
        ...[`${path}%00`, `${path}%20`, `${path}%`, `${path}%ff`, `${path}%ed%a0%80`, `${path}/x/${"x".repeat(4_000)}`],
        ...["/V1/", "/v2/", "/v1//", "/v1/./", "/v1/../v1/", "/v1%2f", "/v1%5c", "/v1/%2e/"].map((part) =>
          path.replace("/v1/", part)
        )
      ]
      const head = `Host: a\r\nAuthorization: ${auth.authorization}\r\nConnection: close\r\n\r\n`
      // Text after the id of an insurance is a malformed id, which gets 422 at some endpoints.
      const isMalformedId = (spelling: string) => /^\/v1\/(seguros|insurance)\/1[^/;]+$/.test(spelling)
      yield* allLeaveRowsUnchanged(spellings, (spelling) =>
        Effect.map(raw(`${route.method} ${spelling} HTTP/1.1\r\n${head}`), (answer) =>
          isMalformedId(spelling)
            ? assert.include([404, 422], answer.status, spelling)
            : isNotFound(answer, short(spelling))
        )
      )
    })
  )

  it.effect.each([
    "/v1/invoices",
    "/v1/%ff",
    "/%c3/saldo",
    "/docs/errors/%ff",
    "/v1/transacciones//recibo",
    "/v1/insurance//otp",
    "/v1/seguros/",
    "/trpc/%ff",
    "/v1/service-payments",
    "/v1",
    "/v1/",
    "/v2/saldo",
    "/favicon.ico",
    "/.env",
    "/index.php"
  ])("to %s, a path that is reserved or often guessed, gets 404", (path) =>
    Effect.gen(function* () {
      const { auth } = yield* SharedCustomer
      yield* allLeaveRowsUnchanged([auth, {}], (headers) =>
        Effect.gen(function* () {
          isNotFound(yield* call(path, { headers }), "GET")
          isNotFound(yield* call(path, { method: "POST", headers, body: "{" }), "POST")
        })
      )
    })
  )
})
