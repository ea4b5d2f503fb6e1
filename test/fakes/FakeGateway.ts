import { createHmac, timingSafeEqual } from "node:crypto"
import { readFileSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { Clock, Effect } from "effect"
import {
  type FakeReply,
  type FakeRequest,
  fakeServer,
  type Misbehaviour,
  Misbehaviours,
  RequestCounter,
  type Treatment
} from "./FakeServer.ts"
import { schemaFaultsBy } from "./SchemaFaults.ts"

/** Delay of an operation that the fake performs late. */
const late_ms = 10 * 60_000

interface AcceptedOperation<Decision> {
  readonly body: object
  readonly decision: Decision
  /** Time until which the operation is pending. */
  readonly due_ms: number
}

/** The id of an operation, and how the fake treats the current request about it. */
interface OperationRequest {
  readonly xid: string
  readonly misbehaviour: Misbehaviour | null
  readonly now_ms: number
}

const notFoundReply = (xid: string): FakeReply => ({ status: 404, body: { outcome: "not_found", xid } })

/**
 * Operations that a gateway has accepted, by xid, with their status. `answer` builds the response about an operation;
 * with the misbehaviour "contradiction", it builds a response with wrong facts.
 */
export class AcceptedOperations<Body extends { readonly xid: string }, Decision extends string> {
  readonly #operations = new Map<string, AcceptedOperation<Decision> & { readonly body: Body }>()
  readonly #answer: (body: Body, decision: Decision | "pending", contradicting: boolean) => object

  constructor(answer: (body: Body, decision: Decision | "pending", contradicting: boolean) => object) {
    this.#answer = answer
  }

  /**
   * Accepts an operation. If the same operation was accepted before, only returns its status.
   *
   * @param decide decides the outcome, once for each operation.
   */
  accept(body: Body, named: OperationRequest, decide: (body: Body) => Decision): FakeReply {
    const { misbehaviour, now_ms, xid } = named
    if (misbehaviour === "not found") return notFoundReply(xid)
    const known = this.#operations.get(xid)
    if (known !== undefined && !isDeepStrictEqual(known.body, body)) {
      return { status: 409, body: { outcome: "conflict", xid } }
    }
    if (known === undefined) {
      const due_ms = misbehaviour === "late" ? now_ms + late_ms : now_ms
      this.#operations.set(xid, { body, decision: decide(body), due_ms })
    }
    // Simulates a proxy that sends the request twice.
    if (misbehaviour === "duplicate") this.accept(body, { ...named, misbehaviour: null }, decide)
    return this.status(named)
  }

  status({ misbehaviour, now_ms, xid }: OperationRequest): FakeReply {
    const known = this.#operations.get(xid)
    if (known === undefined || misbehaviour === "not found") return notFoundReply(xid)
    const decision = now_ms < known.due_ms ? "pending" : known.decision
    return { status: 200, body: this.#answer(known.body, decision, misbehaviour === "contradiction") }
  }
}

/** Name of a protocol with an OpenAPI document in docs/providers. */
export type ProtocolName = "http" | "insurer" | "sms"

interface ProtocolOperation {
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, { readonly content?: unknown }>>
}

interface ProtocolDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ProtocolOperation>>>>
}

/** Reads the OpenAPI document of a protocol from docs/providers. */
export const protocolDocument = (name: ProtocolName): ProtocolDocument =>
  JSON.parse(readFileSync(new URL(`../../docs/providers/${name}.openapi.json`, import.meta.url), "utf8"))

const jsonSchemaPath = ["content", "application/json", "schema"]

/** Checks requests and responses against the OpenAPI document of a protocol. */
export const protocol = (name: ProtocolName) => {
  const document = protocolDocument(name)
  const faultsBy = schemaFaultsBy(document)

  const operationOf = ({ method, path }: FakeRequest) => {
    const verb = method.toLowerCase()
    const template = Object.keys(document.paths).find((known) =>
      new RegExp(`^${known.replace(/\{\w+\}/g, "[^/]+")}$`).test(path)
    )
    const operation = template === undefined ? undefined : document.paths[template]?.[verb]
    return template === undefined || operation === undefined ? null : { operation, place: ["paths", template, verb] }
  }

  return {
    /** Violations in a request. */
    ofRequest: (asked: FakeRequest): ReadonlyArray<string> => {
      const found = operationOf(asked)
      if (found === null) return [`${asked.method} ${asked.path} is not declared`]
      if (found.operation.requestBody === undefined) return asked.text === "" ? [] : ["there is a body"]
      return faultsBy([...found.place, "requestBody", ...jsonSchemaPath], asked.body)
    },
    /** Violations in a response. */
    ofReply: (asked: FakeRequest, { body, status }: FakeReply): ReadonlyArray<string> => {
      const found = operationOf(asked)
      const declared = found?.operation.responses[status]
      if (found === null || declared === undefined) return [`${status} is not declared`]
      return faultsBy([...found.place, "responses", String(status), ...jsonSchemaPath], body)
    }
  }
}

/** How a fake gateway handles a request that is authentic and valid. */
export interface Actor {
  /** The subject of a request: an xid, an id or an identifier. */
  readonly aboutOf: (asked: FakeRequest) => string
  readonly act: (asked: FakeRequest, misbehaviour: Misbehaviour | null, now_ms: number) => FakeReply
}

const stale_s = 300

/** The signature that a request must carry, as defined in docs/providers/http.md. */
export const signatureOf = (secret: string, { headers, method, path, query, text }: FakeRequest): string => {
  const target = query.size === 0 ? path : `${path}?${query}`
  const head = `v1\n${headers["saldo-timestamp"]}\n${method}\n${target}\n`
  return `v1=${createHmac("sha256", secret).update(head).update(text).digest("hex")}`
}

/** The reason why a request is rejected as not authentic; null if it is authentic. */
const authenticationFault = (secret: string, asked: FakeRequest, now_s: number): string | null => {
  const given = Buffer.from(String(asked.headers["saldo-signature"]))
  const wanted = Buffer.from(signatureOf(secret, asked))
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return "bad_signature"
  const away_s = Math.abs(now_s - Number(asked.headers["saldo-timestamp"]))
  return away_s <= stale_s ? null : "stale_timestamp"
}

const notProcessed = (status: number, reason: string): Treatment => ({
  misbehaviour: null,
  reply: () => ({ status, body: { outcome: "not_processed", reason } })
})

/**
 * A fake gateway for one of Saldo's protocols. It accepts only requests with a valid and recent signature. It fails the
 * test when a request violates the OpenAPI document. It also fails the test when one of its own responses violates the
 * document without a planned misbehaviour.
 */
export const fakeGateway = Effect.fnUntraced(function* (name: ProtocolName, secret: string, { aboutOf, act }: Actor) {
  const clock = yield* Clock.Clock
  const { ofReply, ofRequest } = protocol(name)
  const misbehaviours = new Misbehaviours()
  const scripted = new Map<string, ReadonlyArray<FakeReply>>()
  const requests: Array<FakeRequest> = []
  const taken: Array<FakeRequest> = []
  const arrivals = new RequestCounter()
  const faults: Array<string> = []

  const acted = (asked: FakeRequest, misbehaviour: Misbehaviour | null): FakeReply => {
    const reply = act(asked, misbehaviour, clock.currentTimeMillisUnsafe())
    if (misbehaviour === null) faults.push(...ofReply(asked, reply))
    return reply
  }
  const treat = (asked: FakeRequest): Treatment => {
    requests.push(asked)
    arrivals.arrive()
    const fault = authenticationFault(secret, asked, clock.currentTimeMillisUnsafe() / 1000)
    if (fault !== null) return notProcessed(401, fault)
    const wrong = ofRequest(asked)
    faults.push(...wrong)
    if (wrong.length > 0) return notProcessed(400, "malformed")
    const about = aboutOf(asked)
    const [reply, ...later] = scripted.get(about) ?? []
    scripted.set(about, later)
    if (reply !== undefined) return { misbehaviour: null, reply: () => reply }
    taken.push(asked)
    const misbehaviour = misbehaviours.next(about)
    return { misbehaviour, reply: () => acted(asked, misbehaviour) }
  }

  const url = yield* fakeServer(treat)
  yield* Effect.addFinalizer(() => (faults.length === 0 ? Effect.void : Effect.die(new Error(faults.join("\n")))))
  return {
    url,
    misbehaviours,
    /** Every request, whether it is authentic or not. */
    requests,
    /** Authentic requests without a scripted response. */
    taken,
    /** Answers the next request about a subject with this response, and does not execute the request. */
    replyNext: (about: string, reply: FakeReply): void => {
      scripted.set(about, [...(scripted.get(about) ?? []), reply])
    },
    arrivals
  }
})
