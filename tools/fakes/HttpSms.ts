import { Effect } from "effect"
import { type Actor, fakeGateway } from "./FakeGateway.ts"
import type { Asked, Reply } from "./Misbehaviour.ts"

interface Message {
  readonly id: string
  readonly to: string
  readonly text: string
}

const aboutOf = ({ body }: Asked): string => (body as Message).id

/** A gateway for text messages, by the protocol of docs/providers/sms.md. */
export const fakeHttpSms = Effect.fnUntraced(function* (secret: string) {
  /** What has gone to phones. */
  const sent: Array<Message> = []
  const accepted = new Set<string>()
  /** Why it rejects, by id; it sends where nothing is said. */
  const rejections = new Map<string, string>()

  const accept = (message: Message): Reply => {
    const { id } = message
    const reason = rejections.get(id)
    if (reason !== undefined) return { status: 200, body: { outcome: "rejected", id, reason } }
    if (!accepted.has(id)) sent.push(message)
    accepted.add(id)
    return { status: 200, body: { outcome: "sent", id, reference: `SMS-${id}` } }
  }
  const act: Actor["act"] = ({ body }, misbehaviour) => {
    const message = body as Message
    if (misbehaviour === "duplicate") accept(message)
    const reply = accept(message)
    return misbehaviour === "contradiction" ? { ...reply, body: { ...(reply.body as object), id: "another" } } : reply
  }
  const gateway = yield* fakeGateway("sms", secret, { aboutOf, act })
  return { ...gateway, sent, rejections }
})
