import { Effect } from "effect"
import { type Actor, fakeGateway } from "./FakeGateway.ts"
import { type FakeReply, type FakeRequest, fakeServer, Misbehaviours, RequestCounter } from "./FakeServer.ts"

interface SmsMessage {
  readonly id: string
  readonly to: string
  readonly text: string
}

/** The id of the message in a request to send it, or to query its delivery. */
const smsSubjectOf = ({ body, method, path }: FakeRequest): string =>
  method === "GET" ? (path.split("/").at(-1) ?? "") : (body as SmsMessage).id

/** A fake SMS gateway that follows the protocol of docs/providers/sms.md. */
export const fakeHttpSms = Effect.fnUntraced(function* (secret: string) {
  /** Messages that were delivered. */
  const sent: Array<SmsMessage> = []
  const accepted = new Set<string>()
  /** Reason for the rejection, by message id. Messages without an entry are delivered. */
  const rejections = new Map<string, string>()
  /** Delivery status by message id: "delivered", or the reason for a failure. The fake reports only these messages. */
  const deliveries = new Map<string, string>()

  const accept = (message: SmsMessage): FakeReply => {
    const { id } = message
    const reason = rejections.get(id)
    if (reason !== undefined) return { status: 200, body: { outcome: "rejected", id, reason } }
    if (!accepted.has(id)) sent.push(message)
    accepted.add(id)
    const traceable = deliveries.has(id) ? { traceable: true } : {}
    return { status: 200, body: { outcome: "sent", id, reference: `SMS-${id}`, ...traceable } }
  }
  const delivery = (id: string): FakeReply => {
    const state = accepted.has(id) ? deliveries.get(id) : undefined
    if (state === undefined) return { status: 200, body: { outcome: "pending", id } }
    const failure = state === "delivered" ? {} : { reason: state }
    return { status: 200, body: { outcome: state === "delivered" ? "delivered" : "failed", id, ...failure } }
  }
  const act: Actor["act"] = (asked, misbehaviour) => {
    if (asked.method === "GET") return delivery(smsSubjectOf(asked))
    const message = asked.body as SmsMessage
    if (misbehaviour === "duplicate") accept(message)
    const reply = accept(message)
    return misbehaviour === "contradiction" ? { ...reply, body: { ...(reply.body as object), id: "another" } } : reply
  }
  const gateway = yield* fakeGateway("sms", secret, { aboutOf: smsSubjectOf, act })
  return { ...gateway, sent, rejections, deliveries }
})

/** A request to send a message, in Twilio's form. */
interface TwilioMessage {
  readonly To: string
  readonly Body: string
  readonly From?: string
  readonly MessagingServiceSid?: string
}

export const accountSid = "AC00112233445566778899aabbccddeeff"
export const authToken = "el-token-de-la-cuenta"

const authorized = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString("base64")}`

const problem = (status: number, code: number, message: string): FakeReply => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }
})

const messagesPath = `/2010-04-01/Accounts/${accountSid}/Messages`

const notFound = ({ path }: FakeRequest) => problem(404, 20404, `The requested resource ${path} was not found`)

/** The error response to an invalid request to send a message, in Twilio's form; null if the request is valid. */
const problemOf = (asked: FakeRequest, { Body, From, MessagingServiceSid, To }: Partial<TwilioMessage>) => {
  const { headers, method, path } = asked
  if (method !== "POST" || path !== `${messagesPath}.json`) return notFound(asked)
  if (headers.authorization !== authorized) return problem(401, 20003, "Authenticate")
  if (headers["content-type"] !== "application/x-www-form-urlencoded") return problem(400, 20001, "Unsupported type")
  if (To === undefined) return problem(400, 21604, "A 'To' phone number is required.")
  if (!/^\+1\d{10}$/.test(To)) return problem(400, 21211, `The 'To' number ${To} is not a valid phone number.`)
  if (From === undefined && MessagingServiceSid === undefined) return problem(400, 21603, "A 'From' is required.")
  return Body === undefined ? problem(400, 21602, "Message body is required.") : null
}

/** The delivery of a message, in Twilio's form. */
interface TwilioDelivery {
  readonly status: string
  readonly error_code?: number
}

/**
 * A fake of the parts of Twilio's Messages API that send messages and report their delivery. When a request is
 * repeated, it sends the message again.
 */
export const fakeTwilio = Effect.gen(function* () {
  const misbehaviours = new Misbehaviours()
  /** Messages that were delivered. */
  const sent: Array<TwilioMessage> = []
  /**
   * Scripted responses: to requests to send, by phone number, and to delivery queries, by sid. The fake does not send a
   * message to a phone number with a scripted response.
   */
  const answers = new Map<string, FakeReply>()
  /** Delivery by phone number. Without an entry, the delivery stays undecided. */
  const deliveries = new Map<string, TwilioDelivery>()
  /** Number of delivery queries for each message, by sid. */
  const questions = new Map<string, number>()
  const arrivals = new RequestCounter()

  const sids = new Map<string, TwilioMessage>()
  const send = (asking: TwilioMessage): FakeReply => {
    sent.push(asking)
    const sid = `SM${String(sent.length).padStart(32, "0")}`
    sids.set(sid, asking)
    // A messaging service accepts the message first and selects a sender later.
    const status = asking.From === undefined ? "accepted" : "queued"
    return { status: 201, body: { sid, status, to: asking.To, error_code: null, error_message: null } }
  }
  const delivery = (asked: FakeRequest, sid: string): FakeReply => {
    if (asked.headers.authorization !== authorized) return problem(401, 20003, "Authenticate")
    const message = asked.path === `${messagesPath}/${sid}.json` ? sids.get(sid) : undefined
    if (message === undefined) return notFound(asked)
    questions.set(sid, (questions.get(sid) ?? 0) + 1)
    const { error_code = null, status } = deliveries.get(message.To) ?? { status: "sent" }
    return { status: 200, body: { sid, status, to: message.To, error_code, error_message: null } }
  }
  const url = yield* fakeServer((asked) => {
    arrivals.arrive()
    if (asked.method === "GET") {
      const sid = /([^/]+)\.json$/.exec(asked.path)?.[1] ?? ""
      return { misbehaviour: misbehaviours.next(sid), reply: () => answers.get(sid) ?? delivery(asked, sid) }
    }
    const asking = Object.fromEntries(new URLSearchParams(asked.text)) as unknown as TwilioMessage
    const wrong = problemOf(asked, asking) ?? answers.get(asking.To)
    if (wrong !== undefined) return { misbehaviour: null, reply: () => wrong }
    return { misbehaviour: misbehaviours.next(asking.To), reply: () => send(asking) }
  })
  return { url, misbehaviours, arrivals, sent, answers, deliveries, questions }
})
