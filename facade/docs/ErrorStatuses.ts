import { bodyStatuses, codes, type ErrorCode } from "../../core/domain/ErrorCodes.ts"
import { headTooLarge, requestTooSlow } from "../call/HttpError.ts"

const beside: Partial<Record<ErrorCode, ReadonlyArray<number>>> = {
  VALIDATION_ERROR: [requestTooSlow.status, ...bodyStatuses, headTooLarge.status]
}

/** Every status by which a code is answered, its own first. Contract: 7. */
export const statusesOf = (code: ErrorCode): ReadonlyArray<number> => [codes[code].status, ...(beside[code] ?? [])]
