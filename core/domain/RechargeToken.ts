import type { ServiceType } from "./Service.ts"

/** What the end customer types into the meter, as it is printed: twenty digits in groups of four. Contract: 2.5. */
export const rechargeTokenForm = /^\d{4}( \d{4}){4}$/u

const twentyDigits = /^\d{20}$/

/** A token however it was grouped; null for anything else. */
export const readRechargeToken = (text: string): string | null => {
  const digits = text.replace(/[ -]/g, "")
  return twentyDigits.test(digits) ? digits.replace(/(\d{4})(?=\d)/g, "$1 ") : null
}

/** Does a sale of this type answer one? */
export const sellsRechargeTokens = (type: ServiceType): boolean => type === "electricity_prepaid"

/** Is it electricity that nobody can type into a meter? */
export const lacksRechargeToken = (type: ServiceType, token: string | null): boolean =>
  sellsRechargeTokens(type) && token === null
