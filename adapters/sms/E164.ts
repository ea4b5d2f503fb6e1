import type { Phone } from "../../core/domain/Person.ts"

/** The number as the world dials it; the country's area codes are of the North American plan. */
export const e164 = (phone: Phone): string => `+1${phone}`
