import { randomUUID } from "node:crypto"
import { connect } from "node:net"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type ApiResponse, documentFaults } from "../ApiDocument.ts"
import { authorizationOf } from "../CompaniesAndTokens.ts"
import { ServiceAddress } from "../InProcessService.ts"
import { secret } from "./InMemoryService.ts"

/** Parses CSV text into rows of cells, as RFC 4180 defines. */
export const parseCsv = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lines: Array<Array<string>> = []
  let cells: Array<string> = []
  for (const [, quoted, plain = "", end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    cells.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === ",") continue
    lines.push(cells)
    cells = []
  }
  return lines
}

/** Text of a CSV cell, without the quote that stops a spreadsheet from reading the text as a formula. */
export const csvText = (cell = ""): string | null => (cell === "" ? null : cell.replace(/^'(?=[=+\-@'])/, ""))

let addresses = 0

/** A new client address for one call. Public calls are limited for each address, so each call gets its own address. */
const freshAddress = () => {
  addresses += 1
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}

export interface Sent extends RequestInit {
  readonly headers?: Record<string, string>
}

const answered = (status: number, headers: Headers, text: string): ApiResponse => {
  const isJson = headers.get("content-type")?.startsWith("application/json") ?? false
  return { status, headers, text, body: isJson && text !== "" ? JSON.parse(text) : undefined }
}

const documented = (method: string, path: string, answer: ApiResponse): ApiResponse => {
  assert.deepStrictEqual(documentFaults({ method, path }, answer), [], `${method} ${path} -> ${answer.status}`)
  return answer
}

/** Calls the service and checks the response against the OpenAPI document. */
export const call = Effect.fnUntraced(function* (path: string, sent: Sent = {}) {
  const { url } = yield* ServiceAddress
  return yield* Effect.promise(async () => {
    const headers = { "x-forwarded-for": freshAddress(), ...sent.headers }
    const response = await fetch(url + path, { ...sent, headers, redirect: "manual" })
    const answer = answered(response.status, response.headers, await response.text())
    return documented(sent.method ?? "GET", new URL(url + path).pathname, answer)
  })
})

/** The headers of a call with a token. The default secret is the secret of all tokens in tests. */
export const as = (apiKey: string, given = secret) => ({ authorization: authorizationOf(apiKey, given) })

export const get = (path: string, headers: Record<string, string> = {}) =>
  call(path, { headers: { ...as("todo"), ...headers } })

/** Posts a body as JSON. Strings and bytes are sent unchanged. */
export const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  call(path, {
    method: "POST",
    headers: { ...as("todo"), "content-type": "application/json", ...headers },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body)
  })

/** Posts a sale. Adds a new idempotency key unless the headers contain a key. */
export const sell = (body: unknown, headers: Record<string, string> = {}, path = "/v1/recargas") =>
  post(path, body, { "idempotency-key": randomUUID(), ...headers })

export const consult = (service_id: number, identifier: string, headers: Record<string, string> = {}) =>
  post("/v1/consultas", { service_id, identifier }, headers)

/**
 * The first response in the text that a connection received. Skips `100 Continue` and keeps the header lines unchanged.
 */
const parsed = (said: string): ApiResponse => {
  const [head = "", ...rest] = said.replace(/^HTTP\/1\.1 100 .*\r\n\r\n/, "").split("\r\n\r\n")
  const [status = "", ...lines] = head.split("\r\n")
  const headers = new Headers(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]))
  const bytes = Buffer.from(rest.join("\r\n\r\n"))
  return answered(
    Number(status.slice(9, 12)),
    headers,
    bytes.subarray(0, Number(headers.get("content-length"))).toString()
  )
}

// The request target may be a full URL.
const pathOf = (target: string): string => target.replace(/^https?:\/\/[^/]*/, "").replace(/\?.*$/, "")

/**
 * Sends bytes unchanged and reads until the server closes the connection. Returns the received text as `said`, together
 * with the first response in it. With `hangUp`, the client closes its side of the connection after the request.
 */
export const raw = Effect.fnUntraced(function* (request: string, { hangUp = false } = {}) {
  const { port } = yield* ServiceAddress
  const said = yield* Effect.callback<string>((resume) => {
    let answer = ""
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => {
      socket.write(request, "latin1")
      if (hangUp) socket.end()
    })
    socket.setEncoding("utf8")
    socket.on("data", (chunk) => {
      answer += chunk
    })
    socket.on("end", () => socket.end())
    socket.on("error", () => resume(Effect.succeed(answer)))
    socket.on("close", () => resume(Effect.succeed(answer)))
  })
  const [method = "", target = ""] = request.split(" ", 2)
  return { ...documented(method, pathOf(target), parsed(said)), said }
})

/** The money of the company in pesos: available, held, and the amounts consumed today, this week and this month. */
export const moneyOf = (auth: Record<string, string>) =>
  Effect.map(get("/v1/saldo", auth), ({ body: { data } }) => {
    const available: number = data.saldo_disponible
    const held: number = data.saldo_retenido
    assert.strictEqual(data.saldo_actual, Math.round((available + held) * 100) / 100)
    const { diario, mensual, semanal } = data.consumo_periodo
    return { available, held, consumed: [diario, semanal, mensual] }
  })

/** The bytes of a response body. */
export const getBytes = Effect.fnUntraced(function* (path: string, headers: Record<string, string>) {
  const { url } = yield* ServiceAddress
  return yield* Effect.promise(async () => Buffer.from(await (await fetch(url + path, { headers })).arrayBuffer()))
})
