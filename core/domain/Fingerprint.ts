import { sha256Hex } from "./Sha256.ts"

export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** JSON with sorted object keys. Two bodies with the same content give the same text. */
export const canonical = (value: Json): string => {
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  const object = value as { readonly [key: string]: Json }
  const members = Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(object[key] as Json)}`)
  return `{${members.join(",")}}`
}

/**
 * SHA-256 of the method, the path template and the parsed body. Identifies the request that an Idempotency-Key belongs
 * to. Amounts are parsed first, so 50, 50.00 and "50" are equal. Contract: 2.8.
 */
export const fingerprintOf = (endpoint: string, body: Json) => sha256Hex(`${endpoint}\n${canonical(body)}`)
