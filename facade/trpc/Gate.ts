import { Data, Effect, Option, Result } from "effect"
import { permit, type Session } from "../../core/domain/Access.ts"
import { type CoreError, type Forbidden, Invalid } from "../../core/domain/Errors.ts"
import type { Permission } from "../../core/domain/Token.ts"
import type { AuditLog } from "../../core/ports/AuditLog.ts"
import { authenticate } from "../../core/workflows/Authenticate.ts"
import { refuseForeign } from "../../core/workflows/ForeignCompany.ts"
import { spendByAddress, spendByToken } from "../call/Allowance.ts"
import type { Call, Services } from "../call/Call.ts"
import { integerOf } from "../wire/Fields.ts"
import { readCredentials } from "./Credentials.ts"

/** Who may call a procedure. */
export type Callers = Data.TaggedEnum<{
  Anybody: {}
  /** Whoever has credentials, and this permission. */
  Permitted: { readonly permission: Permission }
}>
export const Callers = Data.taggedEnum<Callers>()

/** Which of a procedure's inputs is being let in. */
interface Entrance {
  readonly batchIndex: number
  /** Only a mutation has a body that could name a company; in a query nobody knows such a parameter. */
  readonly type: string
}

/** What goes on behind a gate: the call, and its input as the client sent it. */
interface Entered<C extends Call> {
  readonly ctx: C
  readonly raw: unknown
}

type Entering<C extends Call> = Effect.Effect<Entered<C>, CoreError, Services>

/** Lets callers in. Every procedure has one, and both faces enter by it. */
export interface Gate<C extends Call = Call> {
  readonly callers: Callers
  readonly enter: (call: Call, entrance: Entrance) => Entering<C>
}

/** A call whose caller was let in. */
export interface AdmittedCall extends Call {
  readonly session: Session
}

// Whoever is not let in counts by his address, and hears so when he goes on. Credentials are looked up all the same:
// others may be behind that address and have the right ones, and nobody guesses 256 bits.
const turnAway = <E>(call: Call, error: E) => Effect.andThen(spendByAddress(call), Effect.fail(error))

const namesCompany = (raw: unknown): raw is { readonly empresa_id: unknown } =>
  typeof raw === "object" && raw !== null && Object.hasOwn(raw, "empresa_id")

const ownCompanyOnly = (session: Session, named: unknown): Effect.Effect<void, Forbidden | Invalid, AuditLog> =>
  Option.match(integerOf(named), {
    onNone: () => Effect.fail(new Invalid({ details: { empresa_id: "invalido" } })),
    onSome: (company) => refuseForeign(session, company)
  })

// A call without input is a call with an empty one.
const given = (raw: unknown): unknown => (raw === undefined ? {} : raw)

/** Counts a call that anybody may make, then reads its input. */
export const openGate: Gate = {
  callers: Callers.Anybody(),
  enter: Effect.fnUntraced(function* (call, { batchIndex }) {
    yield* spendByAddress(call)
    return { ctx: call, raw: given(yield* call.input(batchIndex)) }
  })
}

/** Lets a caller in who is known: by rate limit and permission, and by the company that the body names. */
const enterAs = (session: Session, call: Call, permission: Permission, { batchIndex, type }: Entrance) =>
  spendByToken(call, session, (): Entering<AdmittedCall> => {
    const permitted = permit(session.token, permission)
    if (Result.isFailure(permitted)) return Effect.fail(permitted.failure)
    return Effect.flatMapEager(call.input(batchIndex), (sent) => {
      const raw = given(sent)
      const entered = { ctx: { ...call, session }, raw }
      return type === "mutation" && namesCompany(raw)
        ? Effect.as(ownCompanyOnly(session, raw.empresa_id), entered)
        : Effect.succeed(entered)
    })
  })

/**
 * Lets a caller in, in the order of the contract: credentials, state of token and company, address, rate limit,
 * permission, and only then the body and whose company it names. Contract: 4.5 and 5.
 */
export const gateFor = (permission: Permission): Gate<AdmittedCall> => ({
  callers: Callers.Permitted({ permission }),
  enter: (call, entrance) => {
    const credentials = readCredentials(call.credentials)
    if (Result.isFailure(credentials)) return turnAway(call, credentials.failure)
    return Effect.matchEffect(authenticate(credentials.success, call.address), {
      onFailure: (error) => turnAway(call, error),
      onSuccess: (session) => {
        call.access.about.company = session.company.id
        return enterAs(session, call, permission, entrance)
      }
    })
  }
})
