import { Schema } from "effect"

/** What DT One may leave out, or say to be null. */
export const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
