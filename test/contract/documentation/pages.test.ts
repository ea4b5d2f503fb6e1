import { readFileSync } from "node:fs"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import * as Sha256Node from "../../../adapters/crypto/Sha256Node.ts"
import { codes } from "../../../core/domain/ErrorCodes.ts"
import { loadAssets } from "../../../facade/docs/Assets.ts"
import { html } from "../../../facade/docs/Html.ts"
import { consolePage } from "../../../facade/docs/Pages.ts"
import type { ApiResponse } from "../../support/ApiDocument.ts"
import { as, call, get, post, raw, sell } from "../../support/service/HttpCalls.ts"
import { secret, TestService } from "../../support/service/InMemoryService.ts"

const contractPage = readFileSync(new URL("../../../docs/contract.md", import.meta.url), "utf8")

const everyCode = Struct.keys(codes)

const sale = { service_id: 1, identifier: "8095551234", amount: 100 }

/** The addresses that a page loads or links to. */
const addressesIn = ({ text }: ApiResponse): ReadonlyArray<string> =>
  [...text.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, address = ""]) => address)

const isAsset = (address: string): boolean => address.startsWith("/docs/assets/")

const policyOf = ({ headers }: ApiResponse): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (headers.get("content-security-policy") ?? "").split("; ").map((rule) => rule.split(/ (.*)/s).slice(0, 2))
  )

layer(TestService, { excludeTestServices: true })("the documentation", (it) => {
  it.effect.each([
    "/docs",
    "/docs/guia",
    "/docs/webhooks",
    "/docs/errors",
    ...everyCode.map((code) => `/docs/errors/${code}`)
  ])("has the page %s, which has no address of another host", (path) =>
    Effect.gen(function* () {
      const page = yield* call(path)
      assert.strictEqual(page.status, 200)
      assert.strictEqual(page.headers.get("content-type"), "text/html; charset=utf-8")
      assert.strictEqual(page.headers.get("x-frame-options"), "DENY")
      assert.match(page.headers.get("x-request-id") ?? "", /^[\da-f-]{36}$/)
      assert.strictEqual(page.headers.get("x-ratelimit-remaining"), "4")
      const addresses = addressesIn(page)
      assert.isNotEmpty(addresses)
      for (const address of addresses) assert.match(address, /^(?:#|\/(?!\/))/)
      for (const anchor of addresses.filter((address) => address.startsWith("#")))
        assert.include(page.text, ` id="${anchor.slice(1)}"`)
      const { "default-src": fallback, "frame-ancestors": framing, ...allowed } = policyOf(page)
      assert.deepStrictEqual([fallback, framing], ["'none'", "'none'"])
      const sourceLists = Object.values(allowed)
      assert.isNotEmpty(sourceLists)
      for (const sources of sourceLists) assert.notMatch(sources, /[*/]|unsafe-eval/)
    })
  )

  describe("the console", () => {
    it.effect("has the sandbox credentials, and runs only script files of the same origin", () =>
      Effect.gen(function* () {
        const page = yield* call("/docs")
        assert.include(page.text, `data-api-key="todo" data-api-secret="${secret}"`)
        assert.include(page.text, 'data-document="/v1/openapi.json"')
        assert.strictEqual(policyOf(page)["script-src"], "'self'")
        assert.strictEqual(policyOf(page)["connect-src"], "'self'")
        assert.notMatch(page.text, /<script(?![^>]* src=)/)
      })
    )

    it.effect("has no credentials when there is no sandbox", () =>
      Effect.gen(function* () {
        const { document } = consolePage(yield* loadAssets, null)
        assert.notInclude(document.markup, "data-api")
        assert.notInclude(document.markup, "credenciales públicas")
      }).pipe(Effect.provide(Sha256Node.layer))
    )

    it.effect("loads files with an unlimited cache lifetime, compressed for clients that accept gzip", () =>
      Effect.gen(function* () {
        const assets = addressesIn(yield* call("/docs")).filter(isAsset)
        assert.lengthOf(assets, 3)
        for (const path of assets) {
          const plain = yield* call(path, { headers: { "accept-encoding": "identity" } })
          const zipped = yield* call(path, { headers: { "accept-encoding": "br, gzip" } })
          assert.strictEqual(plain.headers.get("cache-control"), "public, max-age=31536000, immutable")
          assert.strictEqual(plain.headers.get("vary"), "accept-encoding")
          assert.deepStrictEqual(
            [plain.headers.get("content-encoding"), zipped.headers.get("content-encoding")],
            [null, "gzip"]
          )
          assert.isTrue(zipped.text === plain.text && plain.text.length > 100)
        }
      })
    )

    it.effect("has files with their own rate limit, apart from the limit of the API", () =>
      Effect.gen(function* () {
        const headers = { "x-forwarded-for": "198.18.0.1" }
        const [path = ""] = addressesIn(yield* call("/docs", { headers })).filter(isAsset)
        const loads = yield* Effect.replicateEffect(call(path, { headers }), 6)
        assert.deepStrictEqual(
          loads.map(({ status }) => status),
          [200, 200, 200, 200, 200, 429]
        )
        const { headers: left } = yield* call("/v1/estado", { headers })
        assert.strictEqual(left.get("x-ratelimit-remaining"), "3")
      })
    )

    it.effect("answers 404 for a file with an unknown version hash", () =>
      Effect.map(call("/docs/assets/scalar.0000000000000000.js"), ({ body, status }) =>
        assert.deepStrictEqual([status, body.error.code], [404, "NOT_FOUND"])
      )
    )
  })

  describe("the error page", () => {
    it.effect.each(everyCode)("for %s explains the code without a script", (code) =>
      Effect.gen(function* () {
        const page = yield* call(`/docs/errors/${code}`)
        assert.include(page.text, `<h1><code>${code}</code></h1>`)
        assert.include(page.text, codes[code].message)
        assert.include(page.text, `HTTP/1.1 ${codes[code].status} `)
        assert.notInclude(page.text, "<script")
        assert.deepStrictEqual([policyOf(page)["script-src"], policyOf(page)["style-src"]], [undefined, "'self'"])
      })
    )

    it.effect("is accessible: marks English text, names its navigation and can be scrolled by keyboard", () =>
      Effect.gen(function* () {
        const { text } = yield* call("/docs/errors/INSUFFICIENT_BALANCE")
        assert.include(text, 'HTTP/1.1 422 <span lang="en">Unprocessable Entity</span>')
        assert.notMatch(text, /(?<!<span lang="en">)Unprocessable Entity/)
        assert.match(text, /<nav aria-label="[^"]+"><a href="\/docs">.*<\/nav><\/header>/)
        assert.match(text, /<pre tabindex="0" role="region" aria-label="Ejemplo: El saldo disponible no alcanza\.">/)
      })
    )

    it.effect.each([
      ["TRANSACTION_REJECTED", "El proveedor rechazó la anulación; la venta sigue en pie.", "SUCCESS"],
      ["TRANSACTION_PENDING", "no repita la anulación.", "PENDING"]
    ] as const)("for %s shows one example for a sale and one for a reversal", ([code, words, status]) =>
      Effect.gen(function* () {
        const { text } = yield* call(`/docs/errors/${code}`)
        const examples = text.split("<pre ").slice(1)
        assert.lengthOf(examples, 2)
        assert.include(examples[0], codes[code].message)
        assert.include(examples[1], words)
        assert.include(examples[1], `&quot;status&quot;: &quot;${status}&quot;`)
        assert.include((yield* call("/docs/errors")).text, words)
      })
    )

    it.effect("for VALIDATION_ERROR states every status that the contract lists for this code", () =>
      Effect.gen(function* () {
        const [, listed = ""] = /^\| VALIDATION_ERROR \| ([^|]+) \|/m.exec(contractPage) ?? []
        const statuses = listed.match(/\d+/g) ?? []
        assert.sameMembers([...statuses], ["422", "408", "413", "415", "431"])
        assert.include((yield* call("/docs/errors")).text, `>HTTP ${statuses.join(", ")}</span>`)
        const { text } = yield* call("/docs/errors/VALIDATION_ERROR")
        for (const status of statuses) assert.match(text, new RegExp(`<dd>.*\\b${status} <span lang="en">[A-Z].*</dd>`))
      })
    )

    it("exists: there is at least one error code", () => assert.isNotEmpty(everyCode))

    it.effect("is linked from the list of errors", () =>
      Effect.map(call("/docs/errors"), (page) =>
        assert.includeMembers(
          [...addressesIn(page)],
          everyCode.map((code) => `/docs/errors/${code}`)
        )
      )
    )

    it.effect.each(["/docs/errors/NADA", "/docs/errors/not_found", "/docs/errors/", "/docs/errors/toString"])(
      "does not exist at %s",
      (path) =>
        Effect.map(call(path), ({ body, status }) =>
          assert.deepStrictEqual([status, body.error.code], [404, "NOT_FOUND"])
        )
    )
  })

  // A failing request, and the status of its response.
  const failures = [
    [get("/v1/transacciones/999999"), 404],
    [call("/v1/saldo"), 401],
    [get("/v1/saldo", as("lector")), 403],
    [get("/v1/transacciones?page=0"), 422],
    [sell({ ...sale, identifier: "8095550002" }), 202],
    [sell({ ...sale, identifier: "8095550001" }), 422],
    [post("/v1/recargas", " ".repeat(70_000)), 413],
    [post("/v1/recargas", "a=1", { "content-type": "text/plain" }), 415],
    [Effect.map(Effect.replicateEffect(get("/v1/saldo", as("lento")), 3), (calls) => calls.at(-1)), 429],
    [get("/v1/saldo", as("roto")), 500],
    [post("/v1/consultas", { service_id: 6, identifier: "A123456" }), 501]
  ] as const

  it.effect.each(failures.map(([made, status]) => ({ made, status })))(
    "has the error page to which the Link header of a response with status $status leads",
    ({ made, status }) =>
      Effect.gen(function* () {
        const answer = yield* made
        assert.strictEqual(answer?.status, status)
        const link = answer?.headers.get("link") ?? ""
        assert.strictEqual(link, `</docs/errors/${answer?.body.error.code}>; rel="help"`)
        assert.include(answer?.headers.get("access-control-expose-headers"), "Link")
        assert.strictEqual((yield* call(/<(.*)>/.exec(link)?.[1] ?? "")).status, 200)
      })
  )

  it.effect("has the error page to which the Link header of a response to an unparsable request leads", () =>
    Effect.map(raw("GET / HTTP/1.1\r\nHost: a\r\nX-Api-Key: a\u0000b\r\n\r\n"), ({ headers }) =>
      assert.strictEqual(headers.get("link"), '</docs/errors/VALIDATION_ERROR>; rel="help"')
    )
  )

  it.effect("is not in the Link header of a success", () =>
    Effect.map(get("/v1/saldo"), ({ headers }) => assert.isNull(headers.get("link")))
  )
})

describe("the html template", () => {
  it("escapes text and keeps markup", () => {
    const items = ["<b>", `"&'`].map((text) => html`<i title="${text}">${text}</i>`)
    assert.strictEqual(
      html`${items} ${7}`.markup,
      `<i title="&lt;b&gt;">&lt;b&gt;</i><i title="&quot;&amp;&#39;">&quot;&amp;&#39;</i> 7`
    )
  })
})
