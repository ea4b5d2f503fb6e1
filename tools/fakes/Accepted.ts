import { isDeepStrictEqual } from "node:util"
import type { Misbehaviour, Reply } from "./Misbehaviour.ts"

/** What a fake does late, it does so much later. */
const late_ms = 10 * 60_000

interface Operation<Decision> {
  readonly body: object
  readonly decision: Decision
  /** Until then it is pending. */
  readonly due_ms: number
}

/** An operation as an exchange speaks of it. */
interface Named {
  readonly xid: string
  readonly misbehaviour: Misbehaviour | null
  readonly now_ms: number
}

const notFound = (xid: string): Reply => ({ status: 404, body: { outcome: "not_found", xid } })

/**
 * What a gateway has accepted, each xid once, and how it stands. `answer` tells the facts of an operation, or of
 * another one when the gateway contradicts itself.
 */
export class Accepted<Body extends { readonly xid: string }, Decision extends string> {
  readonly #operations = new Map<string, Operation<Decision> & { readonly body: Body }>()
  readonly #answer: (body: Body, decision: Decision | "pending", contradicting: boolean) => object

  constructor(answer: (body: Body, decision: Decision | "pending", contradicting: boolean) => object) {
    this.#answer = answer
  }

  /** @param decide what becomes of it, asked once an operation. */
  accept(body: Body, named: Named, decide: (body: Body) => Decision): Reply {
    const { misbehaviour, now_ms, xid } = named
    if (misbehaviour === "not found") return notFound(xid)
    const known = this.#operations.get(xid)
    if (known !== undefined && !isDeepStrictEqual(known.body, body)) {
      return { status: 409, body: { outcome: "conflict", xid } }
    }
    if (known === undefined) {
      const due_ms = misbehaviour === "late" ? now_ms + late_ms : now_ms
      this.#operations.set(xid, { body, decision: decide(body), due_ms })
    }
    // As when a proxy has sent it twice.
    if (misbehaviour === "duplicate") this.accept(body, { ...named, misbehaviour: null }, decide)
    return this.status(named)
  }

  status({ misbehaviour, now_ms, xid }: Named): Reply {
    const known = this.#operations.get(xid)
    if (known === undefined || misbehaviour === "not found") return notFound(xid)
    const decision = now_ms < known.due_ms ? "pending" : known.decision
    return { status: 200, body: this.#answer(known.body, decision, misbehaviour === "contradiction") }
  }
}
