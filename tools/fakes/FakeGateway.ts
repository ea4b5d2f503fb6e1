import { createHmac, timingSafeEqual } from "node:crypto"
import { Clock, Effect } from "effect"
import { Arrivals } from "./Arrivals.ts"
import { type Asked, fakeServer, type Misbehaviour, Misbehaviours, type Reply, type Treatment } from "./Misbehaviour.ts"
import { type ProtocolName, protocol } from "./Protocol.ts"

/** What a fake gateway does with a request that it has found to be ours and in order. */
export interface Actor {
  /** What a request is about: an xid, an id, an identifier. */
  readonly aboutOf: (asked: Asked) => string
  readonly act: (asked: Asked, misbehaviour: Misbehaviour | null, now_ms: number) => Reply
}

const stale_s = 300

/** The signature that a request must have, as docs/providers/http.md tells it. */
export const signatureOf = (secret: string, { headers, method, path, query, text }: Asked): string => {
  const target = query.size === 0 ? path : `${path}?${query}`
  const head = `v1\n${headers["saldo-timestamp"]}\n${method}\n${target}\n`
  return `v1=${createHmac("sha256", secret).update(head).update(text).digest("hex")}`
}

/** Why a request is not believed to be ours; null if it is. */
const suspicion = (secret: string, asked: Asked, now_s: number): string | null => {
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
 * A gateway that speaks one of our protocols as its document has it. It believes signed and fresh requests alone, and
 * breaks the test if a request, or an answer of its own that is not a misbehaviour, is outside the document.
 */
export const fakeGateway = Effect.fnUntraced(function* (name: ProtocolName, secret: string, { aboutOf, act }: Actor) {
  const clock = yield* Clock.Clock
  const { ofReply, ofRequest } = protocol(name)
  const misbehaviours = new Misbehaviours()
  const scripted = new Map<string, ReadonlyArray<Reply>>()
  const requests: Array<Asked> = []
  const taken: Array<Asked> = []
  const arrivals = new Arrivals()
  const faults: Array<string> = []

  const acted = (asked: Asked, misbehaviour: Misbehaviour | null): Reply => {
    const reply = act(asked, misbehaviour, clock.currentTimeMillisUnsafe())
    if (misbehaviour === null) faults.push(...ofReply(asked, reply))
    return reply
  }
  const treat = (asked: Asked): Treatment => {
    requests.push(asked)
    arrivals.arrive()
    const suspicious = suspicion(secret, asked, clock.currentTimeMillisUnsafe() / 1000)
    if (suspicious !== null) return notProcessed(401, suspicious)
    const wrong = ofRequest(asked)
    faults.push(...wrong)
    if (wrong.length > 0) return notProcessed(400, "malformed")
    const about = aboutOf(asked)
    const [said, ...later] = scripted.get(about) ?? []
    scripted.set(about, later)
    if (said !== undefined) return { misbehaviour: null, reply: () => said }
    taken.push(asked)
    const misbehaviour = misbehaviours.next(about)
    return { misbehaviour, reply: () => acted(asked, misbehaviour) }
  }

  const url = yield* fakeServer(treat)
  yield* Effect.addFinalizer(() => (faults.length === 0 ? Effect.void : Effect.die(new Error(faults.join("\n")))))
  return {
    url,
    misbehaviours,
    /** Whatever has come to it, believed or not. */
    requests,
    /** What of it was believed, and not answered as a test had it said. */
    taken,
    /** It does nothing with the next request about this, and answers so. */
    says: (about: string, reply: Reply): void => {
      scripted.set(about, [...(scripted.get(about) ?? []), reply])
    },
    arrivals
  }
})
