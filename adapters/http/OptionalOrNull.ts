import { Schema } from "effect"

/** What the other side may leave out, or say to be null. */
export const optionalOrNull = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
