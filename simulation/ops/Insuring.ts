import { Effect } from "effect"
import { ServiceId } from "../../core/domain/Ids.ts"
import { insuranceOption } from "../../core/domain/Insurance.ts"
import { Cedula, Phone, Plate } from "../../core/domain/Person.ts"
import { choosePlan, plansOf, quoteInsurance, resendCode, verifyCode } from "../../core/workflows/InsuranceSteps.ts"
import { startInsurance } from "../../core/workflows/StartInsurance.ts"
import { Activity } from "../faults/Step.ts"
import { insured } from "../parties/Suppliers.ts"
import { serviceIds, sessionOf } from "../process/Directory.ts"
import { buy, type Callers } from "./Client.ts"
import type { Op } from "./Op.ts"

/** The code that the SMS contains; a wrong code when no SMS arrived. */
const codeIn = (text: string | undefined): string => /\d{6}/.exec(text ?? "")?.[0] ?? "000000"

const again = 3

/** Retries a step three times, because an insurer may be unreachable for a moment. */
const patiently = <A, E, R>(step: Effect.Effect<A, E, R>) => Effect.retry(step, { times: again })

/** Goes through all steps from a plate to a policy, as a seller does. Ends with the first step that fails. */
export const insure = Effect.fnUntraced(function* (callers: Callers, op: Op & { readonly do: "insure" }) {
  const { company, keys, plate, quotes, resends, wrongCodes } = op
  const session = sessionOf(company)
  const phone = Phone.make(`809${String(op.id).padStart(7, "0")}`)
  const { insurance } = yield* patiently(
    startInsurance(session, {
      serviceId: ServiceId.make(serviceIds.insurance),
      cedula: Cedula.make("00112345678"),
      phone,
      plate: Plate.make(plate),
      terminalId: null
    })
  )
  const { id } = insurance
  for (let code = 0; code <= resends; code++) {
    if (code > 0) yield* Effect.ignore(resendCode(session, id))
    for (let time = 0; time < wrongCodes; time++) yield* Effect.ignore(verifyCode(session, id, "999999"))
  }
  yield* verifyCode(session, id, codeIn(callers.inbox.get(phone)))
  yield* patiently(plansOf(session, id, insured.version))
  yield* patiently(choosePlan(session, id, { version: insured.version, plan: insured.plan }))
  for (let time = 0; time < quotes; time++)
    yield* patiently(quoteInsurance(session, id, time % 2 === 0 ? [] : [insured.extra]))
  const sale = {
    company,
    service: serviceIds.insurance,
    identifier: plate,
    centavos: null,
    optionId: insuranceOption(id)
  }
  return yield* Effect.forEach(keys, (key) => Effect.exit(buy(callers, { ...sale, key })), {
    concurrency: "unbounded"
  }).pipe(Effect.provideService(Activity, "sale"))
})
