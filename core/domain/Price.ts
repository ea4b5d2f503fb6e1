import { DateTime, Result } from "effect"
import { Invalid } from "./Errors.ts"
import type { Identifier } from "./Ids.ts"
import { type Amount, toPesos } from "./Money.ts"
import type { Offered } from "./Option.ts"
import type { Flow, Service } from "./Service.ts"

const lookupPath: Record<Exclude<Flow, "monto_libre">, string> = {
  paquetes: "/v1/consultas",
  facturas: "/v1/consultas",
  seguros: "/v1/seguros"
}

/** What a sale asks for, before the service has had its say. */
export interface Request {
  readonly identifier: Identifier
  readonly amount: Amount | null
  readonly optionId: string | null
}

/**
 * The price of what is asked for: the amount that the seller sent, within the service's range, or the price of the
 * option that a lookup offered. Contract: 4.5.
 *
 * @param option what the company's lookups know by the request's option id; null if nothing.
 */
export const price = (
  service: Service,
  request: Request,
  option: Offered | null,
  now: DateTime.Utc
): Result.Result<Amount, Invalid> =>
  service.flow === "monto_libre"
    ? freeAmount(service, request)
    : Result.mapError(priceOfOption(service, service.flow, request, option, now), (details) => new Invalid({ details }))

const freeAmount = ({ maximum, minimum }: Service, { amount, optionId }: Request): Result.Result<Amount, Invalid> => {
  // No lookup offers an option of such a service: whoever names one means to buy something else.
  if (optionId !== null) return Result.fail(new Invalid({ details: { opcion_id: "invalido" } }))
  if (amount === null) return Result.fail(new Invalid({ details: { amount: "requerido" } }))
  const below = amount < minimum
  const above = maximum > 0 && amount > maximum
  return below || above
    ? Result.fail(
        new Invalid({
          details: { amount: "fuera_de_rango", monto_minimo: toPesos(minimum), monto_maximo: toPesos(maximum) }
        })
      )
    : Result.succeed(amount)
}

const priceOfOption = (
  { howToBuy, id }: Service,
  flow: Exclude<Flow, "monto_libre">,
  { amount, identifier, optionId }: Request,
  option: Offered | null,
  now: DateTime.Utc
): Result.Result<Amount, Invalid["details"]> => {
  if (optionId === null) {
    return Result.fail({
      opcion_id: "requerido",
      flujo: flow,
      consultar_en: lookupPath[flow],
      como_comprar: howToBuy
    })
  }
  if (option?.serviceId !== id || option.identifier !== identifier) return Result.fail({ opcion_id: "invalido" })
  if (DateTime.isLessThanOrEqualTo(option.expiresAt, now)) return Result.fail({ opcion_id: "vencida" })
  return amount === null || amount === option.price
    ? Result.succeed(option.price)
    : Result.fail({ amount: "no_coincide", precio_real: toPesos(option.price) })
}
