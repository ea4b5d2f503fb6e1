import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, expect, it, layer } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import { Permission } from "../../../core/domain/Token.ts"
import { Companies, type NewCompany } from "../../../core/ports/Companies.ts"
import { type NewToken, Tokens } from "../../../core/ports/Tokens.ts"
import { readCredentials } from "../../../facade/api/Gate.ts"
import { eventually } from "../../support/Eventually.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { customer, newToken } from "../../support/service/CustomerCompany.ts"
import { callEndpoint, guardedPaths, writingPaths } from "../../support/service/Endpoints.ts"
import { call, get, sell } from "../../support/service/HttpCalls.ts"
import { secret } from "../../support/service/InMemoryService.ts"
import { answerIn, rawClient } from "../../support/service/RawClient.ts"
import { anotherServer, TestServer } from "../../support/service/TestServer.ts"
import { leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

type Headers = Record<string, string>

const pair = (key: string, given = secret) => ({ "x-api-key": key, "x-api-secret": given })
const bearer = (text: string) => ({ authorization: `Bearer ${text}` })

/** Ways to send the credentials of a valid token, each with the status of the response. */
const presented: ReadonlyArray<readonly [name: string, status: number, headers: (key: string) => Headers]> = [
  ["the credentials in the header Authorization", 200, (key) => bearer(`${key}.${secret}`)],
  ["the credentials in the headers X-Api-Key and X-Api-Secret", 200, (key) => pair(key)],
  ["the same credentials in both forms", 200, (key) => ({ ...bearer(`${key}.${secret}`), ...pair(key) })],
  ["the scheme in lower case", 200, (key) => ({ authorization: `bearer ${key}.${secret}` })],
  ["no credentials", 401, () => ({})],
  ["no secret in the header Authorization", 401, (key) => bearer(key)],
  ["an empty secret", 401, (key) => bearer(`${key}.`)],
  ["an empty key", 401, () => bearer(`.${secret}`)],
  ["a second dot after the secret", 401, (key) => bearer(`${key}.${secret}.`)],
  ["a space instead of the dot", 401, (key) => bearer(`${key} ${secret}`)],
  ["another scheme", 401, (key) => ({ authorization: `Basic ${key}.${secret}` })],
  ["no scheme", 401, (key) => ({ authorization: `${key}.${secret}` })],
  ["only the header X-Api-Key", 401, (key) => ({ "x-api-key": key })],
  ["only the header X-Api-Secret", 401, () => ({ "x-api-secret": secret })],
  ["an empty header X-Api-Secret", 401, (key) => pair(key, "")],
  ["a wrong secret", 401, (key) => pair(key, `${secret}x`)],
  ["an unknown key", 401, (key) => pair(`${key}x`)],
  [
    "a valid header Authorization, but X-Api-Key without X-Api-Secret",
    401,
    (key) => ({ ...bearer(`${key}.${secret}`), "x-api-key": key })
  ],
  ["different secrets in the two forms", 401, (key) => ({ ...bearer(`${key}.${secret}`), ...pair(key, "otro") })],
  [
    "a malformed header Authorization together with valid X-Api headers",
    401,
    (key) => ({ ...bearer("x"), ...pair(key) })
  ]
]

type Situation = readonly [name: string, status: number, company: Partial<NewCompany>, token: Partial<NewToken>]

const past = DateTime.makeUnsafe("2026-03-11T10:00:00-04:00")
const future = DateTime.makeUnsafe("2026-03-12T10:00:00-04:00")

const situations: ReadonlyArray<Situation> = [
  ["an active token", 200, { state: "activa" }, { expiresAt: future }],
  ["a token of a vip company", 200, { state: "vip" }, {}],
  ["an expired token", 401, {}, { expiresAt: past }],
  ["a token of a suspended company", 403, { state: "suspendida" }, {}],
  ["a token of a company without API access", 403, { apiEnabled: false }, {}],
  ["an expired token of a suspended company", 401, { state: "suspendida" }, { expiresAt: past }],
  ["a token restricted to another address", 403, {}, { addresses: ["198.51.100.7"] }],
  ["a token restricted to the caller's address", 200, {}, { addresses: ["192.0.2.1", "203.0.113.9"] }],
  ["a token restricted to the caller's network", 200, {}, { addresses: ["203.0.113.0/29", "203.0.113.8/29"] }],
  ["a token restricted to a neighbouring network", 403, {}, { addresses: ["203.0.113.0/29"] }],
  ["a token restricted to the caller's IPv4-mapped address", 200, {}, { addresses: ["::ffff:203.0.113.9"] }],
  ["a token restricted to IPv6 addresses", 403, {}, { addresses: ["2001:db8::/32"] }]
]

const allPermissions = Permission.literals
const sale = { service_id: 1, identifier: "8095550003", amount: 20 }
const from = (address: string) => ({ "x-forwarded-for": address })
const codes: Record<number, string> = { 401: "UNAUTHENTICATED", 403: "FORBIDDEN" }

layer(TestServer, { excludeTestServices: true })("under the rules of authentication (contract 5),", (it) => {
  it.effect.each(presented)("a request with %s gets status %d", ([, status, headers]) =>
    Effect.gen(function* () {
      const { apiKey } = yield* customer()
      for (const path of ["/v1/cuenta", "/v1/account"]) {
        const answer = yield* leavesRowsUnchanged(call(path, { headers: headers(apiKey) }))
        assert.deepStrictEqual([answer.status, answer.body.error?.code], [status, codes[status]])
        assert.strictEqual(answer.headers.has("www-authenticate"), status === 401)
      }
    })
  )

  it.effect.each(situations)("a request with %s gets status %d", ([, status, company, token]) =>
    Effect.gen(function* () {
      const { auth } = yield* customer({ company, token })
      for (const path of ["/v1/saldo", "/v1/balance"]) {
        const answer = yield* leavesRowsUnchanged(get(path, { ...auth, ...from("192.0.2.66, 203.0.113.9") }))
        assert.deepStrictEqual([answer.status, answer.body.error?.code], [status, codes[status]])
      }
    })
  )

  it.effect("an IPv6 network on the allow list admits only the addresses of that network", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer({ token: { addresses: ["2001:db8::/32"] } })
      for (const [address, status] of [
        ["2001:db8:ffff::1", 200],
        ["2001:db9::1", 403]
      ] as const) {
        assert.strictEqual((yield* get("/v1/saldo", { ...auth, ...from(address) })).status, status)
      }
    })
  )

  it.effect("a token is valid until its expiry time and rejected from then on", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const expiresAt = DateTime.addDuration(yield* DateTime.now, "1 hour")
      const { auth } = yield* customer({ token: { expiresAt } })
      yield* pass("3599 seconds")
      assert.strictEqual((yield* get("/v1/saldo", auth)).status, 200)
      yield* pass("1 seconds")
      assert.strictEqual((yield* get("/v1/saldo", auth)).status, 401)
    })
  )

  describe("an endpoint with a permission requires credentials and that permission", () => {
    it.effect.each(guardedPaths.map((route) => [route.method, route.path, route] as const))("%s %s", ([, , route]) =>
      Effect.gen(function* () {
        const { permission } = route
        const { auth, apiKey, companyId } = yield* customer({ money: 0, company: { insuranceEnabled: true } })
        const refused = (headers: Headers) => leavesRowsUnchanged(callEndpoint(route, headers))
        const outcome = (headers: Headers) =>
          Effect.map(refused(headers), ({ body, status }) => [status, body.error?.code])
        assert.deepStrictEqual(yield* outcome({}), [401, "UNAUTHENTICATED"])
        assert.deepStrictEqual(yield* outcome(pair(apiKey, "x")), [401, "UNAUTHENTICATED"])
        const allBut = allPermissions.filter((other) => other !== permission)
        const without = yield* newToken(companyId, { permissions: allBut })
        const { body, status } = yield* refused(without.auth)
        assert.deepStrictEqual([status, body.error.code], [403, "FORBIDDEN"])
        assert.deepStrictEqual(body.error.details, { motivo: "permiso_faltante", permiso: permission })
        const alone = yield* newToken(companyId, { permissions: [permission] })
        for (const headers of [auth, pair(apiKey), alone.auth]) {
          assert.notInclude([401, 403], (yield* callEndpoint(route, headers)).status)
        }
      })
    )
  })

  describe("a sale is rejected by every server immediately", () => {
    const refusedOnBoth = Effect.fnUntraced(function* (
      auth: Headers,
      change: Effect.Effect<unknown, unknown, Tokens | Companies>
    ) {
      const elsewhere = yield* anotherServer()
      const servers = [sell(sale, auth), elsewhere(sell(sale, auth))]
      for (const server of servers) assert.strictEqual((yield* server).status, 201)
      yield* Effect.orDie(change)
      // The clock stands still, so cached entries do not expire. A 403 therefore shows that the cache was invalidated.
      for (const server of servers) yield* eventually(server, ({ status }) => status === 403)
      for (const server of servers) {
        assert.strictEqual((yield* leavesRowsUnchanged(server)).body.error.code, "FORBIDDEN")
      }
    })

    it.effect.each(["revoked", "suspended"] as const)("when the operator changes its token to %s", (state) =>
      Effect.gen(function* () {
        const { apiKey, auth, tokenId } = yield* customer({ money: 10_000 })
        yield* refusedOnBoth(
          auth,
          Tokens.use((tokens) => tokens.setState(tokenId, state))
        )
        assert.strictEqual((yield* call("/v1/saldo", { headers: pair(apiKey, "x") })).status, 401)
      })
    )

    it.effect.each([{ state: "suspendida" }, { apiEnabled: false }] as const)(
      "when the operator gives its company the settings %j",
      (changes) =>
        Effect.gen(function* () {
          const { auth, companyId } = yield* customer({ money: 10_000 })
          yield* refusedOnBoth(
            auth,
            Companies.use((companies) => companies.change(companyId, changes))
          )
        })
    )
  })

  describe("an empresa_id", () => {
    const writes = writingPaths.map((route) => [route.method, route.path, route] as const)
    it.effect.each(writes)("in the body of %s %s must be the caller's company", ([, , route]) =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const { auth, companyId, tokenId } = yield* customer({ money: 0, company: { insuranceEnabled: true } })
        const answer = yield* leavesRowsUnchanged(callEndpoint(route, auth, { empresa_id: companyId + 1, amount: "x" }))
        assert.deepStrictEqual([answer.status, answer.body.error.code], [403, "FORBIDDEN"])
        const events = yield* sql`
          select action, token_id::int, details from directory.audit_event where company_id = ${companyId}`
        assert.deepStrictEqual(
          events.map((event) => ({ ...event })),
          [{ action: "foreign_company", token_id: tokenId, details: { empresa_id: companyId + 1 } }]
        )
        for (const odd of [String(companyId), 1.5, [companyId], true]) {
          const refused = yield* leavesRowsUnchanged(callEndpoint(route, auth, { empresa_id: odd }))
          assert.deepStrictEqual([refused.status, refused.body.error.details], [422, { empresa_id: "invalido" }])
        }
        assert.notStrictEqual((yield* callEndpoint(route, auth, { empresa_id: companyId })).status, 403)
      })
    )

    it.effect("in a query is ignored like every unknown parameter", () =>
      Effect.gen(function* () {
        const { auth, companyId } = yield* customer()
        const { body, status } = yield* get(`/v1/cuenta?empresa_id=${companyId + 1}`, auth)
        assert.deepStrictEqual([status, body.data.empresa_id], [200, companyId])
      })
    )
  })

  it.effect("a transaction of another company gets the same 404 as a transaction that does not exist", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* customer(), yield* customer()]
      const { transaction_id } = (yield* sell(sale, one.auth)).body.data
      for (const path of ["/v1/transacciones", "/v1/transactions"]) {
        const foreign = yield* leavesRowsUnchanged(get(`${path}/${transaction_id}`, other.auth))
        const missing = yield* leavesRowsUnchanged(get(`${path}/999999999`, other.auth))
        assert.deepStrictEqual([foreign.status, foreign.body.error], [404, missing.body.error])
        assert.deepStrictEqual((yield* get(path, other.auth)).body.data.items, [])
      }
    })
  )
})

layer(TestServer, { excludeTestServices: true })("a token that is revoked while the body of a sale arrives", (it) => {
  it.effect("cannot make the sale", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { auth, tokenId } = yield* customer()
      const { auth: other } = yield* newToken((yield* customer()).companyId)
      const left = Effect.map(get("/v1/saldo", auth), ({ headers }) => Number(headers.get("x-ratelimit-remaining")))
      const before = yield* left
      const body = JSON.stringify({ service_id: 1, identifier: "8095551233", amount: 50 })
      const head = [
        "POST /v1/recargas HTTP/1.1",
        "Host: a",
        `Authorization: ${auth.authorization}`,
        `Idempotency-Key: ${randomUUID()}`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`
      ].join("\r\n")
      const client = yield* rawClient(`${head}\r\n\r\n${body.slice(0, -1)}`)
      // Each read counts one call. The gate has let the sale in when it has counted one more.
      let reads = 0
      yield* eventually(
        Effect.tap(left, () => Effect.sync(() => reads++)),
        (now) => before - now > reads
      )
      yield* pass("2 seconds")
      yield* Tokens.use((tokens) => tokens.setState(tokenId, "revoked"))
      yield* eventually(get("/v1/saldo", auth), ({ status }) => status === 403)
      client.socket.write(body.slice(-1))
      assert.match(yield* answerIn(client), /^HTTP\/1\.1 403 /)
      assert.strictEqual((yield* get("/v1/saldo", other)).status, 200)
    })
  )
})

const long = "k".repeat(200)

describe("the credentials parser", () => {
  it.each([
    ["accepts", 3],
    ["rejects", 16_000]
  ])("%s %d spaces before the credentials", (decision, spaces) => {
    const authorization = `Bearer${" ".repeat(spaces)}llave.secreto`
    const read = readCredentials({ authorization, apiKey: undefined, apiSecret: undefined })
    expect(Result.isSuccess(read)).toBe(decision === "accepts")
  })

  it.each([
    ["accepts", "a key and a secret of 200 characters each", long, long],
    ["rejects", "a key of 201 characters", `${long}k`, "secreto"],
    ["rejects", "a secret of 201 characters", "llave", `${long}s`]
  ])("%s %s", (decision, _, apiKey, secret) => {
    const bearer = { authorization: `Bearer ${apiKey}.${secret}`, apiKey: undefined, apiSecret: undefined }
    const pair = { authorization: undefined, apiKey, apiSecret: secret }
    for (const headers of [bearer, pair]) {
      expect(Result.getOrNull(readCredentials(headers))).toEqual(decision === "accepts" ? { apiKey, secret } : null)
    }
  })
})
