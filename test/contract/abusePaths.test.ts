import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { call, raw } from "../facade/support/Calls.ts"
import {
  invalidIds,
  invalidQueryValuesFor,
  strangeQueries,
  trickyTexts,
  unprintableInQuery
} from "../support/HostileInput.ts"
import { customer } from "./support/Customer.ts"
import { type Door, doors, fieldsOf, knock } from "./support/Endpoints.ts"
import { unchanged, unchangedByAll } from "./support/Rows.ts"
import { TestServer } from "./support/Server.ts"

const at = (all: typeof doors) => all.map((door) => [door.method, door.path, door] as const)

const asked = doors.filter(({ endpoint }) => endpoint.type === "query")

/** Endpoints with an id in their path, and that path up to the id and after it. */
const named = doors.flatMap((door) => {
  const { alias = [], openapi } = door.endpoint.meta
  const template = [openapi.path, ...alias].find((path) => path.replace(/\{\w+\}/g, "1") === door.path) ?? ""
  return template.includes("{") ? [[door.method, template, door] as const] : []
})

const verbs = ["GET", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "QUERY"]

const isNowhere = (answer: { status: number; body: { error?: { code: string; details?: unknown } } }, about: string) =>
  assert.deepStrictEqual([answer.status, answer.body.error], [404, nowhere], about)

const nowhere = { code: "NOT_FOUND", message: "El recurso no existe." }

const asking = (door: Door, query: string, headers: Record<string, string>) =>
  knock({ ...door, path: `${door.path}?${query}` }, headers)

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
        yield* unchangedByAll(wrong, ([name, query]) =>
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
        const { status } = yield* knock(door, auth)
        const queries = [...strangeQueries, ...unprintableInQuery.map((value) => `nada=${value}`)]
        yield* unchangedByAll(queries, (query) =>
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
        yield* unchangedByAll(texts, (query) =>
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
      yield* unchangedByAll(invalidIds, (id) =>
        Effect.map(knock({ ...door, path: template.replace(/\{\w+\}/, () => id) }, auth), (answer) =>
          isInsurance ? assert.include([404, 422], answer.status, short(id)) : isNowhere(answer, short(id))
        )
      )
    })
  )

  it.effect.each(at(doors))("%s %s has no other methods", ([, , door]) =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      const known = doors.filter(({ path }) => path === door.path).map(({ method }) => method)
      const others = verbs.filter((verb) => !known.includes(verb))
      yield* unchangedByAll(others, (method) =>
        Effect.map(call(door.path, { method, headers: auth }), (answer) => isNowhere(answer, method))
      )
      const { status } = yield* unchanged(call(door.path, { method: "HEAD", headers: auth }))
      if (!known.includes("GET")) assert.strictEqual(status, 404)
    })
  )

  it.effect.each(at(doors))("%s %s is there under no other spelling", ([, , door]) =>
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
      yield* unchangedByAll(spellings, (spelling) =>
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
      yield* unchangedByAll([auth, {}], (headers) =>
        Effect.gen(function* () {
          isNowhere(yield* call(path, { headers }), "GET")
          isNowhere(yield* call(path, { method: "POST", headers, body: "{" }), "POST")
        })
      )
    })
  )
})
