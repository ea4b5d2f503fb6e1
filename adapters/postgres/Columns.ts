import { DateTime } from "effect"

/** A moment that a column may lack. */
export const instantOrNull = (value: Date | null): DateTime.Utc | null =>
  value === null ? null : DateTime.fromDateUnsafe(value)

/** A bigint that a column may lack, as the number that it is. */
export const numberOrNull = (value: bigint | null): number | null => (value === null ? null : Number(value))
