import { DateTime, Result } from "effect"
import {
  AmountOutOfRange,
  AmountRequired,
  InvalidOption,
  OptionExpired,
  OptionRequired,
  PriceMismatch
} from "./Errors.ts"
import type { Identifier } from "./Ids.ts"
import type { OfferedOption } from "./Lookup.ts"
import type { Amount } from "./Money.ts"
import type { NamingFlow, Service } from "./Service.ts"

/** The product that a sale asks for, as the caller wrote it. */
export interface PriceRequest {
  readonly identifier: Identifier
  readonly amount: Amount | null
  readonly optionId: string | null
}

/** Errors of a request that cannot be priced. */
type Unpriced = AmountRequired | AmountOutOfRange | PriceMismatch | OptionRequired | InvalidOption | OptionExpired

/**
 * The price of a request: the caller's amount if it is within the range of the service, or the price of the offered
 * option. Contract: 4.5.
 *
 * @param option the stored option with the request's id; null if there is none.
 */
export const price = (
  service: Service,
  request: PriceRequest,
  option: OfferedOption | null,
  now: DateTime.Utc
): Result.Result<Amount, Unpriced> =>
  service.flow === "monto_libre"
    ? freeAmount(service, request)
    : priceOfOption(service, service.flow, request, option, now)

const freeAmount = (
  { maximum, minimum }: Service,
  { amount, optionId }: PriceRequest
): Result.Result<Amount, Unpriced> => {
  // Services with a free amount have no options, so a request that names an option is a mistake.
  if (optionId !== null) return Result.fail(new InvalidOption())
  if (amount === null) return Result.fail(new AmountRequired())
  const below = amount < minimum
  const above = maximum > 0 && amount > maximum
  return below || above ? Result.fail(new AmountOutOfRange({ minimum, maximum })) : Result.succeed(amount)
}

const priceOfOption = (
  { howToBuy, id }: Service,
  flow: NamingFlow,
  { amount, identifier, optionId }: PriceRequest,
  option: OfferedOption | null,
  now: DateTime.Utc
): Result.Result<Amount, Unpriced> => {
  if (optionId === null) return Result.fail(new OptionRequired({ flow, howToBuy }))
  if (option?.serviceId !== id || option.identifier !== identifier) return Result.fail(new InvalidOption())
  if (DateTime.isLessThanOrEqualTo(option.expiresAt, now)) return Result.fail(new OptionExpired())
  return amount === null || amount === option.price
    ? Result.succeed(option.price)
    : Result.fail(new PriceMismatch({ price: option.price }))
}
