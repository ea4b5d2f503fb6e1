import { randomUUID } from "node:crypto"
import { connect } from "node:net"
import { Effect } from "effect"
import { Running, secret } from "./Service.ts"

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look wherever they like
  readonly body: any
}

let addresses = 0

/** Public calls count by address; each of these comes from one of its own. */
const freshAddress = () => {
  addresses += 1
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}

export interface Sent extends RequestInit {
  readonly headers?: Record<string, string>
}

export const call = Effect.fnUntraced(function* (path: string, sent: Sent = {}) {
  const { url } = yield* Running
  return yield* Effect.promise(async (): Promise<Answered> => {
    const headers = { "x-forwarded-for": freshAddress(), ...sent.headers }
    const response = await fetch(url + path, { ...sent, headers, redirect: "manual" })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text === "" ? undefined : JSON.parse(text)
    }
  })
})

export const as = (apiKey: string) => ({ authorization: `Bearer ${apiKey}.${secret}` })

export const get = (path: string, headers: Record<string, string> = {}) =>
  call(path, { headers: { ...as("todo"), ...headers } })

/** Posts a sale, of a fresh key unless the headers say otherwise; a string is sent as it stands. */
export const sell = (body: unknown, headers: Record<string, string> = {}) =>
  call("/v1/recargas", {
    method: "POST",
    headers: { ...as("todo"), "content-type": "application/json", "idempotency-key": randomUUID(), ...headers },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body)
  })

/** Sends bytes as they stand, and reads until the server hangs up. */
export const raw = Effect.fnUntraced(function* (request: string) {
  const { port } = yield* Running
  return yield* Effect.callback<string>((resume) => {
    let answer = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(request, "latin1"))
    socket.setEncoding("utf8")
    socket.on("data", (chunk) => {
      answer += chunk
    })
    socket.on("error", () => resume(Effect.succeed(answer)))
    socket.on("close", () => resume(Effect.succeed(answer)))
  })
})
