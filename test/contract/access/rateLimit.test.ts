import { assert, describe, expect, it, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { networkOf } from "../../../facade/api/Gate.ts"
import { addressOf } from "../../../facade/http/Request.ts"
import type { ApiResponse } from "../../support/ApiDocument.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { callEndpoint, guardedPaths } from "../../support/service/Endpoints.ts"
import { as, call, get, raw, sell } from "../../support/service/HttpCalls.ts"
import { anotherServer, TestServer } from "../../support/service/TestServer.ts"
import { leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

const quota = ({ headers }: { headers: globalThis.Headers }) =>
  ["limit", "remaining", "reset"].map((name) => Number(headers.get(`x-ratelimit-${name}`)))

layer(TestServer, { excludeTestServices: true })("the rate limit (contract 8)", (it) => {
  const minuteEnds_s = Date.parse("2026-03-11T10:01:00-04:00") / 1000

  describe("counts the calls of a token at the endpoint", () => {
    it.effect.each(guardedPaths.map((route) => [route.method, route.path, route] as const))("%s %s", ([, , route]) =>
      Effect.gen(function* () {
        const { auth } = yield* customer({ money: 0, token: { callsPerMinute: 2 } })
        assert.deepStrictEqual(quota(yield* callEndpoint(route, auth)), [2, 1, minuteEnds_s])
        assert.deepStrictEqual(quota(yield* callEndpoint(route, auth)), [2, 0, minuteEnds_s])
        const refused = yield* leavesRowsUnchanged(callEndpoint(route, auth))
        assert.deepStrictEqual([refused.status, refused.body.error.code], [429, "RATE_LIMIT_EXCEEDED"])
        assert.deepStrictEqual(
          [refused.headers.get("retry-after"), refused.body.error.details],
          ["60", { retry_after: 60 }]
        )
        assert.deepStrictEqual(quota(refused), [2, 0, minuteEnds_s])
      })
    )
  })

  it.effect("is checked after the token's state and before its permissions", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer({ token: { callsPerMinute: 1, permissions: ["account.read"] } })
      const statuses = yield* Effect.replicateEffect(
        Effect.map(get("/v1/saldo", auth), ({ status }) => status),
        2
      )
      assert.deepStrictEqual(statuses, [403, 429])
      const locked = yield* customer({ company: { state: "suspendida" }, token: { callsPerMinute: 1 } })
      const again = yield* Effect.replicateEffect(
        Effect.map(get("/v1/saldo", locked.auth), ({ status }) => status),
        2
      )
      assert.deepStrictEqual(again, [403, 403])
    })
  )

  it.effect("defaults to 120 calls a minute, and every response states how many calls are left", () =>
    Effect.gen(function* () {
      const unset = { RATE_LIMIT_PER_MINUTE: undefined, RATE_LIMIT_ADDRESS_PER_MINUTE: undefined }
      const elsewhere = yield* anotherServer(unset)
      const { auth } = yield* customer()
      const answers = [
        get("/v1/saldo", auth),
        get("/v1/transacciones/x", auth),
        get("/v1/servicios", { ...auth, "if-none-match": "*" }),
        sell({}, auth),
        call("/v1/estado"),
        call("/v1/nada"),
        call("/v1/saldo", { headers: as("nadie") }),
        call("/v1/openapi.json"),
        call("/v1/saldo", { method: "HEAD", headers: auth })
      ]
      const left = yield* Effect.forEach(answers, (answer) => Effect.map(elsewhere(answer), quota))
      assert.deepStrictEqual(
        left.map(([limit, remaining]) => [limit, remaining]),
        [119, 118, 117, 116, 119, 119, 119, 119, 115].map((remaining) => [120, remaining])
      )
    })
  )

  it.effect("starts a new count each minute", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { auth } = yield* customer({ token: { callsPerMinute: 1 } })
      const status = Effect.map(get("/v1/saldo", auth), (answer) => answer.status)
      yield* pass("59 seconds")
      assert.deepStrictEqual([yield* status, yield* status], [200, 429])
      yield* pass("1 seconds")
      assert.deepStrictEqual([yield* status, yield* status], [200, 429])
    })
  )

  it.effect("counts wrong credentials by client address, and still admits valid credentials from that address", () =>
    Effect.gen(function* () {
      const elsewhere = yield* anotherServer({ RATE_LIMIT_ADDRESS_PER_MINUTE: "3" })
      const { auth } = yield* customer()
      const guess = (address: string) =>
        Effect.map(
          elsewhere(call("/v1/saldo", { headers: { ...as("nadie"), "x-forwarded-for": address } })),
          ({ status }) => status
        )
      assert.deepStrictEqual(yield* Effect.replicateEffect(guess("192.0.2.9"), 4), [401, 401, 401, 429])
      assert.strictEqual(yield* guess("192.0.2.10"), 401)
      assert.strictEqual((yield* elsewhere(get("/v1/saldo", { ...auth, "x-forwarded-for": "192.0.2.9" }))).status, 200)
    })
  )

  it.effect.each([
    ["4", ["192.0.2.11", "::ffff:192.0.2.11", "::FFFF:c000:20b"]],
    ["6", ["2001:db8::b", "2001:DB8:0::B", "2001:db8:0:0:0:0:0:b"]]
  ] as const)("counts all spellings of one IPv%s address as one address", ([, spellings]) =>
    Effect.gen(function* () {
      const elsewhere = yield* anotherServer({ RATE_LIMIT_ADDRESS_PER_MINUTE: "2" })
      const ask = (address: string) => elsewhere(call("/v1/estado", { headers: { "x-forwarded-for": address } }))
      const answers = yield* Effect.forEach(spellings, ask)
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 200, 429]
      )
    })
  )

  it.effect("counts IPv6 addresses by their /64 network", () =>
    Effect.gen(function* () {
      const elsewhere = yield* anotherServer({ RATE_LIMIT_ADDRESS_PER_MINUTE: "2" })
      const ask = (address: string) => elsewhere(call("/v1/estado", { headers: { "x-forwarded-for": address } }))
      const answers = yield* Effect.forEach(
        ["2001:db8:0:1::1", "2001:db8:0:1:ffff::2", "2001:db8:0:1:2:3:4:5", "2001:db8:0:2::1"],
        ask
      )
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 200, 429, 200]
      )
    })
  )

  describe("for requests that no route handles", () => {
    const three = { RATE_LIMIT_ADDRESS_PER_MINUTE: "3" }
    const statusAndLeft = ({ headers, status }: ApiResponse) => [status, headers.get("x-ratelimit-remaining")]

    it.effect("counts all unparsable requests together, because their client address is unknown", () =>
      Effect.gen(function* () {
        const elsewhere = yield* anotherServer(three)
        const answers = yield* Effect.replicateEffect(elsewhere(raw("GET /v1/estado HTTP/1.1\r\nX A: 1\r\n\r\n")), 4)
        assert.deepStrictEqual(answers.map(statusAndLeft), [
          [422, "2"],
          [422, "1"],
          [422, "0"],
          [429, "0"]
        ])
        const { body, headers } = answers[3] as ApiResponse
        assert.strictEqual(headers.get("retry-after"), String(body.error.details.retry_after))
        const asked = yield* elsewhere(call("/v1/estado", { headers: { "x-forwarded-for": "127.0.0.1" } }))
        assert.deepStrictEqual(statusAndLeft(asked), [200, "2"])
      })
    )

    it.effect("counts CONNECT requests by client address", () =>
      Effect.gen(function* () {
        const elsewhere = yield* anotherServer(three)
        const tunnel = raw("CONNECT a:443 HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.40\r\n\r\n")
        const answers = yield* Effect.replicateEffect(elsewhere(tunnel), 4)
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [404, 404, 404, 429]
        )
      })
    )

    it.effect("counts a request with a broken body once, for the token of the request", () =>
      Effect.gen(function* () {
        // The token must exist before the second server starts. Otherwise the notification about the new token could
        // clear that server's cache during the test.
        const { auth } = yield* customer({ token: { callsPerMinute: 5 } })
        const elsewhere = yield* anotherServer(three)
        const lines = [
          "POST /v1/recargas HTTP/1.1",
          "Host: a",
          `Authorization: ${auth.authorization}`,
          "X-Forwarded-For: 192.0.2.41",
          "Content-Type: application/json",
          "Transfer-Encoding: chunked"
        ]
        // This call puts the token into the cache. The server then counts the next call when its headers arrive.
        assert.deepStrictEqual(statusAndLeft(yield* elsewhere(get("/v1/saldo", auth))), [200, "4"])
        const broken = yield* elsewhere(raw(`${lines.join("\r\n")}\r\n\r\nzz\r\n`))
        assert.deepStrictEqual(statusAndLeft(broken), [422, "3"])
        assert.deepStrictEqual(statusAndLeft(yield* elsewhere(get("/v1/saldo", auth))), [200, "2"])
      })
    )
  })
})

/** Peer address of the socket, X-Forwarded-For of a trusted proxy, and the resulting client address. */
const clients: ReadonlyArray<readonly [seen: string | undefined, forwarded: string | undefined, address: string]> = [
  ["192.0.2.1", undefined, "192.0.2.1"],
  ["::ffff:192.0.2.1", undefined, "192.0.2.1"],
  ["::FFFF:c000:201", undefined, "192.0.2.1"],
  ["2001:DB8:0:0::1", undefined, "2001:db8::1"],
  ["fe80::1%eth0", undefined, "fe80::1%eth0"],
  [undefined, undefined, "unknown"],
  ["198.51.100.7", "192.0.2.1", "192.0.2.1"],
  ["198.51.100.7", "203.0.113.9, 192.0.2.1 ", "192.0.2.1"],
  ["198.51.100.7", "::ffff:192.0.2.1", "192.0.2.1"],
  ["198.51.100.7", "::ffff:c000:201", "192.0.2.1"],
  ["198.51.100.7", "0:0:0:0:0:FFFF:C000:0201", "192.0.2.1"],
  ["198.51.100.7", "2001:db8::1", "2001:db8::1"],
  ["198.51.100.7", "2001:0DB8:0:0:0:0:0:1", "2001:db8::1"],
  ["198.51.100.7", "192.0.2.1, example.com", "198.51.100.7"],
  ["198.51.100.7", "192.0.2.01", "198.51.100.7"],
  ["198.51.100.7", "", "198.51.100.7"],
  [undefined, "nobody", "unknown"]
]

describe("the address of a client", () => {
  const addressFrom = (seen: string | undefined, forwarded: string | undefined, trustProxy: boolean) =>
    addressOf({ remoteAddress: Option.fromUndefinedOr(seen), forwardedFor: forwarded }, { trustProxy })

  it.each(clients)("with the peer %s and X-Forwarded-For %s is %s", (seen, forwarded, address) => {
    expect(addressFrom(seen, forwarded, true)).toBe(address)
  })

  it("is the peer of the socket when no proxy is trusted", () => {
    expect(addressFrom("198.51.100.7", "192.0.2.1", false)).toBe("198.51.100.7")
  })
})

describe("the network that the rate limit counts", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8::1", "2001:db8::/64"],
    ["2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"],
    ["2001:db8:0:2::", "2001:db8:0:2::/64"],
    ["fe80::1%eth0", "fe80::1%eth0"],
    ["unknown", "unknown"]
  ])("of the address %s is %s", (address, network) => expect(networkOf(address)).toBe(network))
})
