import { Context, type DateTime, type Effect, type Option } from "effect"
import type { OperatorId, OperatorName, Role } from "../domain/Operator.ts"
import type { OperatorAccount, OperatorEmail } from "../domain/OperatorAccount.ts"
import type { LastAdmin, OperatorEmailTaken, OperatorNameTaken } from "../domain/SignInErrors.ts"

export interface NewOperator {
  readonly name: OperatorName
  readonly role: Role
  readonly email: OperatorEmail | null
}

/** The credentials with which an operator signs in. */
export interface OperatorCredentials {
  readonly passwordHash: string
  /** The secret of the authenticator app, sealed by the vault. */
  readonly totpSecret: Uint8Array
}

/** The account of an identity provider. */
export interface ExternalIdentity {
  readonly issuer: string
  readonly subject: string
}

/** Accounts of operators. Accounts are never deleted, and never change their names. */
export class Operators extends Context.Service<
  Operators,
  {
    /** Ordered by id. */
    readonly list: Effect.Effect<ReadonlyArray<OperatorAccount>>
    /** The account with this name, in any spelling. */
    readonly find: (name: string) => Effect.Effect<Option.Option<OperatorAccount>>
    /** The account with this token hash. The token is the value of the variable OPERATOR_TOKEN. */
    readonly findByToken: (hash: Uint8Array) => Effect.Effect<Option.Option<OperatorAccount>>
    readonly findByIdentity: (identity: ExternalIdentity) => Effect.Effect<Option.Option<OperatorAccount>>
    /** The account with this e-mail address, unless an identity is linked to it. */
    readonly findByEmail: (email: string) => Effect.Effect<Option.Option<OperatorAccount>>
    /** Whether an active account has the role admin. */
    readonly hasAdmin: Effect.Effect<boolean>
    readonly add: (
      operator: NewOperator,
      at: DateTime.Utc
    ) => Effect.Effect<OperatorId, OperatorNameTaken | OperatorEmailTaken>
    /**
     * Changes the role of an account, or suspends or resumes it. Refused if no active admin would remain.
     * Concurrent changes run one after the other.
     */
    readonly change: (
      account: OperatorAccount,
      changes: { readonly role?: Role; readonly isSuspended?: boolean }
    ) => Effect.Effect<void, LastAdmin>
    /** None for an account without password. */
    readonly credentials: (id: OperatorId) => Effect.Effect<Option.Option<OperatorCredentials>>
    readonly setCredentials: (id: OperatorId, credentials: OperatorCredentials) => Effect.Effect<void>
    /** Removes the credentials, the token and the linked identity of an account. Refused as `change` is. */
    readonly removeCredentials: (account: OperatorAccount) => Effect.Effect<void, LastAdmin>
    /**
     * Marks the time step of a one-time code as used. False if the account has used this time step or a later one. Of
     * concurrent calls exactly one succeeds.
     */
    readonly useStep: (id: OperatorId, step: number) => Effect.Effect<boolean>
    /** Links an identity to the account. False if the account already has a linked identity. */
    readonly link: (id: OperatorId, identity: ExternalIdentity) => Effect.Effect<boolean>
    /** Replaces the token for OPERATOR_TOKEN. Null removes it. */
    readonly setToken: (id: OperatorId, hash: Uint8Array | null) => Effect.Effect<void>
    readonly signedIn: (id: OperatorId, at: DateTime.Utc) => Effect.Effect<void>
  }
>()("saldo/core/Operators") {}
