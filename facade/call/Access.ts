import { Context } from "effect"
import type { ErrorCode } from "../../core/domain/ErrorCodes.ts"
import type { CompanyId } from "../../core/domain/Ids.ts"

/**
 * What is worth telling of a request once it has been answered. Whoever finds a part of it out notes it here: nothing
 * of it is what the caller sent, which may be a secret or somebody's number.
 */
export interface AccessShape {
  /** What every line of the log says of work that is done for the request; it fills while the work goes on. */
  readonly about: { readonly request_id: string; company?: CompanyId; xid?: string }
  /** The template of the path. */
  route: string
  /** Why it was refused; of a batch, why each call was that was. */
  codes: ReadonlyArray<ErrorCode>
}

/** What no route answers. */
const unrouted = "{unknown}"

export const accessOf = (requestId: string): AccessShape => ({
  about: { request_id: requestId },
  route: unrouted,
  codes: []
})

/** The request that is being answered. */
export class Access extends Context.Service<Access, AccessShape>()("saldo/facade/Access") {}
