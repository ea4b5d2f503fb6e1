import { Schema } from "effect"

/** A field that the external service may omit or set to null. */
export const optionalOrNull = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
