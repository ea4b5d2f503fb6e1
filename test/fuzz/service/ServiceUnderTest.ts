import { Buffer } from "node:buffer"
import { connect } from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import * as Http from "../../../facade/http/Http.ts"
import * as Listener from "../../../facade/http/Listener.ts"
import { portsLayer } from "../../../facade/ServerLayer.ts"
import type { ApiResponse } from "../../support/ApiDocument.ts"
import { ManualClock, ServiceAddress } from "../../support/InProcessService.ts"
import { type HttpRequest, onTheWire } from "../request/HttpRequest.ts"

/** Timeout of a request. */
const timeout_ms = 60_000

/** Sends bytes and returns all bytes of the response; returns no bytes if the connection fails. */
const sendBytes = (port: number, request: string) =>
  Effect.callback<Buffer>((resume) => {
    const said: Array<Buffer> = []
    const done = () => resume(Effect.succeed(Buffer.concat(said)))
    const socket = connect({ port, host: "127.0.0.1" }, () => socket.write(request, "latin1"))
    socket.setTimeout(timeout_ms, () => socket.destroy())
    socket.on("data", (chunk: Buffer) => said.push(chunk))
    // A server that rejects a body before it has read the whole body may reset the connection after its response.
    socket.on("error", done)
    socket.on("close", done)
    return Effect.sync(() => socket.destroy())
  })

const unchunked = (body: Buffer): Buffer => {
  const parts: Array<Buffer> = []
  let at = 0
  while (at < body.length) {
    const end = body.indexOf("\r\n", at)
    const size = Number.parseInt(body.toString("latin1", at, end), 16)
    if (!(size > 0)) break
    parts.push(body.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
  return Buffer.concat(parts)
}

const bodyOf = (headers: Headers, rest: Buffer): Buffer => {
  if (headers.get("transfer-encoding") === "chunked") return unchunked(rest)
  const length = headers.get("content-length")
  return length === null ? rest : rest.subarray(0, Number(length))
}

const parseJson = (headers: Headers, text: string): unknown =>
  text !== "" && headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : undefined

/** An interim response, such as 100 Continue, which precedes the final response. */
const interim = /^HTTP\/1\.1 1\d\d /

const parseAnswer = (said: Buffer): ApiResponse => {
  const end = said.indexOf("\r\n\r\n")
  if (interim.test(said.toString("latin1", 0, 16))) return parseAnswer(said.subarray(end + 4))
  const [status = "", ...lines] = said.toString("latin1", 0, end).split("\r\n")
  const headers = new Headers(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]))
  const text = bodyOf(headers, said.subarray(end + 4)).toString("utf8")
  return { status: Number(status.slice(9, 12)), headers, text, body: parseJson(headers, text) }
}

/** Sends a request. Returns null when there is no response. */
export type Send = (request: HttpRequest) => Effect.Effect<ApiResponse | null>

/** Whether the service may wait for an event before it responds. */
const mayWait = (wire: string): boolean => wire.includes("esperar")

/** Lets one second pass every 10 ms, because the clock otherwise stands still while a request runs. */
const timePasses = (pass: ManualClock["Service"]["pass"]) =>
  Effect.callback<never>(() => {
    const timer = setInterval(() => Effect.runSync(pass("1 second")), 10)
    return Effect.sync(() => clearInterval(timer))
  })

const sender =
  (port: number, pass: ManualClock["Service"]["pass"]): Send =>
  (request) => {
    const wire = onTheWire(request)
    const sent = sendBytes(port, wire)
    return Effect.map(mayWait(wire) ? Effect.raceFirst(sent, timePasses(pass)) : sent, (said) =>
      said.length === 0 ? null : parseAnswer(said)
    )
  }

/** Raw HTTP connection to the service under test. */
export class HttpClient extends Context.Service<HttpClient, { readonly port: number; readonly send: Send }>()(
  "saldo/fuzz/HttpClient"
) {
  static readonly layer = Layer.effect(
    HttpClient,
    Effect.gen(function* () {
      const { port } = yield* ServiceAddress
      const { pass } = yield* ManualClock
      return { port, send: sender(port, pass) }
    })
  )
}

/** Rate limit of an IP address per minute. Each other request comes from its own address. */
export const addressCalls_max = 60

const serviceEnvironment = {
  PORT: "0",
  PG_POOL_MAX: "8",
  LOG_LEVEL: "none",
  TRUST_PROXY: "on",
  RATE_LIMIT_PER_MINUTE: "1000000",
  RATE_LIMIT_ADDRESS_PER_MINUTE: String(addressCalls_max)
}

/**
 * The service as `serve` starts it, with its own database. Time passes and recovery runs only when the fuzzer commands
 * it, so that the effects of each request are known.
 */
export const serviceOn = (databaseUrl: string) =>
  Layer.merge(HttpClient.layer.pipe(Layer.provide(ServiceAddress.layer)), Http.layer).pipe(
    Layer.provide(Listener.layer),
    Layer.provide(NodeHttpServer.layerHttpServices),
    Layer.provideMerge(Layer.merge(AuditPostgres.layer.pipe(Layer.provide(portsLayer)), portsLayer)),
    Layer.provide(
      Layer.succeed(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromUnknown({ ...serviceEnvironment, DATABASE_URL: databaseUrl })
      )
    ),
    Layer.provideMerge(ManualClock.layer)
  )
