import { assert, describe, it } from "@effect/vitest"
import { Webhook } from "standardwebhooks"
import { afterEach, beforeEach, vi } from "vitest"
import { type SaldoWebhookError, type VerifyOptions, verificarWebhook } from "../../facade/client/webhooks.ts"

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
const otherSecret = `whsec_${Buffer.alloc(32, 8).toString("base64")}`
const id = "evt_3_17"
const body = JSON.stringify({ id, type: "webhook.test", secuencia: 17, empresa_id: 3, data: { webhook_id: 1 }, ñ: "é" })

/** The time of every verification. */
const now = new Date("2026-03-11T10:00:00-04:00")

/** The headers of a delivery, signed by an independent library. */
const signed = ({ by = [secret], age_s = 0, payload = body, webhookId = id } = {}) => {
  const at = new Date(now.getTime() - age_s * 1_000)
  return {
    "webhook-id": webhookId,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": by.map((each) => new Webhook(each).sign(webhookId, at, payload)).join(" ")
  }
}

const reasonOf = (...given: Parameters<typeof verificarWebhook>): Promise<unknown> =>
  verificarWebhook(...given).then(
    () => "accepted",
    (error: SaldoWebhookError) => `${error.name} ${error.reason}`
  )

describe("verificarWebhook", () => {
  beforeEach(() => void vi.useFakeTimers({ now, toFake: ["Date"] }))
  afterEach(() => void vi.useRealTimers())

  it.each([
    ["a text", body, signed()],
    ["bytes", Buffer.from(body), signed()],
    ["an ArrayBuffer", new TextEncoder().encode(body).buffer, signed()],
    ["Headers", body, new Headers(signed())],
    ["headers in upper case", body, Object.fromEntries(Object.entries(signed()).map(([n, v]) => [n.toUpperCase(), v]))],
    ["two signatures of a rotation", body, signed({ by: [otherSecret, secret] })],
    ["a delivery of four minutes ago", body, signed({ age_s: 240 })]
  ] as const)("returns the event of %s", async (_, sent, headers) => {
    assert.deepStrictEqual(await verificarWebhook(sent, headers, secret), JSON.parse(body))
  })

  it("accepts an older delivery if the caller sets a larger tolerance", async () => {
    const options: VerifyOptions = { tolerance_s: 3_600 }
    assert.strictEqual((await verificarWebhook(body, signed({ age_s: 3_000 }), secret, options)).id, id)
  })

  const unsigned = { ...signed(), "webhook-signature": "" }

  it.each([
    ["a changed body", `${body} `, signed(), secret, "signature"],
    ["another secret", body, signed(), otherSecret, "signature"],
    ["another id", body, { ...signed(), "webhook-id": "evt_3_18" }, secret, "signature"],
    ["an empty signature", body, unsigned, secret, "signature"],
    ["a signature of another version", body, { ...unsigned, "webhook-signature": "v2,AAAA" }, secret, "signature"],
    ["a signature that is not Base64", body, { ...unsigned, "webhook-signature": "v1,%%%" }, secret, "signature"],
    ["a delivery of six minutes ago", body, signed({ age_s: 360 }), secret, "timestamp"],
    ["a delivery from the future", body, signed({ age_s: -360 }), secret, "timestamp"],
    ["no headers", body, {}, secret, "headers"],
    ["two ids", body, { ...signed(), "webhook-id": [id, id] }, secret, "headers"],
    ["a body that is not JSON", "{", signed({ payload: "{" }), secret, "body"],
    ["an event of another id", body, signed({ webhookId: "evt_3_18" }), secret, "body"],
    ["a body that was parsed", JSON.parse(body), signed(), secret, "body"],
    ["a missing secret", body, signed(), undefined, "secret"],
    ["an empty secret", body, signed(), "whsec_", "secret"],
    ["a secret that is not Base64", body, signed(), "whsec_%", "secret"]
  ] as const)("rejects %s", async (_, sent, headers, key, reason) => {
    assert.strictEqual(await reasonOf(sent, headers, key), `SaldoWebhookError ${reason}`)
  })
})
