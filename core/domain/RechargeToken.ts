import type { ServiceType } from "./Service.ts"

/** Printed form of a meter token: twenty digits in groups of four. Contract: 2.5. */
export const rechargeTokenForm = /^\d{4}( \d{4}){4}$/u

const twentyDigits = /^\d{20}$/

/** Normalizes a meter token with any grouping. Null if the text is not a token. */
export const readRechargeToken = (text: string): string | null => {
  const digits = text.replace(/[ -]/g, "")
  return twentyDigits.test(digits) ? digits.replace(/(\d{4})(?=\d)/g, "$1 ") : null
}

/** Whether a sale of this type returns a meter token. */
export const sellsRechargeTokens = (type: ServiceType): boolean => type === "electricity_prepaid"

/** Whether an electricity sale lacks its meter token, so that the customer cannot use it. */
export const lacksRechargeToken = (type: ServiceType, token: string | null): boolean =>
  sellsRechargeTokens(type) && token === null
