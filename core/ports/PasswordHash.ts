import { Context, type Effect, type Redacted } from "effect"

/** Hashes the passwords of operators, slowly, so that a stolen hash is expensive to guess. */
export class PasswordHash extends Context.Service<
  PasswordHash,
  {
    readonly hash: (password: Redacted.Redacted) => Effect.Effect<string>
    /**
     * False if there is no stored hash. The call then takes equally long, so that its duration does not show
     * which accounts exist.
     */
    readonly verify: (password: Redacted.Redacted, stored: string | null) => Effect.Effect<boolean>
  }
>()("saldo/core/PasswordHash") {}
