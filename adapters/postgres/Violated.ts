import type { SqlError } from "effect/sql/SqlError"

/** Whether the error violates the unique constraint with this name. */
export const violatesUnique = (error: SqlError, constraint: string): boolean =>
  error.reason._tag === "UniqueViolation" && error.reason.constraint === constraint
