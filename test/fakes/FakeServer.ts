import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { Effect } from "effect"

/** Counts what has come to a fake, so that a test can wait for it instead of sleeping. */
export class RequestCounter {
  #count = 0
  readonly #listeners = new Set<() => void>()

  arrive(): void {
    this.#count++
    for (const listener of this.#listeners) listener()
  }

  /** Waits until so many requests have come. */
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
 * How a server behaves badly towards one request. Where it is not said that it does nothing, it does as it is asked.
 */
export const misbehaviours = [
  // It breaks the connection, and does nothing.
  "cut before",
  // It breaks the connection instead of answering.
  "cut after",
  // It breaks the connection in the middle of its answer.
  "cut midway",
  // It keeps the connection open for ever, and does nothing.
  "silent before",
  // It keeps the connection open for ever instead of answering.
  "silent after",
  // It answers 500, and does nothing.
  "broken before",
  // It answers 500.
  "broken after",
  // It answers something that nobody can read.
  "garbage",
  // It answers a byte a second.
  "trickle",
  // It answers with the facts of something else.
  "contradiction",
  // It answers that it has done this before, as when the request came to it twice.
  "duplicate",
  // It takes ten minutes to do it, and meanwhile answers that it has not.
  "late",
  // It answers that it knows nothing of it, and does nothing.
  "not found"
] as const

export type Misbehaviour = (typeof misbehaviours)[number]

/** What a fake is to do with the next requests about something, in their order; `null` is to behave well. */
export class Misbehaviours {
  readonly #planned = new Map<string, ReadonlyArray<Misbehaviour | null>>()
  #otherwise: (about: string) => Misbehaviour | null = () => null

  /** @param about the xid, or for a lookup the identifier, that the requests carry. */
  plan(about: string, ...next: ReadonlyArray<Misbehaviour | null>): void {
    this.#planned.set(about, [...(this.#planned.get(about) ?? []), ...next])
  }

  /** Whatever is left of a plan is dropped. */
  forget(about: string): void {
    this.#planned.delete(about)
  }

  /** From now on this is asked where nothing is planned, or nothing is left of it; until then the fake behaves well. */
  otherwise(choose: (about: string) => Misbehaviour | null): void {
    this.#otherwise = choose
  }

  /** What to do with this request. */
  next(about: string): Misbehaviour | null {
    const [next, ...rest] = this.#planned.get(about) ?? []
    this.#planned.set(about, rest)
    return next === undefined ? this.#otherwise(about) : next
  }
}

/** A request as a fake sees it. */
export interface FakeRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage["headers"]
  /** The body as it came; empty if there is none. */
  readonly text: string
  /** The JSON of the body; undefined if there is none, or none that can be read. */
  readonly body: unknown
}

/** What a fake answers. */
export interface FakeReply {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** How a fake treats a request: the misbehaviour, and what it answers if it comes to that. */
export interface Treatment {
  readonly misbehaviour: Misbehaviour | null
  readonly reply: () => FakeReply
}

/** A server on a free port of this machine, which treats each request as `treat` says; it is gone with the scope. */
export const fakeServer = (treat: (asked: FakeRequest) => Treatment) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(async (request, response) => {
        const asked = await readRequest(request)
        const { misbehaviour, reply } = treat(asked)
        sendReply(response, misbehaviour, reply)
      })
      await once(server.listen(0, "127.0.0.1"), "listening")
      const { port } = server.address() as AddressInfo
      return { server, url: `http://127.0.0.1:${port}` }
    }),
    ({ server }) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        await new Promise((closed) => server.close(closed))
      })
  ).pipe(Effect.map(({ url }) => url))

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

/** What a provider did with its side of a sale, whatever it told anybody about it. */
interface Delivered {
  /** How often it delivered, or undertook to deliver. */
  readonly times: number
  /** What it took for all of that and kept, in centavos. */
  readonly charged: number
}

const notDelivered: Delivered = { times: 0, charged: 0 }

/**
 * What a fake provider really did, by xid. A fake writes it down at the moment when it can no longer be stopped from
 * delivering; a test compares it with the ledger.
 */
export class DeliveryRecord {
  readonly #done = new Map<string, Delivered>()

  deliver(xid: string, amount: number): void {
    const { charged, times } = this.of(xid)
    this.#done.set(xid, { times: times + 1, charged: charged + amount })
  }

  /** What was delivered is taken back, and its money returned. */
  takeBack(xid: string): void {
    this.#done.set(xid, notDelivered)
  }

  of(xid: string): Delivered {
    return this.#done.get(xid) ?? notDelivered
  }

  isDelivered(xid: string): boolean {
    return this.of(xid).times > 0
  }

  /** All that was delivered. */
  get delivered(): ReadonlyArray<string> {
    return [...this.#done.keys()].filter((xid) => this.isDelivered(xid))
  }

  /** All that was delivered more than once. */
  get doubled(): ReadonlyArray<string> {
    return this.delivered.filter((xid) => this.of(xid).times > 1)
  }
}
