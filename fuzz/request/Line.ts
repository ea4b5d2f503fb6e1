import { Buffer } from "node:buffer"
import { connect } from "node:net"
import { Context, Effect, Layer } from "effect"
import type { Answered } from "../../tools/api/Answered.ts"
import { Running } from "../../tools/world/Running.ts"
import { type HttpRequest, onTheWire } from "./HttpRequest.ts"

/** How long a request may take before it counts as unanswered. */
const patience_ms = 60_000

/** What a connection said, whole; empty where nobody answered. */
const exchange = (port: number, request: string) =>
  Effect.callback<Buffer>((resume) => {
    const said: Array<Buffer> = []
    const done = () => resume(Effect.succeed(Buffer.concat(said)))
    const socket = connect({ port, host: "127.0.0.1" }, () => socket.write(request, "latin1"))
    socket.setTimeout(patience_ms, () => socket.destroy())
    socket.on("data", (chunk: Buffer) => said.push(chunk))
    // Whoever refuses a body before it has read all of it may reset the connection after its answer.
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

const json = (headers: Headers, text: string): unknown =>
  text !== "" && headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : undefined

/** What is said first to those who wait with their body is no answer yet. */
const interim = /^HTTP\/1\.1 1\d\d /

const answerIn = (said: Buffer): Answered => {
  const end = said.indexOf("\r\n\r\n")
  if (interim.test(said.toString("latin1", 0, 16))) return answerIn(said.subarray(end + 4))
  const [status = "", ...lines] = said.toString("latin1", 0, end).split("\r\n")
  const headers = new Headers(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]))
  const text = bodyOf(headers, said.subarray(end + 4)).toString("utf8")
  return { status: Number(status.slice(9, 12)), headers, text, body: json(headers, text) }
}

/** Sends a request; answers null where there was no answer. */
export type Send = (request: HttpRequest) => Effect.Effect<Answered | null>

const sender =
  (port: number): Send =>
  (request) =>
    Effect.map(exchange(port, onTheWire(request)), (said) => (said.length === 0 ? null : answerIn(said)))

/** The way to the service. */
export class Line extends Context.Service<Line, { readonly port: number; readonly send: Send }>()("saldo/fuzz/Line") {
  static readonly layer = Layer.effect(
    Line,
    Running.useSync(({ port }) => ({ port, send: sender(port) }))
  )
}
