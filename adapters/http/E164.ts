/**
 * A phone number in international format (E.164). The country is in the North American numbering plan, so the prefix is
 * +1.
 */
export const e164 = (phone: string): string => `+1${phone}`
