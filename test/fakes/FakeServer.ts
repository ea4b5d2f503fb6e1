import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { Effect } from "effect"
import { serveLocally } from "./LocalServer.ts"

/** Counts the requests to a fake, so that a test can wait for them instead of sleeping. */
export class RequestCounter {
  #count = 0
  readonly #listeners = new Set<() => void>()

  get count(): number {
    return this.#count
  }

  arrive(): void {
    this.#count++
    for (const listener of this.#listeners) listener()
  }

  /** Waits until this many requests have arrived. */
  reach(count: number): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const look = () => {
        if (this.#count < count) return
        this.#listeners.delete(look)
        resume(Effect.void)
      }
      this.#listeners.add(look)
      look()
    })
  }
}

/**
 * Ways in which a server mishandles a request. The server executes the request unless the comment says that it does
 * not.
 */
export const misbehaviours = [
  // Breaks the connection without executing the request.
  "cut before",
  // Executes the request, then breaks the connection instead of responding.
  "cut after",
  // Breaks the connection in the middle of the response.
  "cut midway",
  // Keeps the connection open permanently, without executing the request.
  "silent before",
  // Executes the request, then keeps the connection open without responding.
  "silent after",
  // Responds 500 without executing the request.
  "broken before",
  // Executes the request and responds 500.
  "broken after",
  // Responds with a body that cannot be parsed.
  "garbage",
  // Responds with one byte a second.
  "trickle",
  // Responds with the facts of a different operation.
  "contradiction",
  // Responds as if the request had arrived twice: says that the operation was already executed.
  "duplicate",
  // Executes the request after ten minutes and reports it as pending until then.
  "late",
  // Responds that the operation is unknown, without executing the request.
  "not found"
] as const

export type Misbehaviour = (typeof misbehaviours)[number]

/**
 * Planned misbehaviour for the next requests about each subject, in order. `null` means that the server behaves
 * correctly.
 */
export class Misbehaviours {
  readonly #planned = new Map<string, ReadonlyArray<Misbehaviour | null>>()
  #otherwise: (about: string) => Misbehaviour | null = () => null

  /**
   * Plans the misbehaviour for the next requests about a subject.
   *
   * @param about the xid of the requests or, for a lookup, the identifier.
   */
  plan(about: string, ...next: ReadonlyArray<Misbehaviour | null>): void {
    this.#planned.set(about, [...(this.#planned.get(about) ?? []), ...next])
  }

  /** Drops the remaining plan for a subject. */
  forget(about: string): void {
    this.#planned.delete(about)
  }

  /** Sets the behaviour for requests without a plan. If it is not set, the fake handles these requests correctly. */
  otherwise(choose: (about: string) => Misbehaviour | null): void {
    this.#otherwise = choose
  }

  /** Removes the planned behaviour for the next request from the plan, and returns it. */
  next(about: string): Misbehaviour | null {
    const [next, ...rest] = this.#planned.get(about) ?? []
    this.#planned.set(about, rest)
    return next === undefined ? this.#otherwise(about) : next
  }
}

/** A request as received by a fake. */
export interface FakeRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage["headers"]
  /** The raw body; empty if the request has no body. */
  readonly text: string
  /** The parsed JSON body; undefined if the body is not valid JSON. */
  readonly body: unknown
}

/** A response of a fake. */
export interface FakeReply {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** How the fake treats a request: its misbehaviour, and the response, if the misbehaviour lets a response through. */
export interface Treatment {
  readonly misbehaviour: Misbehaviour | null
  readonly reply: () => FakeReply
}

/** A server on a free local port that treats each request as `treat` decides. It stops with the scope. */
export const fakeServer = (treat: (asked: FakeRequest) => Treatment) =>
  Effect.suspend(() =>
    serveLocally(
      createServer(async (request, response) => {
        const asked = await readRequest(request)
        const { misbehaviour, reply } = treat(asked)
        sendReply(response, misbehaviour, reply)
      })
    )
  )

const readRequest = async (request: IncomingMessage): Promise<FakeRequest> => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://fake")
  const body = await text(request)
  return {
    method: request.method ?? "",
    path: pathname,
    query: searchParams,
    headers: request.headers,
    text: body,
    body: jsonOf(body)
  }
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const sendReply = (response: ServerResponse, misbehaviour: Misbehaviour | null, reply: () => FakeReply): void => {
  switch (misbehaviour) {
    case "cut before":
      return void response.destroy()
    case "silent before":
      return
    case "broken before":
      return void response.writeHead(500).end()
  }
  const { body, headers = {}, status } = reply()
  const bytes = Buffer.from(JSON.stringify(body))
  const head = { "content-type": "application/json", "content-length": String(bytes.length), ...headers }
  switch (misbehaviour) {
    case "cut after":
      return void response.destroy()
    case "cut midway":
      response.writeHead(status, head)
      return void response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
    case "silent after":
      return
    case "broken after":
      return void response.writeHead(500).end()
    case "garbage":
      return void response.writeHead(status, { "content-type": "text/html" }).end('<html>{{"status":')
    case "trickle":
      response.writeHead(status, head)
      trickle(response, bytes)
      return
    default:
      return void response.writeHead(status, head).end(bytes)
  }
}

const trickle = (response: ServerResponse, bytes: Buffer): void => {
  let sent = 0
  const timer = setInterval(() => {
    response.write(bytes.subarray(sent, ++sent))
    if (sent === bytes.length) response.end()
  }, 1000)
  response.on("close", () => clearInterval(timer))
}

/** The deliveries that a provider made for a sale, regardless of its responses. */
interface Delivered {
  /** Number of deliveries that were made or promised. */
  readonly times: number
  /** Total price that the provider kept for these deliveries, in centavos. */
  readonly charged: number
}

const notDelivered: Delivered = { times: 0, charged: 0 }

/**
 * The deliveries that a fake provider made, by xid. The fake records a delivery at the moment from which it cannot be
 * prevented any more. Tests compare this record with the ledger.
 */
export class DeliveryRecord {
  readonly #done = new Map<string, Delivered>()

  deliver(xid: string, amount: number): void {
    const { charged, times } = this.of(xid)
    this.#done.set(xid, { times: times + 1, charged: charged + amount })
  }

  /** Records that a delivery was reversed and its money returned. */
  takeBack(xid: string): void {
    this.#done.set(xid, notDelivered)
  }

  of(xid: string): Delivered {
    return this.#done.get(xid) ?? notDelivered
  }

  isDelivered(xid: string): boolean {
    return this.of(xid).times > 0
  }

  /** Xids that were delivered. */
  get delivered(): ReadonlyArray<string> {
    return [...this.#done.keys()].filter((xid) => this.isDelivered(xid))
  }

  /** Xids that were delivered more than once. */
  get doubled(): ReadonlyArray<string> {
    return this.delivered.filter((xid) => this.of(xid).times > 1)
  }
}
