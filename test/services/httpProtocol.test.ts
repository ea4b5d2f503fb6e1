import { readFileSync } from "node:fs"
import { assert, describe, it, layer } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { DateTime, Effect, Redacted } from "effect"
import { OpenApi } from "effect/http-api"
import { TestClock } from "effect/testing"
import { insurerProtocol } from "../../adapters/insurer/InsurerProtocol.ts"
import * as HttpProvider from "../../adapters/provider/HttpProvider.ts"
import { providerProtocol } from "../../adapters/provider/ProviderProtocol.ts"
import { smsProtocol } from "../../adapters/sms/HttpSms.ts"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { DispatchAnswer } from "../../core/domain/Sale.ts"
import { protocolDocument, signatureOf } from "../fakes/FakeGateway.ts"
import { type FakeRequest, fakeServer } from "../fakes/FakeServer.ts"
import { gatewayAt, Outside, order, secret, startProvider, xidOf } from "./support/Gateways.ts"

const pageOf = (name: string) => readFileSync(new URL(`../../docs/providers/${name}.md`, import.meta.url), "utf8")

/** Every value that a field of a document may have. */
const valuesOf = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  const own = "enum" in value && Array.isArray(value.enum) ? value.enum.map(String) : []
  return [...own, ...Object.values(value).flatMap(valuesOf)]
}

const protocols = [
  ["http", () => OpenApi.fromApi(providerProtocol)],
  ["insurer", () => OpenApi.fromApi(insurerProtocol)],
  ["sms", () => OpenApi.fromApi(smsProtocol)]
] as const

describe("the OpenAPI document of our own protocols", () => {
  it.each(protocols)("is up to date for %s (npm run docs:protocols writes it)", (name, generated) => {
    assert.deepStrictEqual(protocolDocument(name) as object, JSON.parse(JSON.stringify(generated())))
  })

  it.effect.each(protocols)("is valid OpenAPI for %s", ([name]) =>
    Effect.gen(function* () {
      const { errors, valid } = yield* Effect.promise(() => new Validator().validate({ ...protocolDocument(name) }))
      assert.isTrue(valid, JSON.stringify(errors))
    })
  )

  it.each(protocols)("has a page with every path, status and value for %s", (name) => {
    const document = protocolDocument(name)
    const page = pageOf(name)
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) => [
        `${method.toUpperCase()} ${path}`,
        ...Object.keys(responses).map((status) => status.toLowerCase())
      ])
    )
    const missing = [...operations, ...valuesOf(document)].filter(
      (word) => !page.toLowerCase().includes(word.toLowerCase())
    )
    assert.isEmpty(missing)
  })
})

const page = readFileSync(new URL("../../docs/providers/http.md", import.meta.url), "utf8")
const signedAt = DateTime.makeUnsafe("2026-03-02T14:30:00Z")

/** A dispatch request that a gateway received, and a function that sends it again, with or without changes. */
const captured = Effect.gen(function* () {
  const { gateway, provider } = yield* startProvider
  yield* provider.dispatch(order(1))
  const sent = gateway.requests[0]
  if (sent === undefined) return yield* Effect.die(new Error("nothing was sent"))
  const again = (changes: Partial<FakeRequest> = {}) => {
    const { headers, method, path, text } = { ...sent, ...changes }
    const given = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("saldo-")))
    return Effect.promise(async () => {
      const response = await fetch(`${gateway.url}${path}`, {
        method,
        headers: { ...given, "content-type": "application/json" } as Record<string, string>,
        body: method === "GET" ? null : text
      })
      const { reason } = (await response.json()) as { readonly reason?: string }
      return { status: response.status, reason }
    })
  }
  return { again, gateway, sent }
})

layer(Outside)("a signed request", (it) => {
  it.effect("equals the example in the documentation", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DateTime.toEpochMillis(signedAt))
      const { gateway, provider } = yield* startProvider
      yield* provider.dispatch(
        order(1, { xid: "RD-5f2b8c0d9e4a7163b8f0a1c2", createdAt: signedAt, product: "caribe-rd" })
      )
      const { headers, method, path, text } = gateway.requests[0] ?? assert.fail("nothing was sent")
      for (const part of [
        secret,
        `${method} ${path} HTTP/1.1`,
        `Saldo-Timestamp: ${headers["saldo-timestamp"]}`,
        `Saldo-Signature: ${headers["saldo-signature"]}`,
        `\n${text}\n`,
        `v1\n${headers["saldo-timestamp"]}\n${method}\n${path}\n${text}\n`
      ]) {
        assert.include(page, part)
      }
    })
  )

  it.effect("includes the path prefix of the configured URL in its signature, and has no body if it is a GET", () =>
    Effect.gen(function* () {
      const seen: Array<FakeRequest> = []
      const url = yield* fakeServer((asked) => {
        seen.push(asked)
        return { misbehaviour: null, reply: () => ({ status: 500, body: {} }) }
      })
      for (const base of [`${url}/saldo`, `${url}/saldo/`]) {
        const provider = yield* HttpProvider.make(gatewayAt(base))
        yield* provider.status(order(1))
      }
      for (const asked of seen) {
        assert.deepStrictEqual([asked.method, asked.path, asked.text], ["GET", `/saldo/v1/orders/${xidOf(1)}`, ""])
        assert.strictEqual(asked.headers["saldo-signature"], signatureOf(secret, asked))
      }
      assert.lengthOf(seen, 2)
    })
  )

  it.effect("with another secret is rejected and has no effect", () =>
    Effect.gen(function* () {
      const { gateway } = yield* startProvider
      const stranger = yield* HttpProvider.make({ baseUrl: gateway.url, secret: Redacted.make("another") })
      assert.deepStrictEqual(yield* stranger.dispatch(order(1)), DispatchAnswer.NotSent())
      assert.deepStrictEqual(yield* stranger.status(order(1)), StatusAnswer.NotAsked())
      assert.isEmpty(gateway.truth.delivered)
    })
  )

  it.effect.each([
    [0, 200, undefined],
    [300, 200, undefined],
    [301, 401, "stale_timestamp"],
    [86_400, 401, "stale_timestamp"]
  ] as const)("repeated after %d seconds is answered with %d", ([seconds, status, reason]) =>
    Effect.gen(function* () {
      const { again, gateway } = yield* captured
      yield* TestClock.adjust(`${seconds} seconds`)
      assert.deepStrictEqual(yield* again(), { status, reason })
      assert.strictEqual(gateway.truth.of(xidOf(1)).times, 1)
    })
  )

  it.effect.each([
    ["another amount", ({ text }: FakeRequest) => ({ text: text.replace("10000", "90000") })],
    ["an extra space", ({ text }: FakeRequest) => ({ text: `${text} ` })],
    ["another path", () => ({ path: "/v1/reversals" })],
    ["another method", () => ({ method: "PUT" })],
    ["another timestamp", ({ headers }: FakeRequest) => ({ headers: { ...headers, "saldo-timestamp": "1" } })],
    [
      "another signature",
      ({ headers }: FakeRequest) => ({ headers: { ...headers, "saldo-signature": `v1=${"0".repeat(64)}` } })
    ],
    ["no signature", () => ({ headers: {} })]
  ] as const)("with %s is rejected", ([, change]) =>
    Effect.gen(function* () {
      const { again, sent } = yield* captured
      assert.deepStrictEqual(yield* again(change(sent)), { status: 401, reason: "bad_signature" })
    })
  )
})
