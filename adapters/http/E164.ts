/** The ten digits of a phone as the world dials them; the country's area codes are of the North American plan. */
export const e164 = (phone: string): string => `+1${phone}`
