import { Effect } from "effect"
import { applicationFor, type Headers, plan, spanish, well } from "../../contract/support/Insuring.ts"
import { Outsiders } from "./Production.ts"

const version = { id: "LE", name: "Corolla LE 1.8", suggested: true }

const found = {
  outcome: "found",
  reference: "CASO-1",
  holder: "Titular de Prueba",
  vehicle: { brand: "Toyota", model: "Corolla", year: 2018, type: "automovil", chassis: "9BRBU48E0" },
  renewal: false,
  versions: [version]
}

const offered = {
  outcome: "offered",
  detail: "Toyota Corolla, 2018",
  plans: [{ code: plan, name: "Ley", coverage: "La ley.", months: 12, price_centavos: 450_050, suggested: true }],
  extras: []
}

const quotedAt = { outcome: "quoted", quote: "COT-1", total_centavos: 450_050 }

/** What such an insurance costs, in pesos. */
export const livePrice = 4_500.5

/** A vehicle that nobody has had, and that the insurer's gateway insures. */
export const insurable = Outsiders.useSync(({ insurer: { steps } }) => {
  const application = applicationFor()
  steps.set(`/v1/inspections ${application.placa}`, found)
  steps.set(`/v1/plans ${application.placa}`, offered)
  steps.set(`/v1/quotes ${application.placa}`, quotedAt)
  return application
})

/** The code in the last message that has gone to a phone; none if none has. */
export const lastCode = (phone: string) =>
  Outsiders.useSync(({ sms }) => sms.sent.findLast(({ to }) => to === `+1${phone}`)?.text.slice(0, 6))

/** An insurance in production that can be sold. */
export const quotedLive = Effect.fnUntraced(function* (auth: Headers) {
  const application = yield* insurable
  const { seguro_id: id } = well(yield* spanish.start(auth, application)).body.data
  well(yield* spanish.verify(auth, id, yield* lastCode(application.telefono)))
  well(yield* spanish.choose(auth, id, version.id))
  well(yield* spanish.quote(auth, id))
  return { id: id as number, placa: application.placa }
})
