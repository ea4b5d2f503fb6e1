import { describe, expect, it } from "@effect/vitest"
import { DateTime, Duration, Option, Result, Schema } from "effect"
import {
  AfterAttempt,
  type Attempt,
  afterAttempt,
  deliveryAfter,
  errorOfStatus,
  isOverdue,
  readRetryAfter,
  readWebhookUrl,
  signingKeyOf,
  WebhookSecret,
  webhookSecret_bytes,
  webhookSecretOf
} from "../../../core/domain/Webhook.ts"

const publicOnly = { local: false, accepts: (address: string) => address === "93.184.216.34" }

const read = (text: string) => Result.getOrElse(readWebhookUrl(text, publicOnly), (reason) => reason)

const host = (length: number) => `${"a".repeat(60)}.`.repeat(5).slice(0, length - 3)

describe("the address of a webhook", () => {
  it.each([
    // given, stored
    ["https://ejemplo.com", "https://ejemplo.com/"],
    ["https://ejemplo.com/saldo?a=1&b=ñ", "https://ejemplo.com/saldo?a=1&b=%C3%B1"],
    ["HTTPS://Ejemplo.COM:443/a/../b", "https://ejemplo.com/b"],
    ["https:ejemplo.com/x", "https://ejemplo.com/x"],
    ["https:\\\\ejemplo.com\\x", "https://ejemplo.com/x"],
    ["https://@ejemplo.com/", "https://ejemplo.com/"],
    ["https://ejemplo.com/x#fragmento", "https://ejemplo.com/x"],
    ["https://ejemplo.com/#", "https://ejemplo.com/"],
    ["https://bücher.do", "https://xn--bcher-kva.do/"],
    ["https://ⓔjemplo。com", "https://ejemplo.com/"],
    ["https://a_b.ejemplo.com", "https://a_b.ejemplo.com/"],
    ["https://ejemplo.com:1024", "https://ejemplo.com:1024/"],
    ["https://ejemplo.com:65535", "https://ejemplo.com:65535/"],
    ["https://93.184.216.34/x", "https://93.184.216.34/x"],
    ["https://0x5db8d822/x", "https://93.184.216.34/x"],
    ["https://93.184.216.34./x", "https://93.184.216.34/x"],
    [`https://${host(253)}.do`, `https://${host(253)}.do/`],
    [`https://ejemplo.com/${"a".repeat(2028)}`, `https://ejemplo.com/${"a".repeat(2028)}`]
  ])("%s is stored as %s", (given, stored) => {
    expect(read(given)).toBe(stored)
    expect(read(stored)).toBe(stored)
  })

  it.each([
    "",
    "ejemplo.com",
    "/saldo",
    "http://ejemplo.com",
    "ftp://ejemplo.com",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "wss://ejemplo.com",
    "https://",
    "https://usuario@ejemplo.com",
    "https://:clave@ejemplo.com",
    "https://usuario:clave@ejemplo.com",
    "https://ejemplo.com@127.0.0.1",
    "https://ejemplo.com:0",
    "https://ejemplo.com:22",
    "https://ejemplo.com:80",
    "https://ejemplo.com:1023",
    "https://ejemplo.com:65536",
    "https://ejemplo.com:-1",
    "https://ejemplo.com.",
    "https://ejemplo..com",
    "https://.ejemplo.com",
    "https://-ejemplo.com",
    "https://*.ejemplo.com",
    "https://ejem plo.com",
    "https://ejem%00plo.com",
    "https://ejemplo.com/\u0000",
    "https://ejemplo.com/\n",
    "https://ejemplo.com/\ud800",
    "https://intranet",
    "https://localhost",
    "https://LOCALHOST",
    "https://localhost.",
    "https://api.localhost",
    "https://127.0.0.1",
    "https://127.0.0.1..",
    "https://1.2.3.4.5",
    "https://[::1]",
    "https://[::ffff:93.184.216.34]",
    "https://[fe80::1%25eth0]",
    `https://${"a".repeat(64)}.com`,
    `https://${host(254)}.do`,
    `https://ejemplo.com/${"a".repeat(2029)}`,
    `https://ejemplo.com/${"ñ".repeat(400)}`
  ])("%s is refused", (given) => {
    expect(read(given)).toBe("no_permitida")
  })

  it.each([
    // given URL, stored URL where local addresses are allowed
    ["http://localhost:4000/saldo", "http://localhost:4000/saldo"],
    ["http://LocalHost", "http://localhost/"],
    ["http://api.localhost:4000", "http://api.localhost:4000/"],
    ["http://127.1:4000", "http://127.0.0.1:4000/"],
    ["http://[::1]:4000", "http://[::1]:4000/"],
    ["https://localhost:4000", "https://localhost:4000/"],
    ["http://ejemplo.com", "http://ejemplo.com/"],
    ["https://ejemplo.com:80", "no_permitida"],
    ["http://localhost:25", "no_permitida"],
    ["http://localhost.:4000", "no_permitida"],
    ["http://intranet:4000", "no_permitida"],
    ["http://usuario:clave@localhost:4000", "no_permitida"],
    ["ftp://localhost", "no_permitida"],
    ["http://10.0.0.1:4000", "no_permitida"]
  ])("%s becomes %s where local addresses are allowed", (given, stored) => {
    const local = { local: true, accepts: (address: string) => address === "127.0.0.1" || address === "::1" }
    expect(Result.getOrElse(readWebhookUrl(given, local), (reason) => reason)).toBe(stored)
  })
})

describe("the secret of a webhook", () => {
  const key = Uint8Array.from({ length: webhookSecret_bytes }, (_, index) => 255 - index)

  it("is whsec_ and the base64 of its key", () => {
    const secret = webhookSecretOf(key)
    expect(secret).toBe("whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=")
    expect(signingKeyOf(secret)).toEqual(key)
  })

  it.each([
    "",
    "whsec_",
    `whsec_${"A".repeat(43)}`,
    `whsec_${"A".repeat(42)}B=`,
    `whsec_${"-".repeat(43)}=`,
    `WHSEC_${"A".repeat(43)}=`
  ])("cannot have the form %j", (text) => {
    expect(Option.isNone(Schema.decodeOption(WebhookSecret)(text))).toBe(true)
  })
})

describe("the response to a delivery", () => {
  it.each([
    [200, null],
    [202, null],
    [204, null],
    [299, null],
    [301, "http_301"],
    [302, "http_302"],
    [304, "http_304"],
    [400, "http_400"],
    [410, "http_410"],
    [429, "http_429"],
    [500, "http_500"],
    [599, "http_599"]
  ])("with status %i means %s", (status, error) => {
    expect(errorOfStatus(status)).toBe(error)
  })

  const now = DateTime.makeUnsafe("2026-03-04T12:00:00.500Z")

  it.each([
    // status, Retry-After, seconds
    [429, "0", 0],
    [429, "120", 120],
    [503, "120", 120],
    [503, "999999999", 999_999_999],
    [429, "Wed, 04 Mar 2026 12:01:00 GMT", 60],
    [503, "Wed, 04 Mar 2026 11:00:00 GMT", 0],
    [500, "120", null],
    [200, "120", null],
    [301, "120", null],
    [429, "", null],
    [429, "-5", null],
    [429, "1.5", null],
    [429, "1e3", null],
    [429, "9999999999", null],
    [429, "pronto", null],
    [429, "2026-03-04T12:01:00Z", null],
    [429, "Wed, 99 Mar 2026 12:01:00 GMT", null]
  ])("with status %i and Retry-After %j asks for a pause of %j s", (status, text, seconds) => {
    expect(readRetryAfter(status, text, now)).toBe(seconds)
  })
})

const failed = (status: number | null, retryAfter_s: number | null = null): Attempt => ({
  httpStatus: status,
  error: status === null ? "timeout" : errorOfStatus(status),
  retryAfter_s,
  duration_ms: 12
})

const pauseOf = (after: AfterAttempt): number | null =>
  after._tag === "Retry" ? Duration.toSeconds(after.pause) : null

const minute = 60
const hour = 3600

describe("an attempt to deliver", () => {
  it.each([200, 204])("with status %i delivers the event", (status) => {
    expect(afterAttempt(failed(status), 10, 0)).toEqual(AfterAttempt.Delivered())
  })

  it.each([1, 10])("with status 410 disables the webhook (attempt %i)", (number) => {
    expect(afterAttempt(failed(410), number, 0)).toEqual(AfterAttempt.Gone())
  })

  it.each([
    // failed attempt, shortest pause, longest pause
    [1, 5, 6],
    [2, 5 * minute, 6 * minute],
    [3, 30 * minute, 36 * minute],
    [4, 2 * hour, 2.4 * hour],
    [5, 5 * hour, 6 * hour],
    [6, 10 * hour, 12 * hour],
    [7, 14 * hour, 16.8 * hour],
    [8, 20 * hour, 24 * hour],
    [9, 24 * hour, 28.8 * hour]
  ])("number %i that fails is followed by the next attempt after %d to %d s", (number, shortest_s, longest_s) => {
    for (const attempt of [failed(null), failed(301), failed(404), failed(500)]) {
      expect(pauseOf(afterAttempt(attempt, number, 0))).toBe(shortest_s)
      expect(pauseOf(afterAttempt(attempt, number, 0.5))).toBeCloseTo((shortest_s + longest_s) / 2, 6)
      expect(pauseOf(afterAttempt(attempt, number, 0.999_999_999))).toBeCloseTo(longest_s, 3)
    }
  })

  it("number 10 that fails is the last attempt, and the delivery has failed", () => {
    expect(afterAttempt(failed(500), 10, 0)).toEqual(AfterAttempt.Exhausted())
    expect(afterAttempt(failed(429, 60), 10, 0)).toEqual(AfterAttempt.Exhausted())
  })

  it.each([
    // failed attempt, Retry-After (s), pause (s)
    [1, 0, 5],
    [1, 3, 5],
    [1, 7, 7],
    [1, 10, 10],
    [1, 3600, 10],
    [2, 400, 400],
    [2, 86_400, 600],
    [9, 999_999_999, 48 * hour]
  ])(
    "number %i that fails with Retry-After %i is followed by the next attempt after %i s",
    (number, retryAfter_s, pause_s) => {
      expect(pauseOf(afterAttempt(failed(429, retryAfter_s), number, 0))).toBe(pause_s)
    }
  )
})

describe("a delivery", () => {
  const at = DateTime.makeUnsafe("2026-03-10T12:00:00.000Z")
  it.each([
    [AfterAttempt.Delivered(), "entregada", "2026-03-10T12:00:00.000Z"],
    [AfterAttempt.Retry({ pause: Duration.minutes(5) }), "pendiente", "2026-03-10T12:05:00.000Z"],
    [AfterAttempt.Exhausted(), "fallida", "2026-03-10T12:00:00.000Z"],
    [AfterAttempt.Gone(), "fallida", "2026-03-10T12:00:00.000Z"]
  ])("has, after an attempt with the result %o, the state %s", (after, state, dueAt) => {
    expect(deliveryAfter(after, at)).toEqual({ state, dueAt: DateTime.makeUnsafe(dueAt) })
  })
})

describe("a webhook", () => {
  const now = DateTime.makeUnsafe("2026-03-10T12:00:00.000Z")
  it.each([
    [null, false],
    ["2026-03-10T11:00:00.000Z", false],
    ["2026-03-05T12:00:00.001Z", false],
    ["2026-03-05T12:00:00.000Z", true],
    ["2026-01-01T00:00:00.000Z", true],
    ["2026-03-11T00:00:00.000Z", false]
  ])("with only failed deliveries since %s is to be disabled: %s", (since, overdue) => {
    expect(isOverdue(since === null ? null : DateTime.makeUnsafe(since), now)).toBe(overdue)
  })
})
