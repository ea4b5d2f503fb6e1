import type { ErrorCode } from "../../core/domain/ErrorCodes.ts"

export const documentPath = "/v1/openapi.json"
export const consolePath = "/docs"
export const errorsPath = "/docs/errors"
export const assetsPath = "/docs/assets"

/** The page that explains a code. */
export const errorPath = (code: ErrorCode) => `${errorsPath}/${code}` as const
