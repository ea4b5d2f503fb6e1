import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { customer, SharedCustomer } from "../../support/service/CustomerCompany.ts"
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
import { allLeaveRowsUnchanged, leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

const at = (all: ReadonlyArray<EndpointPath>) => all.map((route) => [route.method, route.path, route] as const)

type Caller = Effect.Success<ReturnType<typeof customer>>

/** A request as bytes, with the credentials, header lines and body given. */
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

/** Malformed header lines. */
const unreadable: ReadonlyArray<readonly [name: string, lines: string, status: number, reason: object]> = [
  ["a NUL", "X-A: a\u0000b", 422, { headers: "invalido" }],
  ["a control character", "X-A: a\u0001b", 422, { headers: "invalido" }],
  ["DEL", "X-A: a\u007fb", 422, { headers: "invalido" }],
  ["a line feed alone", "X-A: a\nX-B: b", 422, { headers: "invalido" }],
  ["a carriage return alone", "X-A: a\rX-B: b", 422, { headers: "invalido" }],
  ["a name with a space", "X A: a", 422, { headers: "invalido" }],
  ["a space before the colon", "X-A : a", 422, { headers: "invalido" }],
  ["no colon", "X-A", 422, { headers: "invalido" }],
  ["no header name", ": a", 422, { headers: "invalido" }],
  ["a folded value", "X-A: a\r\n b", 422, { headers: "invalido" }],
  ["a value of 16 KiB", `X-A: ${"a".repeat(16 * 1024)}`, 431, { headers: "demasiado_grande" }],
  [
    "header names of 16 KiB in total",
    Array.from({ length: 3_000 }, (_, n) => `X${n}: 1`).join("\r\n"),
    431,
    { headers: "demasiado_grande" }
  ],
  ["two values of Content-Length", "Content-Length: 1\r\nContent-Length: 2", 422, { headers: "invalido" }],
  ["a negative Content-Length", "Content-Length: -1", 422, { headers: "invalido" }],
  ["a Content-Length that is not an integer", "Content-Length: 1e3", 422, { headers: "invalido" }],
  ["a Content-Length of 30 digits", `Content-Length: ${"9".repeat(30)}`, 422, { headers: "invalido" }],
  [
    "both Content-Length and Transfer-Encoding",
    "Content-Length: 5\r\nTransfer-Encoding: chunked",
    422,
    { headers: "invalido" }
  ]
]

/** Malformed bodies, and bodies that do not match their header lines. `example` is a valid body. */
const malformedBodies = (example: string) =>
  [
    ["is cut off", `${json}\r\nContent-Length: 1000`, example, { body: "incompleto" }],
    ["is cut off in a chunk", `${json}\r\nTransfer-Encoding: chunked`, "ff\r\n{", { body: "incompleto" }],
    ["is cut off between chunks", `${json}\r\nTransfer-Encoding: chunked`, "2\r\n{}\r\n", { body: "incompleto" }],
    [
      "has a chunk without a size",
      `${json}\r\nTransfer-Encoding: chunked`,
      "zz\r\n{}\r\n0\r\n\r\n",
      { body: "incompleto" }
    ],
    ["has two content types", `Content-Type: text/plain\r\n${sized(example)}`, example, { content_type: "invalido" }],
    ["has no content type", `Content-Length: ${Buffer.byteLength(example)}`, example, { content_type: "invalido" }],
    ["has a Content-Length above 64 KiB", `${json}\r\nContent-Length: 65537`, "", { body: "demasiado_grande" }]
  ] as const

/** Header lines with an invalid idempotency key, or without a key. */
const invalidKeys = [
  ["no key", "X-A: a", "requerido"],
  ["two keys", "Idempotency-Key: a\r\nIdempotency-Key: b", "invalido"],
  ["the same key twice", "Idempotency-Key: a\r\nidempotency-key: a", "invalido"],
  ["an empty key", "Idempotency-Key: ", "longitud"],
  ["a key of 129 characters", `Idempotency-Key: ${"k".repeat(129)}`, "longitud"],
  ["a key of 129 two-byte characters", `Idempotency-Key: ${"\u00c3\u00b1".repeat(129)}`, "longitud"],
  ["a tab in the key", "Idempotency-Key: a\tb", "invalido"],
  ["U+0085 in UTF-8 in the key", "Idempotency-Key: a\u00c2\u0085b", "invalido"],
  ["U+0085 in Latin-1 in the key", "Idempotency-Key: a\u0085b", "invalido"]
] as const

layer(Layer.provideMerge(SharedCustomer.layer, TestServer), { excludeTestServices: true })(
  "a malformed or unusual request",
  (it) => {
    it.effect.each(at(endpointPaths))("to %s %s is rejected when its headers are malformed", ([, , route]) =>
      Effect.gen(function* () {
        const caller = yield* SharedCustomer
        yield* allLeaveRowsUnchanged(unreadable, ([name, lines, status, details]) =>
          Effect.map(raw(request(route, caller, lines)), ({ body, status: said }) =>
            assert.deepStrictEqual(
              [said, body.error.code, body.error.details],
              [status, "VALIDATION_ERROR", details],
              name
            )
          )
        )
      })
    )

    it.effect.each(at(endpointPaths))("to %s %s is rejected when its target is longer than 16 KiB", ([, , route]) =>
      Effect.gen(function* () {
        const caller = yield* SharedCustomer
        const long = [`/${"a".repeat(16 * 1024)}`, `?q=${"a".repeat(16 * 1024)}`]
        yield* allLeaveRowsUnchanged(long, (more) =>
          Effect.map(raw(request({ ...route, path: route.path + more }, caller, "X-A: 1")), ({ status }) =>
            assert.strictEqual(status, 431, more.slice(0, 2))
          )
        )
      })
    )

    it.effect.each(at(guardedPaths))("to %s %s is rejected when it has credentials twice", ([, , route]) =>
      Effect.gen(function* () {
        const caller = yield* SharedCustomer
        const twice = [
          `Authorization: ${caller.auth.authorization}`,
          "Authorization: Bearer otro.otro",
          "Authorization: ",
          `X-Api-Key: ${caller.apiKey}\r\nX-Api-Key: ${caller.apiKey}\r\nX-Api-Secret: ${secret}`,
          `X-Api-Key: ${caller.apiKey}\r\nX-Api-Secret: ${secret}\r\nX-Api-Secret: ${secret}`
        ]
        yield* allLeaveRowsUnchanged(twice, (lines) =>
          Effect.map(raw(request(route, caller, lines)), ({ body, status }) =>
            assert.deepStrictEqual([status, body.error?.code], [401, "UNAUTHENTICATED"], lines)
          )
        )
      })
    )

    it.effect.each(at(writingPaths))("to %s %s is rejected when its body is malformed", ([, , route]) =>
      Effect.gen(function* () {
        const caller = yield* SharedCustomer
        yield* allLeaveRowsUnchanged(
          malformedBodies(JSON.stringify(exampleBody(route))),
          ([name, lines, body, details]) => {
            const keyed = `Idempotency-Key: ${randomUUID()}\r\n${lines}`
            const hangUp = "body" in details && details.body === "incompleto"
            return Effect.map(raw(request(route, caller, keyed, body), { hangUp }), ({ body: { error } }) =>
              assert.deepStrictEqual([error.code, error.details], ["VALIDATION_ERROR", details], name)
            )
          }
        )
      })
    )

    it.effect.each(at(writingPaths))("to %s %s is rejected when its chunks have more than 64 KiB", ([, , route]) =>
      Effect.gen(function* () {
        const caller = yield* SharedCustomer
        const chunks = `4000\r\n${"x".repeat(0x4000)}\r\n`.repeat(5)
        const { body, status } = yield* leavesRowsUnchanged(
          raw(request(route, caller, `${json}\r\nTransfer-Encoding: chunked`, `${chunks}0\r\n\r\n`))
        )
        assert.deepStrictEqual([status, body.error.details], [413, { body: "demasiado_grande" }])
      })
    )

    const keyed = writingPaths.filter(({ endpoint }) => endpoint.procedure.input.takesKey)

    it.effect.each(at(keyed))("to %s %s is rejected when its idempotency key is invalid", ([, , route]) =>
      Effect.gen(function* () {
        const caller = yield* SharedCustomer
        const example = JSON.stringify(exampleBody(route))
        yield* allLeaveRowsUnchanged(invalidKeys, ([name, line, reason]) =>
          Effect.map(raw(request(route, caller, `${line}\r\n${sized(example)}`, example)), ({ body, status }) =>
            assert.deepStrictEqual([status, body.error.details], [422, { "Idempotency-Key": reason }], name)
          )
        )
      })
    )

    it.effect.each([
      ["with the method CONNECT", 404, "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"],
      ["with the method TRACE", 404, "TRACE /v1/saldo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"],
      ["with an unknown method", 404, "VENDE /v1/recargas HTTP/1.1\r\nHost: a\r\n\r\n"],
      ["with a method in lower case", 404, "get /v1/saldo HTTP/1.1\r\nHost: a\r\n\r\n"],
      ["that is the beginning of TLS", 404, "\u0016\u0003\u0001\u0002\u0000\u0001\u0000"],
      ["that is the beginning of HTTP/2", 422, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
      ["with an unknown HTTP version", 422, "GET /v1/saldo HTTP/9.9\r\nHost: a\r\n\r\n"],
      ["with a target without a slash", 422, "GET v1/saldo HTTP/1.1\r\nHost: a\r\n\r\n"],
      ["with raw UTF-8 in the target", 422, "GET /v1/servicios?q=\u00c3\u00b1 HTTP/1.1\r\nHost: a\r\n\r\n"],
      ["with the target *", 404, "GET * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"],
      [
        "that offers an upgrade",
        200,
        "GET /v1/estado HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n"
      ],
      ["with an absolute URL", 200, "GET http://a/v1/estado HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n"],
      [
        "with an absolute URL that has a .. segment",
        404,
        "GET http://a/v1/../v1/estado HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n"
      ],
      [
        "with an absolute URL that has a backslash",
        404,
        "GET http://a/v1\\estado HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n"
      ]
    ] as const)("%s gets status %d", ([, status, bytes]) =>
      Effect.gen(function* () {
        const answer = yield* leavesRowsUnchanged(raw(bytes))
        assert.strictEqual(answer.status, status)
        assert.match(answer.headers.get("x-request-id") ?? "", /^[\da-f-]{36}$/)
      })
    )

    const sale = JSON.stringify({ service_id: 1, identifier: "8095550003", amount: 100 })
    const route = { method: "POST", path: "/v1/recargas" }
    const key = () => `Idempotency-Key: ${randomUUID()}\r\n`

    it.effect("that sends a sale in small chunks is accepted", () =>
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
    ])("does not change the response to a valid sale before it on the connection (%#)", (more) =>
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
  }
)
