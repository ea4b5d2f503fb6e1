import { Context, type Effect, type Option } from "effect"
import type { Session } from "../domain/Access.ts"

/** A token with its company, and the digest that its secret must have. */
export interface Credentials {
  readonly session: Session
  readonly secretHash: Uint8Array
}

/**
 * Who may call. An answer may be a few seconds old, but never older than a change that the directory was told of: a
 * revoked token is refused at once on every replica.
 */
export class Directory extends Context.Service<
  Directory,
  {
    readonly lookup: (apiKey: string) => Effect.Effect<Option.Option<Credentials>>
  }
>()("saldo/core/Directory") {}
