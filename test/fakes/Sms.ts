import { Effect } from "effect"
import { type Actor, fakeGateway } from "./FakeGateway.ts"
import { type FakeReply, type FakeRequest, fakeServer, Misbehaviours, RequestCounter } from "./FakeServer.ts"

interface SmsMessage {
  readonly id: string
  readonly to: string
  readonly text: string
}

const smsSubjectOf = ({ body }: FakeRequest): string => (body as SmsMessage).id

/** A gateway for text messages, by the protocol of docs/providers/sms.md. */
export const fakeHttpSms = Effect.fnUntraced(function* (secret: string) {
  /** What has gone to phones. */
  const sent: Array<SmsMessage> = []
  const accepted = new Set<string>()
  /** Why it rejects, by id; it sends where nothing is said. */
  const rejections = new Map<string, string>()

  const accept = (message: SmsMessage): FakeReply => {
    const { id } = message
    const reason = rejections.get(id)
    if (reason !== undefined) return { status: 200, body: { outcome: "rejected", id, reason } }
    if (!accepted.has(id)) sent.push(message)
    accepted.add(id)
    return { status: 200, body: { outcome: "sent", id, reference: `SMS-${id}` } }
  }
  const act: Actor["act"] = ({ body }, misbehaviour) => {
    const message = body as SmsMessage
    if (misbehaviour === "duplicate") accept(message)
    const reply = accept(message)
    return misbehaviour === "contradiction" ? { ...reply, body: { ...(reply.body as object), id: "another" } } : reply
  }
  const gateway = yield* fakeGateway("sms", secret, { aboutOf: smsSubjectOf, act })
  return { ...gateway, sent, rejections }
})

/** A message as Twilio was asked to send it. */
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

/** What is wrong with a request for a message, as Twilio says it; null if nothing is. */
const problemOf = (
  { headers, method, path }: FakeRequest,
  { Body, From, MessagingServiceSid, To }: Partial<TwilioMessage>
) => {
  if (method !== "POST" || path !== `/2010-04-01/Accounts/${accountSid}/Messages.json`) {
    return problem(404, 20404, `The requested resource ${path} was not found`)
  }
  if (headers.authorization !== authorized) return problem(401, 20003, "Authenticate")
  if (headers["content-type"] !== "application/x-www-form-urlencoded") return problem(400, 20001, "Unsupported type")
  if (To === undefined) return problem(400, 21604, "A 'To' phone number is required.")
  if (!/^\+1\d{10}$/.test(To)) return problem(400, 21211, `The 'To' number ${To} is not a valid phone number.`)
  if (From === undefined && MessagingServiceSid === undefined) return problem(400, 21603, "A 'From' is required.")
  return Body === undefined ? problem(400, 21602, "Message body is required.") : null
}

/** Twilio's Messages API, as far as a message is sent by it. A message that comes twice is sent twice. */
export const fakeTwilio = Effect.gen(function* () {
  const misbehaviours = new Misbehaviours()
  /** What has gone to phones. */
  const sent: Array<TwilioMessage> = []
  /** What it answers next instead of sending, by number. */
  const answers = new Map<string, FakeReply>()
  const arrivals = new RequestCounter()

  const send = (asking: TwilioMessage): FakeReply => {
    sent.push(asking)
    const sid = `SM${String(sent.length).padStart(32, "0")}`
    // A service has to choose a sender first.
    const status = asking.From === undefined ? "accepted" : "queued"
    return { status: 201, body: { sid, status, to: asking.To, error_code: null, error_message: null } }
  }
  const url = yield* fakeServer((asked) => {
    arrivals.arrive()
    const asking = Object.fromEntries(new URLSearchParams(asked.text)) as unknown as TwilioMessage
    const wrong = problemOf(asked, asking) ?? answers.get(asking.To)
    if (wrong !== undefined) return { misbehaviour: null, reply: () => wrong }
    return { misbehaviour: misbehaviours.next(asking.To), reply: () => send(asking) }
  })
  return { url, misbehaviours, arrivals, sent, answers }
})
