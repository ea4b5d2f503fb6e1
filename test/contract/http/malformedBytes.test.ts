import { randomUUID } from "node:crypto"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { customer } from "../../support/service/CustomerCompany.ts"
import {
  type EndpointPath,
  endpointPaths,
  exampleBody,
  guardedPaths,
  writingPaths
} from "../../support/service/Endpoints.ts"
import { get, raw } from "../../support/service/HttpCalls.ts"
import { secret } from "../../support/service/InMemoryService.ts"
import { TestServer } from "../../support/service/TestServer.ts"
import { leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

const at = (all: ReadonlyArray<EndpointPath>) => all.map((route) => [route.method, route.path, route] as const)

type Caller = Effect.Success<ReturnType<typeof customer>>

/** A request as bytes: the credentials, these header lines and this body. */
const request = (
  route: Pick<EndpointPath, "method" | "path">,
  { auth }: Pick<Caller, "auth">,
  lines: string,
  body = ""
) =>
  [
    `${route.method} ${route.path} HTTP/1.1`,
    "Host: a",
    "Connection: close",
    `Authorization: ${auth.authorization}`,
    `${lines}\r\n`,
    body
  ].join("\r\n")

const json = "Content-Type: application/json"
const sized = (body: string) => `${json}\r\nContent-Length: ${Buffer.byteLength(body)}`

/** Header lines that no request may have. */
const unreadable: ReadonlyArray<readonly [name: string, lines: string, status: number, reason: object]> = [
  ["a NUL", "X-A: a\u0000b", 422, { headers: "invalido" }],
  ["a control character", "X-A: a\u0001b", 422, { headers: "invalido" }],
  ["DEL", "X-A: a\u007fb", 422, { headers: "invalido" }],
  ["a line feed alone", "X-A: a\nX-B: b", 422, { headers: "invalido" }],
  ["a carriage return alone", "X-A: a\rX-B: b", 422, { headers: "invalido" }],
  ["a name with a space", "X A: a", 422, { headers: "invalido" }],
  ["a space before the colon", "X-A : a", 422, { headers: "invalido" }],
  ["no colon", "X-A", 422, { headers: "invalido" }],
  ["no name", ": a", 422, { headers: "invalido" }],
  ["a folded value", "X-A: a\r\n b", 422, { headers: "invalido" }],
  ["a value of 16 KiB", `X-A: ${"a".repeat(16 * 1024)}`, 431, { headers: "demasiado_grande" }],
  [
    "16 KiB of names",
    Array.from({ length: 3_000 }, (_, n) => `X${n}: 1`).join("\r\n"),
    431,
    { headers: "demasiado_grande" }
  ],
  ["two lengths", "Content-Length: 1\r\nContent-Length: 2", 422, { headers: "invalido" }],
  ["a length below zero", "Content-Length: -1", 422, { headers: "invalido" }],
  ["a length that is not an integer", "Content-Length: 1e3", 422, { headers: "invalido" }],
  ["a length of 30 digits", `Content-Length: ${"9".repeat(30)}`, 422, { headers: "invalido" }],
  ["a length and chunks", "Content-Length: 5\r\nTransfer-Encoding: chunked", 422, { headers: "invalido" }]
]

layer(TestServer, { excludeTestServices: true })("malformed bytes", (it) => {
  describe.each(at(endpointPaths))("%s %s", (_method, _path, route) => {
    it.effect.each(unreadable)("are rejected in the headers: %s", ([, lines, status, details]) =>
      Effect.gen(function* () {
        const caller = yield* customer({ money: 0 })
        const { body, status: said } = yield* leavesRowsUnchanged(raw(request(route, caller, lines)))
        assert.deepStrictEqual([said, body.error.code, body.error.details], [status, "VALIDATION_ERROR", details])
      })
    )

    it.effect("are rejected in a target that is too long", () =>
      Effect.gen(function* () {
        const caller = yield* customer({ money: 0 })
        for (const more of [`/${"a".repeat(16 * 1024)}`, `?q=${"a".repeat(16 * 1024)}`]) {
          const { status } = yield* leavesRowsUnchanged(
            raw(request({ ...route, path: route.path + more }, caller, "X-A: 1"))
          )
          assert.strictEqual(status, 431)
        }
      })
    )
  })

  it.effect.each(at(guardedPaths))("are rejected at %s %s when credentials are sent twice", ([, , route]) =>
    Effect.gen(function* () {
      const caller = yield* customer({ money: 0 })
      const twice = [
        `Authorization: ${caller.auth.authorization}`,
        "Authorization: Bearer otro.otro",
        "Authorization: ",
        `X-Api-Key: ${caller.apiKey}\r\nX-Api-Key: ${caller.apiKey}\r\nX-Api-Secret: ${secret}`,
        `X-Api-Key: ${caller.apiKey}\r\nX-Api-Secret: ${secret}\r\nX-Api-Secret: ${secret}`
      ]
      for (const lines of twice) {
        const { body, status } = yield* leavesRowsUnchanged(raw(request(route, caller, lines)))
        assert.deepStrictEqual([status, body.error?.code], [401, "UNAUTHENTICATED"], lines)
      }
    })
  )

  describe.each(at(writingPaths))("in the body at %s %s", (_method, _path, route) => {
    const example = JSON.stringify(exampleBody(route))

    it.effect.each([
      ["that is cut off", `${json}\r\nContent-Length: 1000`, example, { body: "incompleto" }],
      ["that is cut off in a chunk", `${json}\r\nTransfer-Encoding: chunked`, "ff\r\n{", { body: "incompleto" }],
      [
        "that is cut off between chunks",
        `${json}\r\nTransfer-Encoding: chunked`,
        "2\r\n{}\r\n",
        { body: "incompleto" }
      ],
      [
        "in a chunk without a size",
        `${json}\r\nTransfer-Encoding: chunked`,
        "zz\r\n{}\r\n0\r\n\r\n",
        { body: "incompleto" }
      ],
      [
        "with two content types",
        `Content-Type: text/plain\r\n${sized(example)}`,
        example,
        { content_type: "invalido" }
      ],
      [
        "without a content type",
        `Content-Length: ${Buffer.byteLength(example)}`,
        example,
        { content_type: "invalido" }
      ],
      ["whose declared length is too large", `${json}\r\nContent-Length: 65537`, "", { body: "demasiado_grande" }]
    ] as const)("are rejected: a body %s", ([, lines, body, details]) =>
      Effect.gen(function* () {
        const caller = yield* customer()
        const keyed = `Idempotency-Key: ${randomUUID()}\r\n${lines}`
        const hangUp = "body" in details && details.body === "incompleto"
        const answer = yield* leavesRowsUnchanged(raw(request(route, caller, keyed, body), { hangUp }))
        assert.deepStrictEqual([answer.body.error.code, answer.body.error.details], ["VALIDATION_ERROR", details])
      })
    )

    it.effect("are rejected: chunks of more than 64 KiB in total", () =>
      Effect.gen(function* () {
        const caller = yield* customer()
        const chunks = `4000\r\n${"x".repeat(0x4000)}\r\n`.repeat(5)
        const { body, status } = yield* leavesRowsUnchanged(
          raw(request(route, caller, `${json}\r\nTransfer-Encoding: chunked`, `${chunks}0\r\n\r\n`))
        )
        assert.deepStrictEqual([status, body.error.details], [413, { body: "demasiado_grande" }])
      })
    )
  })

  const keyed = writingPaths.filter(({ endpoint }) => endpoint.procedure.input.takesKey)

  describe.each(at(keyed))("in the key at %s %s", (_method, _path, route) => {
    it.effect.each([
      ["no key", "X-A: a", "requerido"],
      ["two keys", "Idempotency-Key: a\r\nIdempotency-Key: b", "invalido"],
      ["the same key twice", "Idempotency-Key: a\r\nidempotency-key: a", "invalido"],
      ["an empty key", "Idempotency-Key: ", "longitud"],
      ["a key of 129 characters", `Idempotency-Key: ${"k".repeat(129)}`, "longitud"],
      ["a key of 129 two-byte characters", `Idempotency-Key: ${"\u00c3\u00b1".repeat(129)}`, "longitud"],
      ["a tab in the key", "Idempotency-Key: a\tb", "invalido"],
      ["U+0085 in UTF-8", "Idempotency-Key: a\u00c2\u0085b", "invalido"],
      ["U+0085 in Latin-1", "Idempotency-Key: a\u0085b", "invalido"]
    ] as const)("are rejected: %s", ([, line, reason]) =>
      Effect.gen(function* () {
        const caller = yield* customer()
        const example = JSON.stringify(exampleBody(route))
        const { body, status } = yield* leavesRowsUnchanged(
          raw(request(route, caller, `${line}\r\n${sized(example)}`, example))
        )
        assert.deepStrictEqual([status, body.error.details], [422, { "Idempotency-Key": reason }])
      })
    )
  })

  it.effect.each([
    ["a CONNECT request", "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", 404],
    ["a TRACE request", "TRACE /v1/saldo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 404],
    ["an unknown method", "VENDE /v1/recargas HTTP/1.1\r\nHost: a\r\n\r\n", 404],
    ["a method in lower case", "get /v1/saldo HTTP/1.1\r\nHost: a\r\n\r\n", 404],
    ["the beginning of TLS", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000", 404],
    ["the beginning of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 422],
    ["an unknown HTTP version", "GET /v1/saldo HTTP/9.9\r\nHost: a\r\n\r\n", 422],
    ["a target without a slash", "GET v1/saldo HTTP/1.1\r\nHost: a\r\n\r\n", 422],
    ["a target with raw UTF-8", "GET /v1/servicios?q=\u00c3\u00b1 HTTP/1.1\r\nHost: a\r\n\r\n", 422],
    ["the target *", "GET * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 404],
    [
      "an offered upgrade",
      "GET /v1/estado HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n",
      200
    ],
    ["an absolute URL", "GET http://a/v1/estado HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n", 200],
    [
      "an absolute URL with a .. segment",
      "GET http://a/v1/../v1/estado HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n",
      404
    ],
    [
      "an absolute URL with a backslash",
      "GET http://a/v1\\estado HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n",
      404
    ]
  ] as const)("are answered with an error or handled as HTTP requires: %s", ([, bytes, status]) =>
    Effect.gen(function* () {
      const answer = yield* leavesRowsUnchanged(raw(bytes))
      assert.strictEqual(answer.status, status)
      assert.match(answer.headers.get("x-request-id") ?? "", /^[\da-f-]{36}$/)
    })
  )

  describe("around a sale", () => {
    const sale = JSON.stringify({ service_id: 1, identifier: "8095550003", amount: 100 })
    const route = { method: "POST", path: "/v1/recargas" }
    const key = () => `Idempotency-Key: ${randomUUID()}\r\n`

    it.effect("accept a sale sent in chunks", () =>
      Effect.gen(function* () {
        const caller = yield* customer()
        const chunks = [...sale].map((byte) => `1;x=y\r\n${byte}\r\n`).join("")
        const lines = `${key()}${json}\r\nTransfer-Encoding: chunked`
        assert.strictEqual((yield* raw(request(route, caller, lines, `${chunks}0\r\n\r\n`))).status, 201)
      })
    )

    it.effect.each([
      "\u0000\u0001basura\r\n\r\n",
      "GET /v1/saldo HTTP/9.9\r\n\r\n",
      "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"
    ])("do not change the response to a valid sale before them on the connection (%#)", (more) =>
      Effect.gen(function* () {
        const caller = yield* customer()
        const [head = "", body = ""] = request(route, caller, key() + sized(sale), sale).split("\r\n\r\n")
        const kept = head.replace("Connection: close", "Connection: keep-alive")
        const { said, status } = yield* raw(`${kept}\r\n\r\n${body}${more}`)
        assert.strictEqual(status, 201)
        assert.deepStrictEqual(said.match(/^HTTP\/1\.1 \d+/gm), ["HTTP/1.1 201"])
        assert.strictEqual((yield* get("/v1/saldo", caller.auth)).body.data.saldo_actual, 900)
      })
    )
  })
})
