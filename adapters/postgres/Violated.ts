import type { SqlError } from "effect/sql/SqlError"

/** Is this the violation of a unique constraint of that name? */
export const violatesUnique = (error: SqlError, constraint: string): boolean =>
  error.reason._tag === "UniqueViolation" && error.reason.constraint === constraint
