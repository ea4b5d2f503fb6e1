import { Context, type DateTime, type Effect, type Option } from "effect"
import type { OperatorId, Origin } from "../domain/Operator.ts"
import type { OperatorAccount, SessionTimes } from "../domain/OperatorAccount.ts"
import type { OperatorCredentials } from "./Operators.ts"

/** An invitation: a link that gives a person access once. */
export interface Invitation {
  /** Null for the link that `npm start` prints. This link opens a session without an account. */
  readonly operator: OperatorAccount | null
  readonly expiresAt: DateTime.Utc
  /** Credentials that the operator has chosen and not yet confirmed. */
  readonly chosen: OperatorCredentials | null
}

export interface StoredSession extends SessionTimes {
  /** Null for a session without an account, opened with the link that `npm start` prints. */
  readonly operator: OperatorAccount | null
  readonly via: Origin["via"]
}

export interface NewSession extends Origin {
  readonly operatorId: OperatorId | null
}

/** An attempt to sign in. It counts as failed until `succeeded` is called. */
export interface SignInAttempt {
  /** Hash of the typed name. */
  readonly account: string
  readonly address: string
}

/** Invitations, sessions and failed sign-ins. Tokens are stored as digests. */
export class OperatorSessions extends Context.Service<
  OperatorSessions,
  {
    /** Stores the invitation of an account in place of its earlier invitation. A null id means no account. */
    readonly invite: (operatorId: OperatorId | null, token: Uint8Array, expiresAt: DateTime.Utc) => Effect.Effect<void>
    readonly invitation: (token: Uint8Array) => Effect.Effect<Option.Option<Invitation>>
    readonly choose: (token: Uint8Array, chosen: OperatorCredentials) => Effect.Effect<void>
    /** Deletes an invitation. False if it does not exist. Of concurrent calls exactly one succeeds. */
    readonly useInvitation: (token: Uint8Array) => Effect.Effect<boolean>
    readonly begin: (token: Uint8Array, session: NewSession, at: DateTime.Utc) => Effect.Effect<void>
    readonly find: (token: Uint8Array) => Effect.Effect<Option.Option<StoredSession>>
    /** Stores that a session was used. */
    readonly touch: (token: Uint8Array, at: DateTime.Utc) => Effect.Effect<void>
    /** Stores that the password was typed again. */
    readonly reauthenticated: (token: Uint8Array, at: DateTime.Utc) => Effect.Effect<void>
    readonly end: (token: Uint8Array) => Effect.Effect<void>
    /** Ends all sessions of an account, and its invitation. */
    readonly endAll: (operatorId: OperatorId) => Effect.Effect<void>
    /**
     * Records an attempt, unless too many earlier attempts have failed. Returns the seconds until another attempt is allowed;
     * null if the attempt was recorded. Each of several concurrent attempts counts the others.
     */
    readonly attempt: (attempt: SignInAttempt, at: DateTime.Utc) => Effect.Effect<number | null>
    /** Deletes the failed attempts for an account, and this attempt. */
    readonly succeeded: (attempt: SignInAttempt) => Effect.Effect<void>
  }
>()("saldo/core/OperatorSessions") {}
