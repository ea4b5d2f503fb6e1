import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { apiDocument } from "../../support/ApiDocument.ts"
import { ServiceAddress } from "../../support/InProcessService.ts"
import { call } from "../../support/service/HttpCalls.ts"
import { TestService } from "../../support/service/InMemoryService.ts"

interface SentRequest {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

/** Replaces variables in a text, in the same way as Postman and the REST clients of editors. */
const filled = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{\{(\$?\w+)\}\}/g, (_, name) => (name === "$guid" ? crypto.randomUUID() : (variables[name] ?? "")))

interface PostmanPair {
  readonly key: string
  readonly value: string
  readonly disabled?: boolean
}

interface PostmanItem {
  readonly name: string
  readonly request: {
    readonly auth?: object
    readonly body?: { readonly raw: string }
    readonly header: ReadonlyArray<PostmanPair>
    readonly method: string
    readonly url: {
      readonly path: ReadonlyArray<string>
      readonly query: ReadonlyArray<PostmanPair>
      readonly variable: ReadonlyArray<PostmanPair>
    }
  }
}

interface PostmanCollection {
  readonly auth: { readonly bearer: readonly [PostmanPair] }
  readonly info: { readonly description: string }
  readonly item: ReadonlyArray<{ readonly name: string; readonly item: ReadonlyArray<PostmanItem> }>
  readonly variable: ReadonlyArray<PostmanPair>
}

const recordOf = (pairs: ReadonlyArray<PostmanPair>): Record<string, string> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, value]))

/** The requests of a Postman collection, as Postman sends them. */
const postmanRequests = (text: string): ReadonlyArray<SentRequest> => {
  const { auth, item: folders, variable }: PostmanCollection = JSON.parse(text)
  const fill = (value: string) => filled(value, recordOf(variable))
  return folders.flatMap((folder) =>
    folder.item.map(({ name, request: { auth: own, body, header, method, url } }) => {
      const values = recordOf(url.variable)
      const path = url.path.map((part) => values[part.replace(/^:/, "")] ?? part).join("/")
      const query = url.query.filter(({ disabled }) => disabled !== true).map(({ key, value }) => `${key}=${value}`)
      return {
        name: `${folder.name}: ${name}`,
        method,
        path: `/${path}${query.length === 0 ? "" : `?${query.join("&")}`}`,
        headers: {
          ...(own === undefined && { authorization: `Bearer ${fill(auth.bearer[0].value)}` }),
          ...Object.fromEntries(header.map(({ key, value }) => [key, fill(value)]))
        },
        body: body?.raw
      }
    })
  )
}

/** The requests of an `.http` file, as the REST client of an editor sends them. */
const httpRequests = (text: string): ReadonlyArray<SentRequest> => {
  const [declared = "", ...requests] = text.split(/^### /m)
  const variables = Object.fromEntries(
    Array.from(declared.matchAll(/^@(\w+) = (.*)$/gm), ([, name, value]) => [name, value])
  )
  return requests.map((request) => {
    const [head = "", body] = request.trimEnd().split("\n\n")
    const [name = "", line = "", ...headers] = head.split("\n")
    const [method = "", url = ""] = line.split(" ")
    return {
      name,
      method,
      path: url.replace("{{base_url}}", ""),
      headers: Object.fromEntries(headers.map((each) => filled(each, variables).split(": "))),
      body
    }
  })
}

const files = [
  { path: "/docs/saldo.postman_collection.json", type: "application/json", requestsIn: postmanRequests },
  { path: "/docs/saldo.http", type: "text/plain; charset=utf-8", requestsIn: httpRequests }
]

const operations = Object.entries(apiDocument.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, { readonly deprecated?: boolean }>)
    .filter(([, { deprecated = false }]) => !deprecated)
    .map(([method]) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "*")}`)
)

const operationOf = ({ method, path }: SentRequest): string =>
  `${method} ${path.replace(/\?.*/, "").replaceAll(/\/\d[\d-]*(?=\/|$)/g, "/*")}`

layer(TestService, { excludeTestServices: true })("a file of example requests", (it) => {
  it.effect.each(files)("is served at $path for download", ({ path, type }) =>
    Effect.gen(function* () {
      const { headers, status } = yield* call(path)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), type)
      assert.strictEqual(headers.get("content-disposition"), `attachment; filename="${path.slice("/docs/".length)}"`)
    })
  )

  it.effect.each(files)("has every operation of the OpenAPI document: $path", ({ path, requestsIn }) =>
    Effect.gen(function* () {
      const { text } = yield* call(path)
      assert.deepStrictEqual([...new Set(requestsIn(text).map(operationOf))].sort(), operations.toSorted())
    })
  )

  it.effect.each(files)("has only requests that are well formed and have credentials: $path", ({ path, requestsIn }) =>
    Effect.gen(function* () {
      const { text } = yield* call(path)
      for (const { body, headers, method, name, path } of requestsIn(text)) {
        const answer = yield* call(path, { method, headers, ...(body !== undefined && { body }) })
        assert.notInclude([401, 405, 415, 500], answer.status, name)
        // The id of an option comes from an earlier lookup, so no example can have a valid id.
        const { code, details } = answer.body?.error ?? {}
        if (code === "VALIDATION_ERROR") assert.deepStrictEqual(details, { opcion_id: "invalido" }, name)
      }
    })
  )

  it.effect.each(files)("has the address at which the service was reached: $path", ({ path }) =>
    Effect.gen(function* () {
      const { url } = yield* ServiceAddress
      assert.include((yield* call(path)).text, url)
    })
  )

  it.effect("as a Postman collection has one example value per query parameter, and only absolute links", () =>
    Effect.gen(function* () {
      const { url } = yield* ServiceAddress
      const { text } = yield* call("/docs/saldo.postman_collection.json")
      const { info, item: folders }: PostmanCollection = JSON.parse(text)
      const links = Array.from(text.matchAll(/\]\((.*?)\)/g), ([, link = ""]) => link)
      assert.include(info.description, `](${url}/docs/guia)`)
      assert.deepStrictEqual(
        links.filter((link) => !link.startsWith("http")),
        []
      )
      const queries = folders.flatMap(({ item }) => item.flatMap(({ request }) => request.url.query))
      const values = (name: string) => new Set(queries.filter(({ key }) => key === name).map(({ value }) => value))
      assert.deepStrictEqual(
        ["status", "type", "estado", "formato", "per_page"].map((name) => [...values(name)]),
        [["PROCESSING"], ["transaction.pending"], ["entregada"], ["json"], ["50"]]
      )
    })
  )

  it.effect.each(files)("sells with its credentials: $path", ({ path, requestsIn }) =>
    Effect.gen(function* () {
      const { text } = yield* call(path)
      const sale = requestsIn(text).find(({ name }) => name === "Ventas: Realiza una venta: Recarga")
      assert.isDefined(sale)
      const send = call(sale.path, { method: sale.method, headers: sale.headers, body: sale.body ?? "" })
      assert.strictEqual((yield* send).status, 201)
      assert.strictEqual((yield* send).headers.get("idempotent-replay"), "true")
    })
  )
})
