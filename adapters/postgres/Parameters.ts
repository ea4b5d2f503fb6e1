import { PgTypes } from "@effect/sql-pg"
import { DateTime } from "effect"

/** A bigint parameter. Without the explicit type, the driver declares small numbers as int4. */
export const int8 = (value: bigint | number | null): PgTypes.Parameter =>
  PgTypes.int8(value === null ? null : BigInt(value))

/** A timestamp parameter, in milliseconds. */
export const instant = (at: DateTime.Utc | null): PgTypes.Parameter =>
  PgTypes.timestamptz(at === null ? null : DateTime.toEpochMillis(at))
