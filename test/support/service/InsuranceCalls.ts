import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { InsuranceState } from "../../../core/domain/InsuranceState.ts"
import { SmsAnswer, type SmsMessage } from "../../../core/domain/Sms.ts"
import type { ApiResponse } from "../ApiDocument.ts"
import { customer } from "./CustomerCompany.ts"
import { get, post, sell } from "./HttpCalls.ts"
import { Script } from "./ScriptedPorts.ts"

export type Headers = Record<string, string>

/** The verification code of every simulated insurance, and a wrong code. */
export const rightCode = "123456"
export const wrongCode = "654321"

/** The insurance service of the example catalogue, and a plan that the simulator offers for every vehicle. */
export const insuranceService = 6
export const plan = "LEY-12"

let drawn = 0

/** A new plate with these last digits, which determine the response of the simulator. */
export const plateEnding = (ending = "58", letter = "A"): string => {
  drawn += 1
  return `${letter}${String(drawn).padStart(7 - ending.length, "0")}${ending}`
}

/** A phone number that no other test uses. */
const freshPhone = (): string => {
  drawn += 1
  return `829${String(drawn).padStart(7, "0")}`
}

/** Creates a company that may sell insurance and has money for several policies. */
export const insuranceCompany = (wanted: Parameters<typeof customer>[0] = {}) =>
  customer({ money: 50_000, ...wanted, company: { insuranceEnabled: true, ...wanted.company } })

/** The body of a request to start an insurance, with a new phone number. The default plate is also new. */
export const applicationFor = (placa = plateEnding()) => ({
  service_id: insuranceService,
  cedula: "00112345678",
  telefono: freshPhone(),
  placa
})

type Application = ReturnType<typeof applicationFor>

/** The requests of an insurance, with Spanish and with English paths. Contract: 4.6. */
export const insuranceForms = (
  [
    {
      form: "/v1/seguros",
      names: { verify: "otp/verificar", plans: "planes", quote: "cotizar", document: "documento" },
      sales: "/v1/recargas"
    },
    {
      form: "/v1/insurance",
      names: { verify: "otp/verify", plans: "plans", quote: "quote", document: "document" },
      sales: "/v1/recharges"
    }
  ] as const
).map(({ form, names, sales }) => ({
  form,
  available: (auth: Headers) => get(form, auth),
  start: (auth: Headers, body: object) => post(form, body, auth),
  resend: (auth: Headers, id: number | string) => post(`${form}/${id}/otp`, undefined, auth),
  verify: (auth: Headers, id: number | string, codigo: unknown = rightCode) =>
    post(`${form}/${id}/${names.verify}`, { codigo }, auth),
  plans: (auth: Headers, id: number | string, version: string) =>
    get(`${form}/${id}/${names.plans}?version=${encodeURIComponent(version)}`, auth),
  choose: (auth: Headers, id: number | string, version: string, cd_tipo_plan = plan) =>
    post(`${form}/${id}/plan`, { version, cd_tipo_plan }, auth),
  quote: (auth: Headers, id: number | string, wishes: object = {}) =>
    post(`${form}/${id}/${names.quote}`, wishes, auth),
  sell: (auth: Headers, id: number | string, identifier: string, headers: Headers = {}) =>
    sell({ service_id: insuranceService, identifier, opcion_id: `seguro:${id}` }, { ...auth, ...headers }, sales),
  read: (auth: Headers, id: number | string) => get(`${form}/${id}`, auth),
  documentPath: (id: number | string, tipo: string) => `${form}/${id}/${names.document}?tipo=${tipo}`
}))

export type Steps = (typeof insuranceForms)[number]

/** The requests with Spanish paths, for tests in which the language makes no difference. */
export const [spanish] = insuranceForms as [Steps]

/**
 * An insurance that a test has started: its id, plate, phone and vehicle version, and the credentials of its company.
 */
export interface Under {
  readonly auth: Headers
  readonly id: number
  readonly placa: string
  readonly telefono: string
  readonly version: string
}

/** Asserts that a response is 200 or 201. */
export const expectSuccess = (answer: ApiResponse): ApiResponse => {
  assert.include([200, 201], answer.status, answer.text)
  return answer
}

/** Starts an insurance. `sent` decides whether the gateway accepts the SMS with the code. */
const begun = Effect.fnUntraced(function* (steps: Steps, auth: Headers, application: Application, sent: boolean) {
  const { sms } = yield* Script
  const { placa, telefono } = application
  const busy = () => Effect.succeed(SmsAnswer.NotSent({ reason: "busy" }))
  if (!sent) sms.set(telefono, busy)
  const { data } = expectSuccess(yield* steps.start(auth, application)).body
  assert.strictEqual(data.otp_enviado, sent)
  if (!sent) sms.delete(telefono)
  return { auth, id: data.seguro_id as number, placa, telefono, version: "" } satisfies Under
})

/** An insurance that waits for its verification code. */
export const started = (auth: Headers, application: Application = applicationFor(), steps: Steps = spanish) =>
  begun(steps, auth, application, true)

/** Collects every SMS that is sent to a phone after this call. */
export const messagesTo = (telefono: string) =>
  Script.useSync(({ sms }) => {
    const messages: Array<SmsMessage> = []
    sms.set(telefono, (message) => {
      messages.push(message)
      return Effect.succeed(SmsAnswer.Sent({ reference: message.id }))
    })
    return messages
  })

/** The verification code in the text of an SMS. */
export const codeIn = ({ text }: SmsMessage): string =>
  /\b\d{6}\b/.exec(text)?.[0] ?? assert.fail("the message contains no code")

/** An insurance whose verification code was accepted. */
export const verified = Effect.fnUntraced(function* (auth: Headers, placa?: string, steps: Steps = spanish) {
  const application = applicationFor(placa)
  const messages = yield* messagesTo(application.telefono)
  const under = yield* started(auth, application, steps)
  const [code] = messages.map(codeIn)
  const { versiones } = expectSuccess(yield* steps.verify(auth, under.id, code)).body.data
  return { ...under, version: versiones[0].id as string } satisfies Under
})

/** An insurance with a chosen plan. */
export const planned = Effect.fnUntraced(function* (auth: Headers, placa?: string, steps: Steps = spanish) {
  const under = yield* verified(auth, placa, steps)
  expectSuccess(yield* steps.choose(auth, under.id, under.version))
  return under
})

/** A quoted insurance and its price. */
export const quoted = Effect.fnUntraced(function* (auth: Headers, placa?: string, steps: Steps = spanish) {
  const under = yield* planned(auth, placa, steps)
  const { monto_total } = expectSuccess(yield* steps.quote(auth, under.id)).body.data
  return { ...under, total: monto_total as number }
})

/** An insurance after a sale that was answered with this HTTP status. */
const sold = Effect.fnUntraced(function* (auth: Headers, ending: string, status: number, steps: Steps) {
  const under = yield* quoted(auth, plateEnding(ending), steps)
  const answer = yield* steps.sell(auth, under.id, under.placa)
  assert.strictEqual(answer.status, status, answer.text)
  return under
})

/** An insurance after a sale that crashed right after the reservation. */
const orphaned = Effect.fnUntraced(function* (auth: Headers, steps: Steps) {
  const { crash } = yield* Script
  const under = yield* quoted(auth, undefined, steps)
  crash.add(under.placa)
  assert.strictEqual((yield* steps.sell(auth, under.id, under.placa)).status, 500)
  crash.delete(under.placa)
  return under
})

/** Brings an insurance into each state of section 3.3 of the contract, using only requests. */
export const inState = {
  iniciada: (auth, steps) => begun(steps, auth, applicationFor(), false),
  otp_enviado: (auth, steps) => started(auth, undefined, steps),
  otp_validado: (auth, steps) => verified(auth, undefined, steps),
  plan_confirmado: (auth, steps) => planned(auth, undefined, steps),
  cotizado: (auth, steps) => quoted(auth, undefined, steps),
  cobrando: (auth, steps) => orphaned(auth, steps),
  emitiendo: (auth, steps) => sold(auth, "12", 202, steps),
  emitida: (auth, steps) => sold(auth, "58", 201, steps),
  fallida: (auth, steps) => sold(auth, "51", 422, steps)
} satisfies Record<InsuranceState, (auth: Headers, steps: Steps) => Effect.Effect<Under, unknown, unknown>>
