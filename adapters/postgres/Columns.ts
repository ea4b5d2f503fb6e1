import { DateTime } from "effect"

/** Reads a nullable timestamp. */
export const instantOrNull = (value: Date | null): DateTime.Utc | null =>
  value === null ? null : DateTime.fromDateUnsafe(value)

/** Reads a nullable bigint as a number. */
export const numberOrNull = (value: bigint | null): number | null => (value === null ? null : Number(value))
