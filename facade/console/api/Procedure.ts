import type { Effect, Redacted, Scope } from "effect"
import type { CoreError } from "../../../core/domain/Errors.ts"
import type { Actor, OperatorAction } from "../../../core/domain/Operator.ts"
import type { OperatorError } from "../../../core/domain/OperatorErrors.ts"
import type { FileReply } from "../../api/Call.ts"
import type { Input } from "../../api/Input.ts"
import type { Services } from "./Services.ts"

/** The session of a signed-in operator. */
export interface OperatorSession {
  readonly token: Redacted.Redacted
  readonly actor: Actor
  /** The CSRF token that every change of this session must send. */
  readonly csrf: string
  /** Whether the password was entered recently enough for a change. */
  readonly isFresh: boolean
}

/**
 * The callers of a procedure: everyone (for the sign-in), every signed-in operator, or the operators with a role that may take
 * an action.
 */
type ProcedureGate = "public" | "session" | OperatorAction

/** The arguments of a handler. The operator is also the `CurrentActor` of the handler's effect. */
export interface Given<A> {
  readonly input: A
  /** Null only in public procedures. */
  readonly session: OperatorSession | null
  /** The browser's address. */
  readonly address: string
  /** Makes the response set the session cookie, or delete it if the token is null. */
  readonly keepSession: (token: Redacted.Redacted | null) => void
}

/** The kind of a procedure. A query only reads. */
export type ProcedureKind = "query" | "mutation"

interface Definition<A, I, O> {
  readonly gate: ProcedureGate
  readonly input: Input<A, I>
  /** Largest size of the body in bytes, if the usual 64 KiB do not suffice. */
  readonly body_max?: number
  /** Whether the change is allowed without a recently entered password. */
  readonly withoutPassword?: boolean
  handle(given: Given<A>): Effect.Effect<O, OperatorError | CoreError, Services>
}

/** One operation of the console. */
export interface Procedure<Kind extends ProcedureKind = ProcedureKind, A = unknown, I = unknown, O = unknown>
  extends Definition<A, I, O> {
  readonly kind: Kind
}

/** A procedure that reads. */
export const read = <A, I, O>(definition: Definition<A, I, O>): Procedure<"query", A, I, O> => ({
  kind: "query",
  ...definition
})

/**
 * A procedure that changes data. Unless its gate is `public`, it needs the session's CSRF token and, without
 * `withoutPassword`, a recent password.
 */
export const change = <A, I, O>(definition: Definition<A, I, O>): Procedure<"mutation", A, I, O> => ({
  kind: "mutation",
  ...definition
})

/** A CSV file. Its input is the query of the address. */
export interface Export<A = unknown, I = unknown> {
  readonly gate: OperatorAction
  readonly input: Input<A, I>
  file(input: A): Effect.Effect<FileReply, OperatorError | CoreError, Services | Scope.Scope>
}

/** Returns the definition of a CSV file unchanged, so that the compiler infers the type of its input. */
export const csvExport = <A, I>(definition: Export<A, I>): Export<A, I> => definition
