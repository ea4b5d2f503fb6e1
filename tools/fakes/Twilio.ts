import { Effect } from "effect"
import { Arrivals } from "./Arrivals.ts"
import { type Asked, fakeServer, Misbehaviours, type Reply } from "./Misbehaviour.ts"

/** A message as Twilio was asked to send it. */
interface Asking {
  readonly To: string
  readonly Body: string
  readonly From?: string
  readonly MessagingServiceSid?: string
}

export const accountSid = "AC00112233445566778899aabbccddeeff"
export const authToken = "el-token-de-la-cuenta"

const authorized = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString("base64")}`

const problem = (status: number, code: number, message: string): Reply => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }
})

/** What is wrong with a request for a message, as Twilio says it; null if nothing is. */
const problemOf = ({ headers, method, path }: Asked, { Body, From, MessagingServiceSid, To }: Partial<Asking>) => {
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
  const sent: Array<Asking> = []
  /** What it answers next instead of sending, by number. */
  const answers = new Map<string, Reply>()
  const arrivals = new Arrivals()

  const send = (asking: Asking): Reply => {
    sent.push(asking)
    const sid = `SM${String(sent.length).padStart(32, "0")}`
    // A service has to choose a sender first.
    const status = asking.From === undefined ? "accepted" : "queued"
    return { status: 201, body: { sid, status, to: asking.To, error_code: null, error_message: null } }
  }
  const url = yield* fakeServer((asked) => {
    arrivals.arrive()
    const asking = Object.fromEntries(new URLSearchParams(asked.text)) as unknown as Asking
    const wrong = problemOf(asked, asking) ?? answers.get(asking.To)
    if (wrong !== undefined) return { misbehaviour: null, reply: () => wrong }
    return { misbehaviour: misbehaviours.next(asking.To), reply: () => send(asking) }
  })
  return { url, misbehaviours, arrivals, sent, answers }
})
