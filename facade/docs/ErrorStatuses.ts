import { bodyStatuses, codes, type ErrorCode } from "../../core/domain/ErrorCatalogue.ts"
import { unreadStatuses } from "../call/UnreadStatuses.ts"

const beside: Partial<Record<ErrorCode, ReadonlyArray<number>>> = {
  VALIDATION_ERROR: [...bodyStatuses, ...unreadStatuses].toSorted((a, b) => a - b)
}

/** Every status by which a code is answered, its own first. Contract: 7. */
export const statusesOf = (code: ErrorCode): ReadonlyArray<number> => [codes[code].status, ...(beside[code] ?? [])]
