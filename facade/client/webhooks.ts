import type { Wire } from "./Wire.ts"

/** An event that a webhook delivers. `type` determines the type of `data`. */
export type SaldoEvent = Wire["event"]

/** The headers of a request, as the Fetch API or as Node has them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** Maximum difference between the time of the delivery and the current time. Five minutes by default. */
  readonly tolerance_s?: number | undefined
}

/** A delivery that is not from Saldo, or that is too old. Answer it with 400. */
export class SaldoWebhookError extends Error {
  override readonly name = "SaldoWebhookError"
  /** The part of the delivery that is wrong, or `secret` if the secret is malformed. */
  readonly reason: "body" | "headers" | "secret" | "signature" | "timestamp"

  constructor(reason: SaldoWebhookError["reason"], message: string) {
    super(message)
    this.reason = reason
  }
}

const headerOf = (headers: WebhookHeaders, name: string): string => {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]
  if (typeof value !== "string") throw new SaldoWebhookError("headers", `The header ${name} must appear once.`)
  return value
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const keyOf = async (secret: string | undefined): Promise<CryptoKey> => {
  const bytes = fromBase64(secret?.replace(/^whsec_/, "") ?? "")
  if (bytes === undefined || bytes.length === 0) {
    throw new SaldoWebhookError("secret", "The secret must be whsec_ and Base64.")
  }
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])
}

const textOf = (body: string | ArrayBuffer | Uint8Array): string => {
  if (typeof body === "string") return body
  try {
    return new TextDecoder().decode(body)
  } catch {
    throw new SaldoWebhookError("body", "The body must be the text or the bytes that arrived, not the parsed JSON.")
  }
}

const tolerance_default_s = 300

const checkTime = (timestamp: string, tolerance_s: number): void => {
  const isTime = /^\d{1,15}$/.test(timestamp)
  if (!isTime || Math.abs(Date.now() / 1_000 - Number(timestamp)) > tolerance_s) {
    throw new SaldoWebhookError(
      "timestamp",
      `The time of the delivery differs from the current time by more than ${tolerance_s} seconds.`
    )
  }
}

const eventIn = (text: string, id: string): SaldoEvent => {
  try {
    const event = JSON.parse(text) as SaldoEvent
    if (event.id === id) return event
  } catch {}
  throw new SaldoWebhookError("body", "The body is not the event that webhook-id names.")
}

/**
 * Verifies the signature of a delivery and returns its event. The body must be unchanged, as it was received. Rejects
 * with SaldoWebhookError. Contract: 6.3.
 */
export const verificarWebhook = async (
  body: string | ArrayBuffer | Uint8Array,
  headers: WebhookHeaders,
  secreto: string | undefined,
  { tolerance_s = tolerance_default_s }: VerifyOptions = {}
): Promise<SaldoEvent> => {
  const id = headerOf(headers, "webhook-id")
  const timestamp = headerOf(headers, "webhook-timestamp")
  const signatures = headerOf(headers, "webhook-signature").split(" ")
  const key = await keyOf(secreto)
  const text = textOf(body)
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`)
  // During a rotation there are two signatures, and only one of them is made with this secret.
  const matches = await Promise.all(
    signatures.map(async (each) => {
      const signature = each.startsWith("v1,") ? fromBase64(each.slice("v1,".length)) : undefined
      return signature !== undefined && (await crypto.subtle.verify("HMAC", key, signature, signed))
    })
  )
  if (!matches.includes(true)) throw new SaldoWebhookError("signature", "No signature matches the secret.")
  checkTime(timestamp, tolerance_s)
  return eventIn(text, id)
}
