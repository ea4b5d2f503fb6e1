import type { Insurance } from "./Insurance.ts"
import type { Vehicle } from "./InsuranceOffer.ts"
import { maskChassis, maskName, maskPhone } from "./Person.ts"

/** An insurance as an operator sees it. The person's data is masked, as in the API. Contract: 2.7. */
export interface MaskedInsurance
  extends Pick<
    Insurance,
    | "id"
    | "companyId"
    | "serviceId"
    | "environment"
    | "state"
    | "plate"
    | "terminalId"
    | "renewal"
    | "transactionId"
    | "policy"
    | "createdAt"
  > {
  readonly holder: string
  readonly phone: string
  readonly vehicle: Vehicle
  readonly plan: string | null
  /** Price in centavos. Null until the insurance has a quote. */
  readonly total: number | null
}

/** The insurance without personal data. */
export const masked = ({
  companyId,
  createdAt,
  environment,
  id,
  insured: { holder, phone, vehicle },
  plan,
  plate,
  policy,
  quote,
  renewal,
  serviceId,
  state,
  terminalId,
  transactionId
}: Insurance): MaskedInsurance => ({
  ...{ id, companyId, serviceId, environment, state, plate, terminalId, renewal, transactionId, policy, createdAt },
  holder: maskName(holder),
  phone: maskPhone(phone),
  vehicle: { ...vehicle, chassis: maskChassis(vehicle.chassis) },
  plan: plan?.name ?? null,
  total: quote?.total ?? null
})
