import { type PublicError, toPublic } from "../../core/domain/ErrorCatalogue.ts"
import { Invalid } from "../../core/domain/Errors.ts"

/** An error with whichever status HTTP gives it: it has some that the catalogue does not need. */
export interface HttpError extends Omit<PublicError, "status"> {
  readonly status: number
}

/** The head of a request is larger than anybody reads. */
export const headTooLarge: HttpError = {
  ...toPublic(new Invalid({ details: { headers: "demasiado_grande" } })),
  status: 431
}

/** A request comes too slowly to be waited for. */
export const requestTooSlow: HttpError = { ...toPublic(new Invalid({ details: { body: "incompleto" } })), status: 408 }
