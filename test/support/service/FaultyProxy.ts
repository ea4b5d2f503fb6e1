import { Buffer } from "node:buffer"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { Effect } from "effect"
import { serveLocally } from "../../fakes/LocalServer.ts"
import { ServiceAddress } from "../InProcessService.ts"

/** The ways in which the proxy mishandles a request. */
export const faults = [
  /** Drops the connection. The service never sees the request. */
  "lost request",
  /** Passes the request on, and drops the connection instead of answering. */
  "lost response",
  /** Passes the request on, and drops the connection in the middle of the response. */
  "cut response",
  /** Passes the request on, and answers 502. */
  "bad gateway",
  /** Answers 503 with an HTML page, without passing the request on. */
  "unavailable",
  /** Answers 429 with Retry-After, without passing the request on. */
  "rate limited",
  /** Answers 409 IDEMPOTENT_REQUEST_IN_PROGRESS, without passing the request on. */
  "in progress"
] as const

/** With `silence`, the proxy passes the request on and never answers. */
export type Fault = (typeof faults)[number] | "silence"

const page = { "content-type": "text/html" }
const json = { "content-type": "application/json" }

const failure = (code: string, details: object) =>
  JSON.stringify({ success: false, error: { code, message: "…", details }, request_id: "r" })

/** How the proxy treats a request that it does not pass on, by fault. */
const answers: { readonly [F in Fault]?: (response: ServerResponse) => void } = {
  "lost request": (response) => void response.destroy(),
  unavailable: (response) => void response.writeHead(503, page).end("<h1>503</h1>"),
  "rate limited": (response) =>
    void response
      .writeHead(429, { ...json, "retry-after": "1" })
      .end(failure("RATE_LIMIT_EXCEEDED", { retry_after: 1 })),
  "in progress": (response) =>
    void response.writeHead(409, json).end(failure("IDEMPOTENT_REQUEST_IN_PROGRESS", { transaction_id: 1 }))
}

/** Headers about one connection or the encoding of a body on this connection. The proxy does not pass them on. */
const ownRequestHeaders = ["host", "connection", "content-length", "transfer-encoding", "accept-encoding"]
const ownResponseHeaders = ["connection", "keep-alive", "transfer-encoding", "content-encoding"]

const without = (
  names: ReadonlyArray<string>,
  headers: ReadonlyArray<readonly [string, string | ReadonlyArray<string> | undefined]>
): Record<string, string> =>
  Object.fromEntries(headers.filter(([name]) => !names.includes(name)).map(([name, value]) => [name, String(value)]))

/** A proxy in front of the service that injects faults, one for each request until the list is empty. */
export const faultyProxy = Effect.gen(function* () {
  const service = yield* ServiceAddress
  const planned: Array<Fault | undefined> = []
  const seen: Array<{ readonly path: string; readonly body: string }> = []

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = "GET", url = "" } = request
    const body = await text(request)
    seen.push({ path: url, body })
    const fault = planned.shift()
    const answer = fault && answers[fault]
    if (answer !== undefined) return answer(response)
    const passed = await fetch(service.url + url, {
      method,
      headers: without(ownRequestHeaders, Object.entries(request.headersDistinct)),
      ...(method !== "GET" && { body })
    })
    const bytes = Buffer.from(await passed.arrayBuffer())
    if (fault === "silence") return
    if (fault === "lost response") return void response.destroy()
    if (fault === "bad gateway") return void response.writeHead(502, page).end("<h1>502</h1>")
    response.writeHead(passed.status, without(ownResponseHeaders, [...passed.headers]))
    if (fault !== "cut response") return void response.end(bytes)
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  const url = yield* serveLocally(server)
  return {
    url,
    /** The requests that arrived. */
    seen,
    /** Plans the faults of the next requests. A request without a fault is passed on. */
    plan: (...next: ReadonlyArray<Fault | undefined>) => void planned.splice(0, planned.length, ...next)
  }
})
