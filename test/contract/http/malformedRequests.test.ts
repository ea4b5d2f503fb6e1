import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  invalidBodies,
  invalidIds,
  invalidQueryValuesFor,
  invalidValuesFor,
  strangeQueries,
  trickyTexts,
  unprintableInQuery
} from "../../support/HostileInput.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import {
  callEndpoint,
  type EndpointPath,
  endpointPaths,
  exampleBody,
  fieldsOf,
  writingPaths
} from "../../support/service/Endpoints.ts"
import { call, raw } from "../../support/service/HttpCalls.ts"
import { TestServer } from "../../support/service/TestServer.ts"
import { allLeaveRowsUnchanged, leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

const writingCases = writingPaths.map((door) => [door.method, door.path, door] as const)

/** The example's body with one field as this JSON says. */
const withField = (door: EndpointPath, name: string, json: string): string => {
  const { [name]: _, ...others } = exampleBody(door) as Record<string, unknown>
  const members = Object.entries(others).map(([other, value]) => `${JSON.stringify(other)}:${JSON.stringify(value)}`)
  return `{${[...members, `${JSON.stringify(name)}:${json}`].join(",")}}`
}

const size_max = 64 * 1024

/** A JSON object of so many bytes. */
const ofSize = (bytes: number): string => `{"relleno":"${"x".repeat(bytes - 14)}"}`

layer(TestServer, { excludeTestServices: true })("a body that is wrong", (it) => {
  describe.each(writingCases)("at %s %s", (_method, _path, door) => {
    it.effect.each(invalidBodies)("is refused as no JSON object: %s", ([, body]) =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        const answer = yield* leavesRowsUnchanged(callEndpoint(door, auth, body))
        assert.deepStrictEqual([answer.status, answer.body.error?.code], [422, "VALIDATION_ERROR"])
        assert.deepStrictEqual(answer.body.error.details, { body: "json_invalido" })
      })
    )

    it.effect.each([
      ["a byte too many", ofSize(size_max + 1), {}, 413, { body: "demasiado_grande" }],
      ["a megabyte", ofSize(1024 * 1024), {}, 413, { body: "demasiado_grande" }],
      ["another type", "{}", { "content-type": "text/plain" }, 415, { content_type: "invalido" }],
      ["a form", "a=1", { "content-type": "application/x-www-form-urlencoded" }, 415, { content_type: "invalido" }],
      ["an empty type", "{}", { "content-type": "" }, 415, { content_type: "invalido" }],
      ["a type that only begins so", "{}", { "content-type": "application/json5" }, 415, { content_type: "invalido" }],
      ["Latin-1", "{}", { "content-type": "application/json; charset=latin1" }, 415, { content_type: "invalido" }],
      ["UTF-16", "{}", { "content-type": 'application/json; charset="utf-16"' }, 415, { content_type: "invalido" }],
      ["gzip", "{}", { "content-encoding": "gzip" }, 415, { content_type: "invalido" }]
    ] as const)("is refused by its head: %s", ([, body, headers, status, details]) =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        const answer = yield* leavesRowsUnchanged(callEndpoint(door, { ...auth, ...headers }, body))
        assert.deepStrictEqual([answer.status, answer.body.error?.code], [status, "VALIDATION_ERROR"])
        assert.deepStrictEqual(answer.body.error.details, details)
      })
    )

    it.effect("is not refused for its size while it has 64 KiB, for 32 levels, or for a byte order mark", () =>
      Effect.gen(function* () {
        const { auth } = yield* customer({ money: 0 })
        for (const body of [
          ofSize(size_max),
          `${'{"a":'.repeat(32)}1${"}".repeat(32)}`,
          "\ufeff{}",
          '{"__proto__":{}}'
        ]) {
          const { body: said, status } = yield* leavesRowsUnchanged(callEndpoint(door, auth, body))
          assert.notInclude([413, 415, 500], status)
          assert.notStrictEqual(said.error?.details?.body, "json_invalido")
        }
      })
    )

    it.effect("names the field that is wrong, whatever is wrong with it", () =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        const wrong = fieldsOf(door).flatMap(([name, document]) =>
          invalidValuesFor(document).map((json) => [name, json] as const)
        )
        yield* allLeaveRowsUnchanged(wrong, ([name, json]) =>
          Effect.map(callEndpoint(door, auth, withField(door, name, json)), ({ body, status }) => {
            assert.deepStrictEqual([status, body.error?.code], [422, "VALIDATION_ERROR"], `${name}: ${json}`)
            assert.property(body.error.details, name, json)
          })
        )
      })
    )

    it.effect("takes a text for a text, and nothing else", () =>
      Effect.gen(function* () {
        const { auth } = yield* customer({ money: 0 })
        for (const [name, { type }] of fieldsOf(door)) {
          for (const text of type === "string" ? trickyTexts : []) {
            const { body, status } = yield* callEndpoint(door, auth, withField(door, name, JSON.stringify(text)))
            assert.isBelow(status, 500, text)
            assert.notStrictEqual(body.error?.code, "INTERNAL_ERROR", text)
          }
        }
      })
    )
  })
})

const at = (all: typeof endpointPaths) => all.map((door) => [door.method, door.path, door] as const)

const asked = endpointPaths.filter(({ endpoint }) => endpoint.procedure.type === "query")

/** The endpoints with an id in their path, with the template of that path. */
const named = endpointPaths.flatMap((door) => {
  const template = door.endpoint.paths.find((path) => path.replace(/\{\w+\}/g, "1") === door.path) ?? ""
  return template.includes("{") ? [[door.method, template, door] as const] : []
})

const verbs = ["GET", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "QUERY"]

const isNowhere = (answer: { status: number; body: { error?: { code: string; details?: unknown } } }, about: string) =>
  assert.deepStrictEqual([answer.status, answer.body.error], [404, nowhere], about)

const nowhere = { code: "NOT_FOUND", message: "El recurso no existe." }

const asking = (door: EndpointPath, query: string, headers: Record<string, string>) =>
  callEndpoint({ ...door, path: `${door.path}?${query}` }, headers)

const short = (text: string): string => text.slice(0, 80)

layer(TestServer, { excludeTestServices: true })("an address that is wrong", (it) => {
  describe("a query", () => {
    it.effect.each(at(asked))("of %s %s is refused by the name of the parameter that is wrong", ([, , door]) =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        const wrong = fieldsOf(door).flatMap(([name, document]) => [
          [name, `${name}=1&${name}=1`] as const,
          ...invalidQueryValuesFor(document).map((value) => [name, `${name}=${value}`] as const)
        ])
        yield* allLeaveRowsUnchanged(wrong, ([name, query]) =>
          Effect.map(asking(door, query, auth), ({ body, status }) => {
            assert.deepStrictEqual([status, body.error?.code], [422, "VALIDATION_ERROR"], query)
            assert.property(body.error.details, name, query)
          })
        )
      })
    )

    it.effect.each(at(asked))("of %s %s may have anything that nobody knows", ([, , door]) =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        const { status } = yield* callEndpoint(door, auth)
        const queries = [...strangeQueries, ...unprintableInQuery.map((value) => `nada=${value}`)]
        yield* allLeaveRowsUnchanged(queries, (query) =>
          Effect.map(asking(door, query, auth), (answer) => assert.strictEqual(answer.status, status, short(query)))
        )
      })
    )

    it.effect.each(at(asked))("of %s %s takes a text for a text, and nothing else", ([, , door]) =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        const texts = fieldsOf(door).flatMap(([name, { type }]) =>
          (type === "string" ? [...trickyTexts, "7".repeat(8_000)] : []).map(
            (text) => `${name}=${encodeURIComponent(text)}`
          )
        )
        yield* allLeaveRowsUnchanged(texts, (query) =>
          Effect.map(asking(door, query, auth), ({ status }) => assert.isBelow(status, 500, short(query)))
        )
      })
    )
  })

  it.effect.each(named)("what is no id names nothing: %s %s", ([, template, door]) =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      // Of an insurance process a malformed id is a wrong parameter. Contract: 7.
      const isInsurance = /^\/v1\/(seguros|insurance)\//.test(template)
      yield* allLeaveRowsUnchanged(invalidIds, (id) =>
        Effect.map(callEndpoint({ ...door, path: template.replace(/\{\w+\}/, () => id) }, auth), (answer) =>
          isInsurance ? assert.include([404, 422], answer.status, short(id)) : isNowhere(answer, short(id))
        )
      )
    })
  )

  it.effect.each(at(endpointPaths))("%s %s has no other methods", ([, , door]) =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      const known = endpointPaths.filter(({ path }) => path === door.path).map(({ method }) => method)
      const others = verbs.filter((verb) => !known.includes(verb))
      yield* allLeaveRowsUnchanged(others, (method) =>
        Effect.map(call(door.path, { method, headers: auth }), (answer) => isNowhere(answer, method))
      )
      const { status } = yield* leavesRowsUnchanged(call(door.path, { method: "HEAD", headers: auth }))
      if (!known.includes("GET")) assert.strictEqual(status, 404)
    })
  )

  it.effect.each(at(endpointPaths))("%s %s is there under no other spelling", ([, , door]) =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      const { path } = door
      const spellings = [
        ...[`${path}/`, `${path}//`, `/${path}`, `${path}.json`, `${path};x=1`, `/x/..${path}`],
        ...[`${path}%00`, `${path}%20`, `${path}%`, `${path}%ff`, `${path}%ed%a0%80`, `${path}/x/${"x".repeat(4_000)}`],
        ...["/V1/", "/v2/", "/v1//", "/v1/./", "/v1/../v1/", "/v1%2f", "/v1%5c", "/v1/%2e/"].map((part) =>
          path.replace("/v1/", part)
        )
      ]
      const head = `Host: a\r\nAuthorization: ${auth.authorization}\r\nConnection: close\r\n\r\n`
      // What is added to an id makes another id; of an insurance it is malformed.
      const isMalformedId = (spelling: string) => /^\/v1\/(seguros|insurance)\/1[^/;]+$/.test(spelling)
      yield* allLeaveRowsUnchanged(spellings, (spelling) =>
        Effect.map(raw(`${door.method} ${spelling} HTTP/1.1\r\n${head}`), (answer) =>
          isMalformedId(spelling)
            ? assert.include([404, 422], answer.status, spelling)
            : isNowhere(answer, short(spelling))
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
  ])("%s is announced, or guessed, and not there", (path) =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      yield* allLeaveRowsUnchanged([auth, {}], (headers) =>
        Effect.gen(function* () {
          isNowhere(yield* call(path, { headers }), "GET")
          isNowhere(yield* call(path, { method: "POST", headers, body: "{" }), "POST")
        })
      )
    })
  )
})
