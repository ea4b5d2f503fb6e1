import { request } from "node:http"
import { gzipSync } from "node:zlib"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { originOf } from "../../facade/console/Browser.ts"
import { ConsoleAddress } from "../../facade/console/ConsoleServer.ts"
import { pagePaths } from "../../facade/console/Paths.ts"
import { testConsole } from "./TestConsole.ts"

const get = Effect.fnUntraced(function* (path: string, init: RequestInit = {}) {
  const { url } = yield* ConsoleAddress
  const response = yield* Effect.promise(() => fetch(url + path, { redirect: "manual", ...init }))
  return { response, text: yield* Effect.promise(() => response.text()) }
})

/** Requests a page with the given Host header, because fetch cannot set this header. */
const getAs = Effect.fnUntraced(function* (host: string) {
  const { url } = yield* ConsoleAddress
  return yield* Effect.callback<number | undefined>((resume) => {
    request(`${url}/`, { headers: { host } }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode))
    }).end()
  })
})

const bundle_max = 150_000

describe("the server of the console", () => {
  layer(testConsole(), { excludeTestServices: true })((it) => {
    it.effect.each(pagePaths.map((path) => path.replace(":id", "7")))("serves the page %s", (path) =>
      Effect.gen(function* () {
        const { response, text } = yield* get(path)
        assert.strictEqual(response.status, 200)
        assert.include(text, '<html lang="es">')
        assert.strictEqual(response.headers.get("cache-control"), "no-store")
      })
    )

    it.effect("allows no content of another host, no inline code and no frame", () =>
      Effect.gen(function* () {
        const { response, text } = yield* get("/")
        const policy = response.headers.get("content-security-policy") ?? ""
        for (const directive of [
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "frame-ancestors 'none'"
        ])
          assert.include(policy.split("; "), directive)
        assert.notInclude(policy, "unsafe")
        assert.notMatch(text, /<style|style=|<script>|https?:\/\/(?!www\.w3\.org)/)
        const { headers } = response
        assert.deepStrictEqual(
          [headers.get("x-content-type-options"), headers.get("referrer-policy"), headers.get("x-frame-options")],
          ["nosniff", "no-referrer", "DENY"]
        )
      })
    )

    it.effect("serves a script of less than 150 kB compressed, which browsers may cache", () =>
      Effect.gen(function* () {
        const [, path = ""] = /<script type="module" src="([^"]+)"/.exec((yield* get("/")).text) ?? []
        const { response, text } = yield* get(path)
        assert.strictEqual(response.headers.get("cache-control"), "public, max-age=31536000, immutable")
        assert.isBelow(gzipSync(text).byteLength, bundle_max)
      })
    )

    it.effect.each([
      { path: "/nada", method: "GET", status: 404 },
      { path: "/archivos/consola.js", method: "GET", status: 404 },
      { path: "/exportar/nada", method: "GET", status: 401 },
      { path: "/", method: "POST", status: 405 },
      { path: "/exportar/nada", method: "POST", status: 405 },
      { path: "/api/sesion.actual", method: "DELETE", status: 405 }
    ])("answers $method $path with $status in Spanish", ({ method, path, status }) =>
      Effect.gen(function* () {
        const { response, text } = yield* get(path, { method })
        assert.strictEqual(response.status, status)
        assert.include(text, '<html lang="es">')
        assert.isNotNull(response.headers.get("content-security-policy"))
      })
    )

    it.effect("refuses a Host header with another name, because DNS rebinding can send such requests here", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* getAs("evil.example.com"), 421)
        assert.strictEqual(yield* getAs("localhost:9999"), 200)
      })
    )
  })
})

describe("the origin of the console", () => {
  const url = "https://consola.example.com"

  it.each([
    { host: "localhost", url: null, origin: "http://localhost" },
    { host: "localhost:3080", url: null, origin: "http://localhost:3080" },
    { host: "127.0.0.1:3080", url: null, origin: "http://127.0.0.1:3080" },
    { host: "[::1]:3080", url: null, origin: "http://[::1]:3080" },
    { host: "LOCALHOST:3080", url, origin: "http://localhost:3080" },
    { host: "consola.example.com", url, origin: url },
    { host: "CONSOLA.example.com", url, origin: url },
    { host: "consola.example.com", url: null, origin: null },
    { host: "consola.example.com:8443", url, origin: null },
    { host: "localhost.example.com", url, origin: null },
    { host: "127.0.0.1.example.com", url, origin: null },
    { host: undefined, url, origin: null }
  ])("is $origin for the Host $host with CONSOLE_URL $url", ({ host, origin, url }) => {
    assert.strictEqual(originOf(host, { url }), origin)
  })
})
