import { PgTypes } from "@effect/sql-pg"
import { DateTime } from "effect"

/** A bigint, however small the number: left to itself the driver says of a small one that it is an int4. */
export const int8 = (value: bigint | number | null): PgTypes.Parameter =>
  PgTypes.int8(value === null ? null : BigInt(value))

/** A moment, to the millisecond. */
export const instant = (at: DateTime.Utc | null): PgTypes.Parameter =>
  PgTypes.timestamptz(at === null ? null : DateTime.toEpochMillis(at))
